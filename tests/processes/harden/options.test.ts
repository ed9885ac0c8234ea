import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, expect, test } from '@jest/globals';
import type { HardenRun } from '../../../rehearsal/harden/run.ts';
import { serving } from '../../conform/serving.ts';
import { MAIN, runProgram } from '../../support/command.ts';
import { ADMIN, estate, newRehearsal } from '../../support/estate.ts';
import { aFolder } from '../../support/folder.ts';
import { freePort } from '../../support/free-port.ts';

const folder = await aFolder();
afterAll(folder.remove);

/** A story that gives a member points, with a new Idempotency-Key after any error, and reports its view to HARDEN_URL, if it has one. */
await folder.write(
  'points.mjs',
  `const { ESTATE_URL, ESTATE_BEARER_TOKEN, ESTATE_REHEARSAL, HARDEN_URL } = process.env;
   const give = () => fetch(ESTATE_URL + '/loyalty/accounts/loy_ada/points', {
     method: 'POST',
     headers: { Authorization: 'Bearer ' + ESTATE_BEARER_TOKEN, 'X-Rehearsal': ESTATE_REHEARSAL, 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() },
     body: '{"points":100,"reason":"welcome"}',
   });
   const answer = (await give()).ok || (await give()).ok;
   if (HARDEN_URL) await fetch(HARDEN_URL, { method: 'PUT', body: '{"pointsBalance":600}' });
   process.exit(answer ? 0 : 1);`,
);

const hardenCommand = (...args: readonly string[]) =>
  runProgram(process.execPath, [MAIN, 'harden', '--against', estate.gateway, ...args], { ESTATE_ADMIN_TOKEN: ADMIN });
const harden = (...args: readonly string[]) => hardenCommand(...args, '--', process.execPath, folder.at('points.mjs'));

async function found(...args: readonly string[]) {
  const { code, out, err } = await harden('--only', 'lost-answers', '--json', ...args);
  if (out === '') throw new Error(`${code}: ${err}`);
  return { code, run: JSON.parse(out) as HardenRun };
}

test('harden continues a kept world, and ends when the budget is used up', async () => {
  await using kept = await newRehearsal();
  await kept.api('issue-loyalty-points-api', { params: { id: 'loy_ada' }, body: { points: 1_000, reason: 'kept' } });
  await kept.control('save-snapshot', { params: { name: kept.name } });
  const [{ code, run }, short] = await Promise.all([
    found('--from', `snapshot:${kept.name}`),
    found('--from', kept.name, '--all', '--budget', '1s'),
  ]);
  expect([code, run.cells[0]?.differences]).toEqual([1, [{ what: 'points of loy_ada', baseline: '1600', tried: '1700' }]]);
  expect(run.findings[0]?.repeat).toContain(` --from snapshot:${kept.name} `);
  expect([short.run.endedEarly, short.run.cells.some(({ verdict }) => verdict === undefined)]).toEqual(['The budget was used up.', true]);
  await kept.control('delete-snapshot', { params: { name: kept.name } });
});

test('harden continues a run in the folder of its report, and refuses to continue another one', async () => {
  const report = folder.at('resumed');
  const short = await found('--report', report, '--budget', '1s');
  expect([short.run.endedEarly, short.run.cells.length]).toEqual(['The budget was used up.', 3]);
  // As if the run had ended after its second cell.
  const [first, second, third] = short.run.cells.map(({ id, site, family, misfortune, label }) => ({
    id,
    site,
    family,
    misfortune,
    label,
  }));
  const earlier = { ...short.run, findings: [], cells: [first, { ...second, verdict: 'survived', reason: 'Earlier.' }, third] };
  await writeFile(`${report}/harden.json`, JSON.stringify(earlier));
  // A plan tries nothing, so it leaves the report as it is.
  expect((await harden('--only', 'lost-answers', '--report', report, '--plan')).code).toBe(0);
  const { code, run } = await found('--report', report, '--resume');
  expect([code, run.endedEarly, run.cells.map(({ verdict, reason }) => (verdict === 'survived' ? reason : verdict))]).toEqual([
    1,
    undefined,
    ['twice', 'Earlier.', 'twice'],
  ]);
  const other = await harden('--report', report, '--resume', '--seed', 'another');
  expect(other).toEqual({
    code: 2,
    out: '',
    err: `--resume: the run in ${report} has another seed: harden, now another. Begin a new run without --resume.\n`,
  });
  await writeFile(`${report}/harden.json`, JSON.stringify({ ...earlier, estate: '0.0.1' }));
  expect((await harden('--report', report, '--resume')).err).toContain('has another version of the estate: 0.0.1, now ');
});

/** A story with two calls that repeats one of them at most. */
await folder.write(
  'twice.mjs',
  `const { ESTATE_URL, ESTATE_BEARER_TOKEN, ESTATE_REHEARSAL } = process.env;
   let repeats = 1;
   async function send(path, body) {
     const key = crypto.randomUUID();
     for (;;) {
       const answer = await fetch(ESTATE_URL + path, {
         method: 'POST',
         headers: { Authorization: 'Bearer ' + ESTATE_BEARER_TOKEN, 'X-Rehearsal': ESTATE_REHEARSAL, 'Content-Type': 'application/json', 'Idempotency-Key': key },
         body: JSON.stringify(body),
       });
       if (answer.ok) return;
       if (repeats-- === 0) process.exit(1);
     }
   }
   await send('/loyalty/accounts/loy_ada/points', { points: 100, reason: 'welcome' });
   await send('/baskets', { channel: 'web' });`,
);

test('harden finds what two misfortunes do that the command survives alone, repeats the pair by its id, and accepts it', async () => {
  const run = async (...args: readonly string[]) => {
    const { code, out, err } = await runProgram(
      process.execPath,
      [MAIN, 'harden', '--against', estate.gateway, '--only', 'lost-answers', ...args, '--', process.execPath, folder.at('twice.mjs')],
      { ESTATE_ADMIN_TOKEN: ADMIN },
    );
    return { code, text: out || err };
  };
  const report = folder.at('pairs');
  const found = JSON.parse((await run('--pairs', '--budget', '5m', '--json', '--report', report)).text) as HardenRun;
  const [finding, ...others] = found.findings;
  expect([finding?.verdict, others]).toEqual(['half', []]);
  const [id = ''] = finding?.cells ?? [];
  expect(id).toMatch(/^C\d+\+C\d+$/);
  expect(finding?.paragraph).toMatch(
    /^Issue Loyalty Points was carried out, and its answer was lost. Create Basket was carried out, and its answer was lost\. /,
  );
  expect(finding?.repeat).toContain(`--again ${id} `);
  expect((await run('--again', id)).code).toBe(1);
  const accepted = await run('--again', id, '--report', report, '--accept', `${report}/harden.json`);
  expect([accepted.code, accepted.text]).toEqual([0, expect.stringMatching(/^Before: half\..*No finding, 1 accepted\./s)]);
  expect((await run('--pairs', '--budget', '5m', '--plan')).text).toContain('Then at most 1 pair of those');
});

test('harden resets the system before each story, gives the story an address of its rehearsal, and compares what the system returns', async () => {
  const views = new Map<string, string>();
  await using system = await serving(async (request, response) => {
    const [, rehearsal = '', id] = request.url?.split('/') ?? [];
    if (request.method === 'PUT') views.set(rehearsal, await new Response(request as unknown as ReadableStream).text());
    const view = id === undefined || id === 'loy_ada' ? views.get(rehearsal) : undefined;
    response.writeHead(view === undefined ? 404 : 200).end(view);
  });
  const resets = folder.at('resets');
  const { code, run } = await found(
    ...['--before', `echo $ESTATE_REHEARSAL >> ${resets}`, '--url', `${system.url}/{rehearsal}`],
    ...['--same-as', `loyalty-account=${system.url}/{rehearsal}/{id}`, '--check', 'echo $HARDEN_URL'],
  );
  expect([code, run.state, run.notJudged]).toEqual([1, 'before', []]);
  expect(run.findings.map(({ verdict }) => verdict)).toEqual(['twice']);
  expect(run.cells[0]?.differences).toContainEqual({
    what: expect.stringMatching(/^check: line \d$/),
    baseline: expect.stringMatching(/^--same-as loyalty-account \d: the same$/),
    tried: expect.stringMatching(/^--same-as loyalty-account \d: pointsBalance differs$/),
  });
  const reset = (await readFile(resets, 'utf8')).trim().split('\n');
  expect([...new Set(reset)].sort()).toEqual(reset.toSorted());
  expect([...views.keys()].sort()).toEqual(reset.toSorted());
});

test('harden tries nothing when an option compares nothing, and names the remedy', async () => {
  const port = await freePort();
  const cases: readonly (readonly [option: string, value: string, message: string])[] = [
    [
      '--from',
      'nothing',
      'Nothing was tried. The estate refuses what the run needs. create-rehearsal: 404 The snapshot "nothing" does not exist.',
    ],
    ['--before', 'exit 4', 'The command in --before failed with exit code 4. Correct it: exit 4'],
    ['--check', 'exit 3', 'Nothing was tried. The check cannot be used. The check failed with exit code 3: it printed nothing.'],
    ['--same-as', `loyalty-account=http://127.0.0.1:${port}/{id}`, `loyalty-account 1: no answer: connect ECONNREFUSED 127.0.0.1:${port};`],
  ];
  const ended = await Promise.all(cases.map(([option, value]) => harden(option, value)));
  expect(ended.map(({ code, out }) => ({ code, out }))).toEqual(cases.map(() => ({ code: 2, out: '' })));
  for (const [index, [, , message]] of cases.entries()) expect(ended[index]?.err).toContain(message);
});

test('harden tries nothing when a file that it reads is a named pipe', async () => {
  const [check, run] = [folder.at('pipe.mjs'), folder.at('harden.json')];
  await runProgram('mkfifo', [check, run]);
  const cases: readonly (readonly [options: readonly string[], remedy: string])[] = [
    [['--check', check], 'Give a file that exports a function, or a command.'],
    [['--accept', run], 'Give the harden.json of a report.'],
    [['--resume', '--report', folder.path], 'Give the harden.json of a report.'],
  ];
  const ended = await Promise.all(cases.map(([options]) => harden(...options)));
  expect(ended.map(({ code, out }) => ({ code, out }))).toEqual(cases.map(() => ({ code: 2, out: '' })));
  for (const [index, [, remedy]] of cases.entries())
    expect(ended[index]?.err).toContain(`it is a named pipe, and must be a file. ${remedy}`);
});

test('harden refuses an accepted file that never ends, and a short one with more values than a report has', async () => {
  const wide = await folder.write('wide.json', `[${'{},'.repeat(30_000)}{}]`);
  const [device, values] = await Promise.all([harden('--accept', '/dev/zero'), harden('--accept', wide)]);
  expect(device.err).toContain('it is a device or a socket, and must be a file. Give the harden.json of a report.');
  expect(values.err).toBe(`--accept ${wide} has more than a report can have. Give the harden.json of a report.\n`);
  expect([device.code, values.code]).toEqual([2, 2]);
});

test.each([
  ['a named pipe', 'mkfifo "$CHECK_FILE"', 'it is a named pipe, and must be a file'],
  ['a file of 5 MB', 'head -c 5000000 /dev/zero > "$CHECK_FILE"', 'it has more than 3.8 MiB'],
])('harden tries nothing when a command leaves %s as its check', async (_what, command, reason) => {
  const story = `"${process.execPath}" "${folder.at('points.mjs')}" && ${command}`;
  const { code, err } = await hardenCommand('--', 'sh', '-c', story);
  expect([code, err]).toEqual([2, expect.stringContaining(`The check failed: the file in CHECK_FILE is not read, because ${reason}.`)]);
});
