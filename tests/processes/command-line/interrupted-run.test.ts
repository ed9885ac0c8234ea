import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { MAIN } from '../../support/command.ts';
import { estate, eventually, newRehearsal } from '../../support/estate.ts';

const LIMIT_MS = 60_000;

let folder = '';
const at = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'interrupted-'));
  await writeFile(at('package.json'), '{"type":"module"}');
  const scenario = (name: string, body: string): string =>
    `import { writeFileSync } from 'node:fs'; export const s = { name: '${name}', title: 't', run: async (stage) => { ${body} } };`;
  await writeFile(at('first.js'), scenario('first', 'await stage.settle();'));
  const waits = `await stage.step({ title: 'Read Ada', call: 'GET /customers/cus_ada' }); writeFileSync(process.env.UNDER_WAY, '');
    await new Promise((resolve) => setTimeout(resolve, 600_000));`;
  await writeFile(at('second.js'), scenario('second', waits));
  await writeFile(at('third.js'), scenario('third', 'await stage.settle();'));
});

afterAll(() => rm(folder, { recursive: true }));

/** Interrupts a run of three scenarios during the second. */
async function interrupted(name: string, against: string, interrupt: (child: ChildProcess) => void) {
  const files = ['first', 'second', 'third'].map((one) => at(`${one}.js`));
  const child = spawn(process.execPath, [MAIN, 'rehearse', ...files, '--report', at(name), '--json'], {
    env: { ...process.env, ESTATE_URL: against, UNDER_WAY: at(`${name}-under-way`) },
    // A process group of its own, as a terminal gives it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    said.out += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said.err += chunk;
  });
  const closed = once(child, 'close');
  await eventually('the second scenario', () =>
    access(at(`${name}-under-way`)).then(
      () => true,
      () => false,
    ),
  );
  interrupt(child);
  const [code] = (await closed) as [number | null];
  const { scenarios } = JSON.parse(said.out) as { scenarios: { name: string; rehearsal: string; failure?: string }[] };
  const failures = scenarios.map((one) => [one.name, one.failure]);
  const text = (file: string): Promise<string> => readFile(at(join(name, file)), 'utf8');
  return {
    code,
    err: said.err,
    failures,
    rehearsals: scenarios.map(({ rehearsal }) => rehearsal),
    junit: await text('junit.xml'),
    summary: await text('summary.md'),
  };
}

const expectReport = ({ junit, summary }: { readonly junit: string; readonly summary: string }, signal: string): void => {
  expect(junit).toMatch(/<testsuites name="[^"]+" tests="2" failures="1"/);
  expect(junit).toContain(`message="The run was interrupted by ${signal}."`);
  expect(summary).toMatch(/failed\*\* \| second \| t \| [^|]+ \| 1 step, 1 hop, /);
};

describe('An interrupted rehearse reports the scenarios so far, ends the rehearsal under way, and exits as shells expect,', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)(
    'with %s',
    async (signal, exitCode) => {
      const { code, err, failures, rehearsals, ...report } = await interrupted(signal, estate.gateway, (child) => child.kill(signal));
      const sentence = `The run was interrupted by ${signal}.`;
      expect(failures).toEqual([
        ['first', undefined],
        ['second', sentence],
      ]);
      expect([code, err]).toEqual([exitCode, `${sentence} 1 scenario did not run.\n`]);
      expectReport(report, signal);
      await using any = await newRehearsal();
      const { items } = await any.client.control('list-rehearsals');
      expect(items.map(({ name }) => name).filter((name) => rehearsals.includes(name))).toEqual([]);
    },
    LIMIT_MS,
  );

  test(
    'with Ctrl-C, and stops the estate of its own',
    async () => {
      const { code, err, ...report } = await interrupted('ctrl-c', '', ({ pid = 0 }) => process.kill(-pid, 'SIGINT'));
      expect([code, err]).toEqual([130, 'The run was interrupted by SIGINT. 1 scenario did not run.\n']);
      expectReport(report, 'SIGINT');
    },
    LIMIT_MS,
  );
});

test(
  'A rehearse that has ended, and that a timer of a scenario keeps alive, exits at the first signal',
  async () => {
    await writeFile(at('leaks.js'), `export const s = { name: 'leaks', title: 't', run: () => void setInterval(() => {}, 1_000) };`);
    const child = spawn(process.execPath, [MAIN, 'rehearse', at('leaks.js')], {
      env: { ...process.env, ESTATE_URL: estate.gateway },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk;
    });
    const closed = once(child, 'close');
    await eventually('the summary', async () => out.includes('1 of 1 passed'));
    child.kill('SIGTERM');
    const second = setTimeout(() => child.kill('SIGKILL'), 10_000);
    expect(await closed).toEqual([143, null]);
    clearTimeout(second);
  },
  LIMIT_MS,
);
