import { mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { commandBlocks } from '../support/documents.ts';
import { succeeds } from '../support/eventually.ts';
import { aFolder } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { runIn } from '../support/scratch-project.ts';
import { textOf } from '../support/tracked-files.ts';

const PAGE = 'docs/how-to/ci.md';
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const blockOf = (language: string): string => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(textOf(PAGE))?.[1] ?? '';
const script = commandBlocks(PAGE).find(({ needs }) => needs === 'ci')?.commands ?? '';

let folder: Awaited<ReturnType<typeof aFolder>>;
let port: number;
beforeEach(async () => {
  [folder, port] = await Promise.all([aFolder(), freePort()]);
  await symlink(ROOT, folder.at('estate'));
});
afterEach(() => folder.remove());

/** Runs the script of the page beside a test. */
async function runScript(ownTest: string) {
  await folder.write('ci.sh', script.replaceAll('8080', String(port)));
  await folder.write('order.test.mjs', ownTest);
  await folder.write('checkout.test.mjs', "throw new Error('a test that the script does not name')");
  const ports = { GATEWAY_PORT: String(port), TOUCHPOINT_PORT: '0', PORTAL_PORT: '0' };
  const { code, out, err } = await runIn(folder.path, 'bash', ['ci.sh'], ports);
  const report = (name: string) => readFile(folder.at('report', name), 'utf8');
  return { code, out: out + err, report };
}

const isListening = () => succeeds(fetch(`http://127.0.0.1:${port}/readyz`));

test('The script of "Run your tests against the estate in CI" runs the test of the page, keeps the report, and stops the estate', async () => {
  const { code, out, report } = await runScript(blockOf('js'));
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('two mugs cost 25.98') });
  expect(await report('junit.xml')).toContain('<testcase name="two mugs cost 25.98"');
  expect(JSON.parse(await report('verify.json'))).toMatchObject({ holds: true, settled: true });
  expect(await report('journal.json')).toContain('create-basket-api');
  expect(await isListening()).toBe(false);
});

test('The script ends with the exit code of a failed test, with its report', async () => {
  const { code, report } = await runScript(blockOf('js').replace('2598', '2599'));
  expect(code).toBe(1);
  expect(await report('junit.xml')).toContain('<failure');
  expect(JSON.parse(await report('verify.json'))).toMatchObject({ holds: true });
  expect(await isListening()).toBe(false);
});

test('The script prints the log of an estate that does not start', async () => {
  await rm(folder.at('estate'));
  await mkdir(folder.at('estate'));
  await folder.write('estate/package.json', { scripts: { start: 'echo the port is taken && exit 1' } });
  const brief = script.replace('--retry 60', '--retry 1');
  expect(brief).not.toBe(script);
  await folder.write('ci.sh', brief.replaceAll('8080', String(port)));
  const { code, out } = await runIn(folder.path, 'bash', ['ci.sh']);
  expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining('the port is taken') });
});

test('The workflow of the page installs the estate where the script finds it, runs the script and keeps its report', () => {
  const { steps } = (parse(blockOf('yaml')) as { jobs: { test: { steps: { run?: string; with?: Record<string, unknown> }[] } } }).jobs.test;
  expect(steps.flatMap(({ run }) => run ?? [])).toEqual(['npm ci --prefix estate', 'bash ci.sh']);
  expect(steps.flatMap(({ with: given }) => given?.['path'] ?? [])).toEqual(['estate', 'report']);
});
