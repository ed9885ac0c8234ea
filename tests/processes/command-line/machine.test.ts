import { mkdir, readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { serving } from '../../conform/serving.ts';
import { COMMAND, MAIN, runEstate, runProgram } from '../../support/command.ts';
import { estate, newRehearsal } from '../../support/estate.ts';
import { FREE_PORTS } from '../started.ts';
import { scratchFolder } from './scratch.ts';

const NOBODY = '127.0.0.1:1';
const LOADED_FIRST = fileURLToPath(new URL('../../../command-line/loaded-first.cjs', import.meta.url));
const { at } = await scratchFolder();

interface Finding {
  readonly what: string;
  readonly state: string;
  readonly found: string;
  readonly remedy?: string;
}

async function examine(args: readonly string[], env: Readonly<Record<string, string | undefined>> = {}) {
  const { code, out } = await runEstate(['doctor', '--json', ...args], { ...FREE_PORTS, ...env });
  const { healthy, findings } = JSON.parse(out) as { readonly healthy: boolean; readonly findings: readonly Finding[] };
  const found = (wanted: string) => findings.filter(({ state }) => state === wanted);
  return { code, healthy, problems: found('problem'), notes: found('note') };
}

test('The command doctor finds no problem with a running estate', async () => {
  expect(await examine([])).toMatchObject({ code: 0, healthy: true, problems: [] });
  const { out } = await runEstate(['doctor'], FREE_PORTS);
  expect(out).toMatch(new RegExp(`^ok {7}Estate +ready at ${estate.gateway}$`, 'm'));
  expect(out).toMatch(/^ok {7}Credentials +accepted$/m);
});

test.each([
  ['a wrong credential', ['--bearer', 'bad'], {}, 'Credentials', /--bearer/],
  ['a missing estate', ['--against', 'http://127.0.0.1:1'], {}, 'Estate', /--against/, /:1: nothing listens there\.$/],
  ['a missing Redis', [], { REDIS_URL: `redis://${NOBODY}` }, 'Redis', /REDIS_URL/, /^No Redis can be reached at 127\.0\.0\.1:1: nothing/],
  ['a missing Kafka', [], { KAFKA_BROKERS: NOBODY }, 'Kafka', /KAFKA_BROKERS/, /^No broker can be reached at 127\.0\.0\.1:1: nothing/],
  ['an invalid variable', [], { GATEWAY_PORT: 'abc' }, 'Configuration', /Correct/],
  ['missing fixtures', [], { FIXTURES_DIR: '/nowhere' }, 'Fixtures', /FIXTURES_DIR/],
])('The command doctor names %s with a remedy, and ends with 1', async (_what, args, env, what, remedy, found = /./) => {
  const { code, healthy, problems } = await examine(args, env);
  expect([code, healthy]).toEqual([1, false]);
  expect(problems).toMatchObject([{ what, remedy: expect.stringMatching(remedy), found: expect.stringMatching(found) }]);
  expect(problems[0]?.found).not.toMatch(/\bE[A-Z]{4,}\b/);
});

test('The command doctor names the variable of a taken port, which is a problem unless the user names an estate', async () => {
  await using taken = await serving(() => undefined);
  const { port } = new URL(taken.url);
  const found = `${port} is taken by another program`;
  const finding = expect.objectContaining({ what: 'Touchpoint port', found, remedy: expect.stringContaining('TOUCHPOINT_PORT') });
  expect((await examine([], { TOUCHPOINT_PORT: port, ESTATE_URL: undefined })).problems).toContainEqual(finding);
  const named = await examine([], { TOUCHPOINT_PORT: port });
  expect(named.problems).toEqual([]);
  expect(named.notes).toContainEqual(finding);
});

test('The command env prints variables that the shell and the next command take', async () => {
  await using rehearsal = await newRehearsal();
  const script = `eval "$(${COMMAND} env --rehearsal ${rehearsal.name})"; ${COMMAND} rehearsals reset --json`;
  const { code, out } = await runProgram('sh', ['-c', script]);
  expect([code, JSON.parse(out)]).toMatchObject([0, { name: rehearsal.name }]);
});

test('The command env quotes for the shell, and prints dotenv and JSON', async () => {
  expect((await runEstate(['env', '--admin', "it's"])).out).toContain(String.raw`export ESTATE_ADMIN_TOKEN='it'\''s'`);
  expect((await runEstate(['env', '--format', 'dotenv'])).out).toContain(`ESTATE_URL="${estate.gateway}"\n`);
  const json = JSON.parse((await runEstate(['env', '--format', 'json'])).out);
  expect(json).toMatchObject({ ESTATE_URL: estate.gateway, ESTATE_REHEARSAL: 'default' });
});

test('The completion of bash completes commands, verbs, options, scenarios, presets of faults and APIs', async () => {
  const { out: script } = await runEstate(['completion', 'bash']);
  const complete = async (line: string) => {
    const typed = line.split(' ');
    const words = ['estate', ...typed].map((word) => `'${word}'`).join(' ');
    const asked = `${script}\nCOMP_WORDS=(${words}); COMP_CWORD=${typed.length}; _estate; echo "\${COMPREPLY[@]}"`;
    return (await runProgram('bash', ['-c', asked])).out.trim();
  };
  const lines = [
    'clo',
    'clock fr',
    'fault set slow --appl',
    'rehearse split-t',
    'fault set payment-hub',
    'call confirm-o',
    'call create-basket-api --dr',
  ];
  expect(await Promise.all(lines.map(complete))).toEqual([
    'clock',
    'freeze',
    '--application',
    'split-tender',
    'payment-hub-down',
    'confirm-order-api',
    '--dry-run',
  ]);
});

test.each(['zsh', 'fish'])('The completion of %s names every command', async (shell) => {
  const { out } = await runEstate(['completion', shell]);
  for (const word of ['rehearsals', 'clock', 'freeze', 'split-tender']) expect(out).toContain(word);
});

const TOO_OLD = 'The estate needs Node 22.19 or newer; this is';
test.each([
  ['22.18.0', TOO_OLD],
  ['22.19.0', undefined],
])('The command on Node %s reports: %s', async (version, sentence) => {
  const script = `Object.defineProperty(process.versions, 'node', { value: '${version}' }); require(${JSON.stringify(LOADED_FIRST)})`;
  const err = sentence === undefined ? '' : `${sentence} ${version}. In a clone, run npm ci first: it brings its own Node.\n`;
  expect(await runProgram(process.execPath, ['-e', script])).toEqual({ code: sentence === undefined ? 0 : 2, out: '', err });
});

test('The command loads no compiler of TypeScript once its files are compiled', async () => {
  await mkdir(at('compiled'));
  const report = `process.on('exit', () => console.error(process.moduleLoadList.some((name) => name.includes('amaro'))))`;
  const run = `${report}; process.argv.push('estate', '--version'); import(${JSON.stringify(MAIN)})`;
  const version = () => runProgram(process.execPath, ['-r', LOADED_FIRST, '-e', run], { TMPDIR: at('compiled'), NODE_COMPILE_CACHE: '' });
  expect([(await version()).err, (await version()).err]).toEqual(['true\n', 'false\n']);
  expect((await version()).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(await readdir(at('compiled'))).toEqual(['node-compile-cache']);
});

test.each([
  [[], { GATEWAY_PORT: 'abc' }, 'GATEWAY_PORT=abc cannot be used: it takes a whole number from 0 to 65535.'],
  [['--fixtures', '/nowhere'], {}, 'The folder /nowhere does not exist; correct or remove --fixtures.'],
])('The command start with %j and %j ends with 2, and names the option or variable', async (options, variables, sentence) =>
  expect(await runEstate(['start', ...options], variables)).toEqual({ code: 2, out: '', err: `${sentence}\n` }),
);

test.each([['help'], ['--help']])('The word %s prints the commands, each with one sentence', async (word) => {
  const lines = /^ {2}stream +Streams the changes of a rehearsal as\s+server-sent events\.\n {2}listen +/m;
  expect(await runEstate([word])).toMatchObject({ code: 0, out: expect.stringMatching(lines) });
});
