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

/** The processes below a process. */
async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const direct = text.trim().split(' ').filter(Boolean).map(Number);
  return [...direct, ...(await Promise.all(direct.map(childrenOf))).flat()];
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
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

test.each([
  ['SIGINT', 130, 'for (;;) await null;'],
  ['SIGTERM', 143, 'for (;;);'],
] as const)(
  'A run that gets %s exits with %i and reports its steps, although a scenario lets no other work run: %s',
  async (signal, exitCode, held) => {
    const name = `held-${signal}`;
    const body = `await stage.step({ title: 'Read Ada', call: 'GET /customers/cus_ada' });
    (await import('node:fs')).writeFileSync(process.env.UNDER_WAY, ''); ${held}`;
    const file = await write(`${name}.js`, scenariosOf({ first: 'await stage.settle();', held: body, third: 'await stage.settle();' }));
    const env = { ...process.env, ESTATE_URL: '', UNDER_WAY: at(`${name}-under-way`) };
    await using run = started(process.execPath, [MAIN, 'rehearse', file, '--json'], { env, detached: true });
    await eventually('the second scenario', () => succeeds(access(env.UNDER_WAY)), 60_000);
    const children = await childrenOf(run.child.pid ?? 0);
    expect(children).toHaveLength(2);
    process.kill(-(run.child.pid ?? 0), signal);
    expect(await run.ended).toBe(exitCode);
    const failure = `The run was interrupted by ${signal}. It never let other work run, so the signal did not reach it, and it was ended.`;
    expect(failuresIn(run.output.out)).toEqual({ first: undefined, held: failure });
    expect(JSON.parse(run.output.out)).toMatchObject({
      passed: 1,
      failed: 1,
      scenarios: [{}, { steps: [{ title: 'Read Ada', status: 200 }] }],
    });
    expect(run.output.err).toContain(`${failure} The scenario held had made 1 step. Its rehearsal `);
    await eventually('the end of the run and of its estate', async () => !children.some(isRunning));
  },
);

test('A run that gets SIGTERM while a file of scenarios is loaded exits, although the file lets no other work run', async () => {
  const file = await write('held-file.js', `(await import('node:fs')).writeFileSync(process.env.UNDER_WAY, ''); for (;;) await null;`);
  const env = { ...process.env, ESTATE_URL: estate.gateway, UNDER_WAY: at('held-file-under-way') };
  await using run = started(process.execPath, [MAIN, 'rehearse', file], { env });
  await eventually('the file', () => succeeds(access(env.UNDER_WAY)));
  expect(await run.stop()).toBe(143);
  expect(run.output.err).toContain('The run was interrupted by SIGTERM. It never let other work run');
  expect(run.output.err).toContain('No scenario had begun.');
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
