import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { afterAll, expect, test } from '@jest/globals';
import type { HardenRun } from '../../../rehearsal/harden/run.ts';
import { MAIN, runProgram } from '../../support/command.ts';
import { ADMIN, estate } from '../../support/estate.ts';
import { aFolder } from '../../support/folder.ts';

const folder = await aFolder();
afterAll(folder.remove);

/** A story that gives a member points. */
const story = (extra: string): string =>
  `import { existsSync, readFileSync, writeFileSync } from 'node:fs';
   const { ESTATE_URL, ESTATE_BEARER_TOKEN, ESTATE_REHEARSAL, ESTATE_ADMIN_TOKEN } = process.env;
   const send = (path, token, rehearsal, body) => fetch(ESTATE_URL + path, {
     method: 'POST',
     headers: { Authorization: 'Bearer ' + token, 'X-Rehearsal': rehearsal, 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() },
     body: JSON.stringify(body),
   });
   const give = (points) => send('/loyalty/accounts/loy_ada/points', ESTATE_BEARER_TOKEN, ESTATE_REHEARSAL, { points, reason: 'welcome' });
   ${extra}`;

await folder.write('points.mjs', story('process.exit((await give(100)).ok || (await give(100)).ok ? 0 : 1);'));
await folder.write(
  'counting.mjs',
  story(
    `const file = process.argv[2];
     const runs = existsSync(file) ? Number(readFileSync(file, 'utf8')) + 1 : 1;
     writeFileSync(file, String(runs));
     process.exit((await give(runs > 2 ? 200 : 100)).ok ? 0 : 1);`,
  ),
);
await folder.write(
  'elsewhere.mjs',
  story(
    `await give(100);
     await send('/_control/rehearsals', ESTATE_ADMIN_TOKEN, 'default', { name: 'elsewhere' });
     const { ok } = await send('/loyalty/accounts/loy_ada/points', 'demo-integration-token', 'elsewhere', { points: 100, reason: 'other' });
     process.exit(ok ? 0 : 1);`,
  ),
);

const run = (options: readonly string[], file = 'points.mjs', ...args: readonly string[]) =>
  runProgram(
    process.execPath,
    [MAIN, 'harden', '--against', estate.gateway, '--only', 'lost-answers', ...options, '--', process.execPath, folder.at(file), ...args],
    { ESTATE_ADMIN_TOKEN: ADMIN },
  );

test('harden names findings and cells of earlier runs whose places the story does not have any more', async () => {
  const first = JSON.parse((await run(['--json'])).out) as HardenRun;
  const moved = (text: string): string => text.replaceAll('issue-loyalty-points-api#1', 'confirm-order-api#1');
  await mkdir(folder.at('moved'));
  await writeFile(folder.at('moved/harden.json'), moved(JSON.stringify(first)));
  const accepted = await run(['--json', '--accept', folder.at('moved/harden.json')]);
  expect([accepted.code, (JSON.parse(accepted.out) as HardenRun).notJudged]).toEqual([
    1,
    expect.arrayContaining([
      'These accepted findings are at places that the story does not have any more: F1 at confirm-order-api#1. Leave them out of the accepted run.',
    ]),
  ]);
  expect(await run(['--report', folder.at('moved'), '--again', 'C1'])).toEqual({
    code: 2,
    out: '',
    err: 'Nothing was tried. The plan has no cell C1 (lost-504 at confirm-order-api#1) any more. List its cells with --plan in place of --again.\n',
  });
  const resumed = await run(['--json', '--resume', '--report', folder.at('moved')]);
  expect([resumed.code, (JSON.parse(resumed.out) as HardenRun).notJudged]).toEqual([
    1,
    expect.arrayContaining([
      'These cells of the earlier run are at places that the story does not have any more: C1 at confirm-order-api#1, C2 at confirm-order-api#1, C3 at confirm-order-api#1. Their verdicts were left out.',
    ]),
  ]);
  expect((JSON.parse(await readFile(folder.at('moved/harden.json'), 'utf8')) as HardenRun).cells[0]?.site).toBe(
    'issue-loyalty-points-api#1',
  );
});

test('harden tries nothing with a check that is too long to compare, or a program that does not exist', async () => {
  const [long, none] = await Promise.all([
    run(['--check', 'head -c 20000000 /dev/zero']),
    runProgram(process.execPath, [MAIN, 'harden', '--against', estate.gateway, '--', 'no-such-program'], { ESTATE_ADMIN_TOKEN: ADMIN }),
  ]);
  expect([long.code, long.err]).toEqual([
    2,
    expect.stringContaining(
      'The check failed: it has more than 1,000,000 characters. Leave out what the story does not change.\nCorrect it,',
    ),
  ]);
  expect([none.code, none.err]).toEqual([
    2,
    expect.stringContaining('The program no-such-program does not exist. Check its name and its path.'),
  ]);
});

test('harden reports what it found as unstable when the last run without misfortune differs', async () => {
  const { code, out } = await run(['--json'], 'counting.mjs', folder.at('runs'));
  const { cells, endedEarly } = JSON.parse(out) as HardenRun;
  expect([code, cells.map(({ verdict }) => verdict)]).toEqual([2, ['unstable', 'unstable', 'unstable']]);
  expect(endedEarly).toContain('A run without any misfortune differs from the baseline now: your system keeps state between rehearsals.');
});

test('harden tries nothing when the command works in another rehearsal of an estate that was started for it', async () => {
  const { code, err } = await runProgram(process.execPath, [MAIN, 'harden', '--', process.execPath, folder.at('elsewhere.mjs')], {
    ESTATE_URL: '',
  });
  expect([code, err]).toEqual([
    2,
    'Nothing was tried. The command called another rehearsal than its own: elsewhere. Send ESTATE_BEARER_TOKEN, and ESTATE_REHEARSAL as X-Rehearsal, with each call.\n',
  ]);
}, 120_000);
