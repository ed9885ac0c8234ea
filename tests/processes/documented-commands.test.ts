import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createEstateClient } from '../../rehearsal/estate-client.ts';
import { signWebhook } from '../../shared/control/webhook-signature.ts';
import { readLabel } from '../services/label-reading.ts';
import { type CommandBlock, commandBlocks, isAsShown, pages } from '../support/documents.ts';
import { aFolder } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { textOf } from '../support/tracked-files.ts';
import { FREE_PORTS, started } from './started.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Blocks that this test does not run, by their mark `needs=`, with the reason and the test that covers them. */
const NOT_RUN: Readonly<Record<string, string>> = {
  docker: 'needs a container engine: tests/containers runs the compose file, the image and the package',
  cluster: 'needs a Kubernetes cluster: tests/unit/kubernetes.test.ts checks the files, tests/containers/kubernetes.test.ts renders them',
  clone: 'changes the project: tests/processes/guides.test.ts runs it in a copy',
  ci: 'starts an estate for a project of the reader: tests/processes/own-ci.test.ts runs it',
  project: 'runs in a project of the reader: tests/package, tests/containers/package.test.ts and languages.test.ts have such projects',
  registry: 'makes the archives that tests/package installs',
  collector: 'needs a collector of traces: tests/observability/traces.test.ts has one',
  swap: 'needs a real system of the reader: tests/control/swaps.test.ts and kept-answers.test.ts have one',
  harden: 'needs the command harden: tests/processes/harden runs it over the same examples',
  time: 'takes minutes: .ci/run runs the tests, and bench is run by hand',
};

/** Commands that check the project itself, with the test or script that runs exactly these commands. */
const COVERED: Readonly<Record<string, string>> = {
  'npm ci && npm start': 'tests/processes/starting.test.ts',
  'npm ci && npm test': '.ci/run',
};

let estate: ChildProcess;
let addresses: Readonly<Record<'gateway' | 'touchpoint' | 'portal', string>>;
/** Where the receiver of a page listens. */
let receiverPort: number;
/** A folder that looks like a clone, for the files that commands leave. */
let clone: Awaited<ReturnType<typeof aFolder>>;

beforeAll(async () => {
  receiverPort = await freePort();
  clone = await aFolder();
  const entries = (await readdir(ROOT)).filter((name) => name !== '.git');
  await Promise.all(entries.map((name) => symlink(join(ROOT, name), clone.at(name))));
  estate = fork(join(ROOT, 'estate/main.ts'), [], { execArgv: [], stdio: 'ignore', env: { ...process.env, ...FREE_PORTS } });
  [addresses] = (await once(estate, 'message')) as [typeof addresses];
});

afterAll(async () => {
  estate.kill('SIGTERM');
  await clone.remove();
});

const blocks = pages.flatMap(commandBlocks);
const isRun = ({ needs, commands, startsEstate }: CommandBlock): boolean =>
  needs === undefined && !startsEstate && !(commands.trim() in COVERED);

/** Commands as printed, with the addresses of this run. */
const atThisEstate = (commands: string): string =>
  commands
    .replaceAll(/http:\/\/(127\.0\.0\.1|localhost):8080/g, addresses.gateway)
    .replaceAll(/http:\/\/(127\.0\.0\.1|localhost):15115/g, addresses.touchpoint)
    .replaceAll(/http:\/\/(127\.0\.0\.1|localhost):15116/g, addresses.portal)
    .replaceAll(/\b3000\b/g, String(receiverPort));

/** Runs blocks one after the other in one shell. @returns the output of each */
async function outputsOf(page: readonly CommandBlock[]): Promise<string[]> {
  const mark = '=== end of a block ===';
  const script = page.map(({ commands }) => `${atThisEstate(commands)}\necho; echo '${mark}'`).join('\n');
  const env = { ...process.env, ESTATE_URL: addresses.gateway };
  // A block that fails leaves its programs behind, and they would keep the output open.
  const ending = "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT";
  await using shell = started('bash', ['-eo', 'pipefail', '-c', `exec 2>&1\n${ending}\n${script}`], { cwd: clone.path, env });
  const code = await shell.ended;
  const outputs = shell.output.out.split(mark).map((text) => text.trim().replaceAll(String(receiverPort), '3000'));
  const failed = page[outputs.length - 1];
  if (code !== 0) throw new Error(`${failed?.file}:${failed?.line} ended with ${code}:\n${outputs.at(-1)}`);
  return outputs.slice(0, -1);
}

/** Refusals in an output, as the functions of the tutorials print them or as JSON. */
const refusalsIn = (output: string): string[] =>
  [...output.matchAll(/^status +([45]\d\d)$|"status": ?([45]\d\d),(?=.*"code":)/gm)].map(([, printed, raw]) => printed ?? raw ?? '');

test.each(pages.filter((file) => commandBlocks(file).some(isRun)))(
  'The commands of %s give the output that the page shows',
  async (file) => {
    const page = commandBlocks(file).filter(isRun);
    const outputs = await outputsOf(page);
    for (const [index, block] of page.entries()) {
      const { line, output } = block;
      const at = `${file}:${line}`;
      const actual = outputs[index] ?? '';
      // The texts are compared, so that a failure shows the difference.
      const differs = output !== undefined && !isAsShown(actual, block);
      expect({ at, output: differs ? actual : output, refusals: refusalsIn(actual) }).toEqual({
        at,
        output,
        refusals: refusalsIn(output ?? ''),
      });
    }
  },
);

test('The commands leave a flowing clock, no fault, no rehearsal, and records that agree', async () => {
  const outside = { bearer: 'demo-integration-token', apiKey: 'demo-carrier-key', admin: 'demo-control-token' };
  await using client = createEstateClient({ ...outside, gateway: addresses.gateway, rehearsal: 'default' });
  const { flowing, now } = await client.control('read-clock');
  expect(flowing).toBe(true);
  expect(Math.abs(Date.parse(now) - Date.now())).toBeLessThan(60_000);
  expect((await client.control('list-faults')).items).toEqual([]);
  expect((await client.control('list-rehearsals')).items.map(({ name }) => name)).toEqual(['default']);
  expect(await client.control('verify')).toMatchObject({ holds: true, settled: true });
});

test('The commands save a shipping label whose barcode can be read', async () =>
  expect(await readLabel(await readFile(clone.at('label.pdf')))).toMatchObject({ pages: 1, format: 'CODE_128' }));

const starting = blocks.filter(({ startsEstate, needs }) => startsEstate && needs === undefined);
test.each(starting.map((block) => [`${block.file}:${block.line}`, block] as const))(
  'The command at %s starts an estate that ends on request',
  async (_place, { commands }) => {
    const env = { ...process.env, ...FREE_PORTS };
    await using shell = started('bash', ['-eo', 'pipefail', '-c', `exec 2>&1\n${commands}`], { cwd: clone.path, detached: true, env });
    try {
      await shell.ready();
    } finally {
      if (shell.child.pid !== undefined) process.kill(-shell.child.pid, 'SIGINT');
      await shell.ended;
    }
  },
);

test('Each block that is not run has a known reason', () => {
  const unknown = blocks.filter(({ needs }) => needs !== undefined && NOT_RUN[needs] === undefined);
  expect(unknown.map(({ file, line, needs }) => `${file}:${line} needs=${needs}`)).toEqual([]);
});

const notRun = blocks.filter((block) => !isRun(block) && !block.startsEstate);
const reasonOf = ({ needs = '', commands }: CommandBlock) => NOT_RUN[needs] ?? `run by ${COVERED[commands.trim()]}`;
test.each(notRun.map((block) => [`${block.file}:${block.line}`, reasonOf(block), block.commands]))(
  'The commands at %s have a valid syntax (%s)',
  async (_place, _reason, commands) => void (await run('bash', ['-n', '-c', commands])),
);

const unquoted = (commands: string): string => commands.replaceAll(/'[^']*'|"(?:\\.|[^"\\])*"/g, '');
const withoutPolicy = (commands: string): string => commands.replaceAll(/<<'POLICY'[\s\S]*?^POLICY$/gm, '');
test.each<[string, (block: CommandBlock) => boolean]>([
  ['comments', ({ commands }) => /(^|\s)# /m.test(withoutPolicy(commands))],
  ['unquoted patterns', ({ commands, needs }) => needs === undefined && /[*?[]/.test(unquoted(commands))],
  ['assignments of reserved variables', ({ commands }) => /\bfor (status|path)\b|^(status|path)=/m.test(commands)],
])('Shell commands have no %s', (_what, isRefused) =>
  expect(blocks.filter(isRefused).map(({ file, line }) => `${file}:${line}`)).toEqual([]),
);

test('The code of the documentation that signs a webhook gives the signature of the estate', async () => {
  const page = textOf('docs/how-to/webhooks.md');
  const [, code = ''] = /```js\n(import \{ createHmac \}[\s\S]*?)^```$/m.exec(page) ?? [];
  const [secret = ''] = /whsec_[A-Za-z0-9+/=]+/.exec(page) ?? [];
  const at = Date.UTC(2026, 2, 1, 10);
  const body = JSON.stringify({ type: 'shipment.tracking.updated', data: { message: 'Grüße vom Depot' } });
  const call = `sign(${[secret, 'my-scan-2', String(at / 1_000), body].map((text) => JSON.stringify(text)).join(', ')})`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', `${code}\nconsole.log(${call});`]);
  expect(stdout.trim()).toBe(signWebhook(secret, { id: 'my-scan-2', at, body })['webhook-signature']);
});

test('The scenario that the documentation shows is the one that it runs', () =>
  expect(textOf('docs/how-to/own-scenarios.md')).toContain(`\`\`\`ts\n${textOf('docs/how-to/own-scenario.ts')}\`\`\`\n`));
