import type { ChildProcess } from 'node:child_process';
import { access, readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { MAIN } from '../../support/command.ts';
import { estate, newRehearsal } from '../../support/estate.ts';
import { eventually, succeeds } from '../../support/eventually.ts';
import { started } from '../started.ts';
import { failuresIn, scenariosOf, scratchFolder } from './scratch.ts';

const { at, write } = await scratchFolder();

const waits = `await stage.step({ title: 'Read Ada', call: 'GET /customers/cus_ada' });
    (await import('node:fs')).writeFileSync(process.env.UNDER_WAY, ''); await new Promise((resolve) => setTimeout(resolve, 600_000));`;
await write('three.js', scenariosOf({ first: 'await stage.settle();', second: waits, third: 'await stage.settle();' }));

/** Interrupts a run of three scenarios during the second, and expects its report. @returns the names of its rehearsals */
async function expectInterrupted(signal: NodeJS.Signals, exitCode: number, against: string, interrupt: (child: ChildProcess) => void) {
  const name = `${signal}-${against === '' ? 'own' : 'given'}`;
  const env = { ...process.env, ESTATE_URL: against, UNDER_WAY: at(`${name}-under-way`) };
  // A terminal starts a process group.
  await using run = started(process.execPath, [MAIN, 'rehearse', at('three.js'), '--report', at(name), '--json'], { env, detached: true });
  await eventually('the second scenario', () => succeeds(access(env.UNDER_WAY)));
  interrupt(run.child);
  const sentence = `The run was interrupted by ${signal}.`;
  expect([await run.ended, run.output.err]).toEqual([exitCode, `${sentence} 1 scenario did not run.\n`]);
  expect(failuresIn(run.output.out)).toEqual({ first: undefined, second: sentence });
  const junit = await readFile(at(name, 'junit.xml'), 'utf8');
  expect(junit).toMatch(/<testsuites name="[^"]+" tests="2" failures="1"/);
  expect(junit).toContain(`message="${sentence}"`);
  expect(await readFile(at(name, 'summary.md'), 'utf8')).toMatch(/failed\*\* \| second \| t \| [^|]+ \| 1 step, 1 hop, /);
  return (JSON.parse(run.output.out) as { scenarios: { rehearsal: string }[] }).scenarios.map(({ rehearsal }) => rehearsal);
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('A run that gets %s reports its scenarios so far, ends its rehearsals, and exits with %i', async (signal, exitCode) => {
  const rehearsals = await expectInterrupted(signal, exitCode, estate.gateway, (child) => child.kill(signal));
  await using any = await newRehearsal();
  const { items } = await any.control('list-rehearsals');
  expect(items.map(({ name }) => name).filter((name) => rehearsals.includes(name))).toEqual([]);
});

test('A run ends on SIGTERM while a scenario repeats failed steps without an end', async () => {
  const name = 'again';
  const file = await write(
    'again.js',
    scenariosOf({
      first: 'await stage.settle();',
      again: `for (let under = false; ; under ||= (await import('node:fs')).writeFileSync(process.env.UNDER_WAY, '') ?? true) {
        try { await stage.step({ title: 'Read Ada', call: 'GET /customers/cus_ada' }); } catch {}
      }`,
    }),
  );
  const env = { ...process.env, ESTATE_URL: estate.gateway, UNDER_WAY: at(`${name}-under-way`) };
  await using run = started(process.execPath, [MAIN, 'rehearse', file, '--json'], { env });
  await eventually('the second scenario', () => succeeds(access(env.UNDER_WAY)));
  run.child.kill('SIGTERM');
  expect(await run.ended).toBe(143);
  expect(failuresIn(run.output.out)).toEqual({ first: undefined, again: 'The run was interrupted by SIGTERM.' });
});

test('A run with its own estate ends on Ctrl-C, and stops the estate', async () => {
  await expectInterrupted('SIGINT', 130, '', ({ pid = 0 }) => process.kill(-pid, 'SIGINT'));
});

test('A run that a timer of a scenario keeps alive after its end exits at the first signal', async () => {
  const file = await write('leaks.js', scenariosOf({ leaks: 'setInterval(() => {}, 1_000);' }));
  await using run = started(process.execPath, [MAIN, 'rehearse', file], { env: { ...process.env, ESTATE_URL: estate.gateway } });
  await eventually('the summary', async () => run.output.out.includes('1 of 1 passed'));
  expect(await run.stop()).toBe(143);
});
