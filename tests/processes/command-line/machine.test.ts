import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { COMMAND, MAIN, runEstate, runProgram } from '../../support/command.ts';
import { estate, newRehearsal } from '../../support/estate.ts';

const LOADED_FIRST = fileURLToPath(new URL('../../../command-line/loaded-first.cjs', import.meta.url));
const FREE_PORTS = { GATEWAY_PORT: '0', TOUCHPOINT_PORT: '0', PORTAL_PORT: '0' };

interface Examined {
  readonly healthy: boolean;
  readonly findings: readonly { readonly what: string; readonly state: string; readonly found: string; readonly remedy?: string }[];
}

async function examine(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { code, out } = await runEstate(['doctor', '--json', ...args], { ...FREE_PORTS, ...env });
  const { healthy, findings } = JSON.parse(out) as Examined;
  return { code, healthy, problems: findings.filter(({ state }) => state === 'problem'), findings };
}

describe('doctor', () => {
  test('finds nothing wrong with a running estate', async () => {
    expect(await examine([])).toMatchObject({ code: 0, healthy: true, problems: [] });
    const { out } = await runEstate(['doctor'], FREE_PORTS);
    expect(out).toMatch(new RegExp(`^ok {7}Estate +ready at ${estate.gateway}$`, 'm'));
    expect(out).toMatch(/^ok {7}Credentials +accepted$/m);
  });

  test.each([
    ['a wrong credential', ['--bearer', 'bad'], {}, 'Credentials', /--bearer/],
    ['an estate that is not there', ['--against', 'http://127.0.0.1:1'], {}, 'Estate', /--against/, /:1: nothing listens there\.$/],
    [
      'a Redis that is away',
      [],
      { REDIS_URL: 'redis://127.0.0.1:1' },
      'Redis',
      /REDIS_URL/,
      /^No Redis can be reached at 127\.0\.0\.1:1: nothing/,
    ],
    [
      'a Kafka that is away',
      [],
      { KAFKA_BROKERS: '127.0.0.1:1' },
      'Kafka',
      /KAFKA_BROKERS/,
      /^No broker can be reached at 127\.0\.0\.1:1: nothing/,
    ],
    ['a variable that cannot be used', [], { GATEWAY_PORT: 'abc' }, 'Configuration', /Correct/],
    ['fixtures that are missing', [], { FIXTURES_DIR: '/nowhere' }, 'Fixtures', /FIXTURES_DIR/],
  ])('names %s and a remedy, and ends with 1', async (_what, args, env, what, remedy, found = /./) => {
    const { code, healthy, problems } = await examine(args, env);
    expect([code, healthy]).toEqual([1, false]);
    expect(problems).toMatchObject([{ what, remedy: expect.stringMatching(remedy), found: expect.stringMatching(found) }]);
    expect(problems[0]?.found).not.toMatch(/\bE[A-Z]{4,}\b/);
  });

  test('names the variable of a port that another program has', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const { problems } = await examine([], { TOUCHPOINT_PORT: String(port) });
    expect(problems).toMatchObject([
      { what: 'Touchpoint port', found: `${port} is taken by another program`, remedy: expect.stringContaining('TOUCHPOINT_PORT') },
    ]);
    taken.close();
  });
});

describe('env', () => {
  test('prints variables that the shell and the next command understand', async () => {
    await using rehearsal = await newRehearsal();
    const script = `eval "$(${COMMAND} env --rehearsal ${rehearsal.name})"; ${COMMAND} rehearsals reset --json`;
    const { code, out } = await runProgram('sh', ['-c', script]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ name: rehearsal.name });
  });

  test('quotes for the shell, and prints dotenv and JSON', async () => {
    expect((await runEstate(['env', '--admin', "it's"])).out).toContain(String.raw`export ESTATE_ADMIN_TOKEN='it'\''s'`);
    expect((await runEstate(['env', '--format', 'dotenv'])).out).toContain(`ESTATE_URL="${estate.gateway}"\n`);
    expect(JSON.parse((await runEstate(['env', '--format', 'json'])).out)).toMatchObject({
      ESTATE_URL: estate.gateway,
      ESTATE_REHEARSAL: 'default',
    });
  });
});

describe('completion', () => {
  test('completes commands, verbs, options, scenarios and presets of faults in bash', async () => {
    const { out: script } = await runEstate(['completion', 'bash']);
    const complete = async (...typed: readonly string[]) => {
      const words = ['estate', ...typed].map((word) => `'${word}'`).join(' ');
      const line = `${script}\nCOMP_WORDS=(${words}); COMP_CWORD=${typed.length}; _estate; echo "\${COMPREPLY[@]}"`;
      return (await runProgram('bash', ['-c', line])).out.trim();
    };
    expect(await complete('clo')).toBe('clock');
    expect(await complete('clock', 'fr')).toBe('freeze');
    expect(await complete('fault', 'set', 'slow', '--appl')).toBe('--application');
    expect(await complete('rehearse', 'split')).toBe('split-tender');
    expect(await complete('fault', 'set', 'payment-hub')).toBe('payment-hub-down');
  });

  test.each(['zsh', 'fish'])('prints a script for %s that names every command', async (shell) => {
    const { out } = await runEstate(['completion', shell]);
    for (const word of ['rehearsals', 'clock', 'freeze', 'split-tender']) expect(out).toContain(word);
  });
});

describe('start', () => {
  const onNode = (version: string) =>
    runProgram(process.execPath, [
      '-e',
      `Object.defineProperty(process.versions, 'node', { value: '${version}' }); require(${JSON.stringify(LOADED_FIRST)})`,
    ]);

  test.each(['20.1.0', '22.18.0'])('on Node %s, which is too old, says so in one sentence', async (version) => {
    const { code, err } = await onNode(version);
    expect([code, err]).toEqual([
      2,
      `The estate needs Node 22.19 or newer; this is ${version}. In a clone, run npm ci first: it brings its own Node.\n`,
    ]);
  });

  test.each(['22.19.0', '23.0.0', '24.21.0'])('on Node %s says nothing about it', async (version) => {
    expect(await onNode(version)).toEqual({ code: 0, out: '', err: '' });
  });

  test('loads no compiler of TypeScript once its files are compiled', async () => {
    const compiled = await mkdtemp(join(tmpdir(), 'compiled-'));
    const report = `process.on('exit', () => console.error(process.moduleLoadList.some((name) => name.includes('amaro'))))`;
    const loadsCompiler = async (): Promise<string> => {
      const run = `${report}; process.argv.push('estate', '--version'); import(${JSON.stringify(MAIN)})`;
      return (await runProgram(process.execPath, ['-r', LOADED_FIRST, '-e', run], { TMPDIR: compiled, NODE_COMPILE_CACHE: '' })).err;
    };
    expect([await loadsCompiler(), await loadsCompiler()]).toEqual(['true\n', 'false\n']);
    await rm(compiled, { recursive: true });
  });

  test.each([
    [['--port', 'abc'], {}, '--port abc cannot be used: it takes a whole number from 0 to 65535.'],
    [[], { GATEWAY_PORT: 'abc' }, 'GATEWAY_PORT=abc cannot be used: it takes a whole number from 0 to 65535.'],
    [['--fixtures', '/nowhere'], {}, 'The folder /nowhere does not exist; correct or remove --fixtures.'],
    [['--fixtures', MAIN], {}, `${MAIN} is not a folder; --fixtures takes the folder that has the files.`],
    [[], { FIXTURES_DIR: '/nowhere' }, 'The folder /nowhere does not exist; correct or remove FIXTURES_DIR.'],
    [
      [],
      { REDIS_URL: 'somewhere' },
      'REDIS_URL cannot be used: it takes redis://[user:password@]host:port[/db] with a number as db, or several nodes of a cluster, without db, separated by commas; % in a password is written as %25.',
    ],
  ])('with %j and %j, which cannot be used, ends with 2 and names the option or variable', async (options, variables, sentence) => {
    expect(await runEstate(['start', ...options], variables)).toEqual({ code: 2, out: '', err: `${sentence}\n` });
  });
});

test.each([['help'], ['--help']])('%s prints the commands, each with one sentence', async (word) => {
  const { code, out } = await runEstate([word]);
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/^ {2}stream {7}Streams the changes of a rehearsal as server-sent events\.\n {2}doctor /m),
  ]);
});

test('--version prints the version of the package', async () => {
  expect((await runEstate(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('A command keeps its compiled code for the next', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'compiled-'));
  expect(await runEstate(['--version'], { TMPDIR: folder, NODE_COMPILE_CACHE: '' })).toMatchObject({ code: 0, err: '' });
  expect(await readdir(folder)).toEqual(['node-compile-cache']);
  await rm(folder, { recursive: true });
});
