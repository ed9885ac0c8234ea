import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { afterAll, expect, test } from '@jest/globals';
import type { HardenRun } from '../../../rehearsal/harden/run.ts';
import { MAIN, runProgram } from '../../support/command.ts';
import { ADMIN, estate } from '../../support/estate.ts';
import { eventually, succeeds } from '../../support/eventually.ts';
import { aFolder } from '../../support/folder.ts';

const folder = await aFolder();
afterAll(folder.remove);

/**
 * A story that gives a member points, with a new Idempotency-Key after any error. The run whose number is in `pause` waits until this
 * file is removed.
 */
await folder.write(
  'points.mjs',
  `import { appendFileSync, existsSync, readFileSync } from 'node:fs';
   const { ESTATE_URL, ESTATE_BEARER_TOKEN, ESTATE_REHEARSAL } = process.env;
   const [, , runs, pause] = process.argv;
   appendFileSync(runs, ESTATE_REHEARSAL + '\\n');
   const number = readFileSync(runs, 'utf8').split('\\n').length - 1;
   while (existsSync(pause) && readFileSync(pause, 'utf8') === String(number)) await new Promise((done) => setTimeout(done, 20));
   const give = () => fetch(ESTATE_URL + '/loyalty/accounts/loy_ada/points', {
     method: 'POST',
     headers: { Authorization: 'Bearer ' + ESTATE_BEARER_TOKEN, 'X-Rehearsal': ESTATE_REHEARSAL, 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() },
     body: '{"points":100,"reason":"welcome"}',
   }).catch(() => ({ ok: false }));
   process.exit((await give()).ok || (await give()).ok ? 0 : 1);`,
);

/** A run that stops at the story with a number. */
function runIn(name: string, pauseAt: number) {
  const [report, runs, pause] = [folder.at(name), folder.at(`${name}.runs`), folder.at(`${name}.pause`)];
  const argumentsWith = (...options: readonly string[]): readonly string[] => [
    ...[MAIN, 'harden', '--against', estate.gateway, '--only', 'lost-answers', '--json', '--report', report, ...options],
    ...['--', process.execPath, folder.at('points.mjs'), runs, pause],
  ];
  const known = async (): Promise<HardenRun> => JSON.parse(await readFile(`${report}/harden.json`, 'utf8'));
  const tried = async (): Promise<number | undefined> =>
    (await known().catch(() => undefined))?.cells.filter(({ verdict }) => verdict !== undefined).length;
  const stories = async (): Promise<number> => (await readFile(runs, 'utf8').catch(() => '')).split('\n').length - 1;

  /** Kills the run at its story, when the file has as many verdicts. */
  async function kill(verdicts: number): Promise<void> {
    await writeFile(pause, String(pauseAt));
    const { PATH } = process.env;
    const child = spawn(process.execPath, argumentsWith(), { env: { PATH, ESTATE_ADMIN_TOKEN: ADMIN }, stdio: 'ignore' });
    const ended = once(child, 'exit');
    await eventually(`story ${pauseAt}`, async () => (await stories()) === pauseAt);
    if (verdicts > 0) await eventually(`a file with ${verdicts} verdicts`, async () => (await tried()) === verdicts);
    child.kill('SIGKILL');
    await ended;
    await writeFile(pause, '');
  }

  async function resume() {
    const { code, out, err } = await runProgram(process.execPath, argumentsWith('--resume'), { ESTATE_ADMIN_TOKEN: ADMIN });
    if (out === '') throw new Error(`${code}: ${err}`);
    return { code, run: JSON.parse(out) as HardenRun };
  }
  return { report, kill, known, resume };
}

/** The story does not read the body whose half is lost in C2. */
const VERDICTS = ['twice', 'survived', 'twice'];

// Two baselines, three tries of C1, one try each of C2 and C3.
test.each([
  [3, 0],
  [6, 1],
  [7, 2],
])('harden continues a run that was killed during its story %i, when %i verdicts were known', async (pauseAt, verdicts) => {
  const { report, kill, known, resume } = runIn(`killed-${pauseAt}`, pauseAt);
  await kill(verdicts);
  const before = await known();
  const { code, run } = await resume();
  expect([code, run.endedEarly, run.cells.map(({ verdict }) => verdict)]).toEqual([1, undefined, VERDICTS]);
  const kept = before.cells.filter(({ verdict }) => verdict !== undefined).map(({ rehearsal }) => rehearsal);
  expect(run.cells.slice(0, verdicts).map(({ rehearsal }) => rehearsal)).toEqual(kept);
  if (verdicts > 0) expect(run.findings[0]?.paragraph).toBe(before.findings[0]?.paragraph);
  expect(run.findings).toMatchObject([{ cells: ['C1', 'C3'], files: ['C1.estate.zip'] }]);
  expect((await readdir(report)).toSorted()).toEqual(['C1.estate.zip', 'harden.json', 'index.html', 'junit.xml', 'summary.md']);
});

test('harden begins a run again that was killed before its first cell was planned', async () => {
  const { kill, resume } = runIn('killed-early', 2);
  await kill(0);
  const { code, run } = await resume();
  expect([code, run.cells.map(({ verdict }) => verdict)]).toEqual([1, VERDICTS]);
});

test('The estate that was started for a run ends with a run that is killed', async () => {
  const [runs, pause] = [folder.at('own.address'), folder.at('own.pause')];
  await folder.write(
    'waiting.mjs',
    `import { existsSync, writeFileSync } from 'node:fs';
     writeFileSync(process.argv[2], process.env.ESTATE_URL);
     while (!existsSync(process.argv[3])) await new Promise((done) => setTimeout(done, 20));`,
  );
  const { PATH } = process.env;
  const child = spawn(process.execPath, [MAIN, 'harden', '--', process.execPath, folder.at('waiting.mjs'), runs, pause], {
    env: { PATH },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  const address = await eventually('the first story', () => readFile(runs, 'utf8').catch(() => undefined));
  child.kill('SIGKILL');
  await ended;
  await writeFile(pause, '');
  await eventually('the end of the estate', async () => !(await succeeds(fetch(`${address}/healthz`))));
});
