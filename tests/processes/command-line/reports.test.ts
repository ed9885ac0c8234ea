import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { strToU8, zipSync } from 'fflate';
import { createEstateClient } from '../../../rehearsal/estate-client.ts';
import { DEMO_CREDENTIALS } from '../../../rehearsal/estate-rehearsal.ts';
import { expectSoundInEveryLook } from '../../browser/looks.ts';
import { describeInBrowser, launchChromium } from '../../support/chromium.ts';
import { MAIN, runEstate } from '../../support/command.ts';
import { estate } from '../../support/estate.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { started } from '../started.ts';
import { scenariosOf, scratchFolder } from './scratch.ts';

/** A scenario that fails after a step with a fault. Its texts contain the syntax of every report format. */
const FAILING = `
const scenario: { name: string; title: string; run(stage: any): Promise<void> } = {
  name: 'own-failing',
  title: '"]]><script>alert(1)</script>| \`{x}\` \\u0007',
  async run(stage) {
    await stage.fault('down', { match: { application: 'inventory-service' }, fault: { kind: 'outage' } });
    const body = { items: [{ sku: 'mug-blue', qty: 1 }] };
    await stage.step({ title: 'Reserve', call: 'POST /inventory/reservations', body, status: 503 });
    stage.expect('the <b>mood</b>\\u0000', 'good', 'bad');
  },
};
export default scenario;
`;

const { at, write } = await scratchFolder();
const report = at('out', 'report');
const ended = await runEstate(['rehearse', 'digital-order', await write('failing.ts', FAILING), '--report', report]);
const file = (name: string): Promise<string> => readFile(join(report, name), 'utf8');

test('A run with a report prints what passed and what failed, and names the files', () => {
  expect([ended.code, ended.err]).toEqual([1, '']);
  expect(ended.out).toMatch(/^passed {2}digital-order .*\nFAILED {2}own-failing /);
  expect(ended.out).toMatch(
    /1 of 2 passed in \d+\.\d s; failed: own-failing\nReport: \S+junit\.xml, \S+summary\.md, \S+report\.html, \S+own-failing\.estate\.zip\n$/,
  );
});

test('The JUnit file has one test case per scenario, with the reason of the failure and without control characters', async () => {
  const xml = await file('junit.xml');
  expect(xml).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites name="[^"]+" tests="2" failures="1"/);
  expect(xml.match(/<testcase /g)).toHaveLength(2);
  expect(xml).toMatch(/<testcase classname="scenarios" name="digital-order" time="\d+\.\d{3}">\n {6}<system-out>/);
  expect(xml).toMatch(/name="own-failing"[^>]* file="[^"]*failing\.ts">\n {6}<failure type="ScenarioFailed" message="the &lt;b&gt;mood/);
  expect(xml).not.toMatch(/<script|[^\P{C}\n]/u);
});

test('The summary has a table, and the steps and the sequence of the failed scenario', async () => {
  const text = await file('summary.md');
  expect(text).toMatch(/^## ❌ 1 of 2 scenarios passed in \d+\.\d s\n/);
  expect(text).toMatch(/^\| ✅ passed \| digital-order \|/m);
  expect(text).toContain('> the &lt;b&gt;mood&lt;/b&gt;: expected "bad", got "good".');
  expect(text).toMatch(/```mermaid\nsequenceDiagram\n {2}autonumber\n {2}participant p1 as Client\n/);
  expect(text).toMatch(/p1-xp2: Reserve Inventory 503 · .*\n {2}p2-xp3: ⚡ Take Hold 503 · .* · down\n/);
  expect(text).not.toMatch(/<script|(?<!\\)`\{x/);
});

test('The page has steps, sequence, events, invariants and timings, and escapes the texts of a scenario', async () => {
  const page = await file('report.html');
  for (const heading of ['Steps', 'Sequence', 'Events', 'Invariants', 'Timings']) expect(page).toContain(`>${heading}</h3>`);
  expect(page).toContain('Client to eCommerce Platform: Create Basket, 201');
  expect(page).toContain('SIM to Inventory Service: Take Hold, 503');
  expect(page).toContain('&lt;script>alert(1)&lt;/script>');
  expect(page).not.toMatch(/<script|<b>|https?:\/\/(?!127\.0\.0\.1|www\.w3\.org)/);
});

const OPENED = 'estate open own-failing.estate.zip';

test('A failed scenario leaves its world as a file, and every report names it; a passed one leaves none', async () => {
  expect((await readdir(report)).filter((name) => name.endsWith('.zip'))).toEqual(['own-failing.estate.zip']);
  for (const name of ['junit.xml', 'summary.md', 'report.html']) expect((await file(name)).replaceAll('\\', '')).toContain(OPENED);
  expect(await file('report.html')).toContain('<a href="own-failing.estate.zip"');
});

/** A rehearsal that a command opened. It is deleted with its snapshot at the end. */
async function openedRehearsal(name: string) {
  const client = createEstateClient({ gateway: estate.gateway, ...DEMO_CREDENTIALS, rehearsal: name });
  return {
    client,
    [Symbol.asyncDispose]: async () => {
      await client.control('delete-rehearsal', { params: { name } });
      await client.control('delete-snapshot', { params: { name } });
      await client.close();
    },
  };
}

test('The command open shows the world of the failure at its last step, with its faults and its journal', async () => {
  const { code, out, err } = await runEstate(['open', join(report, 'own-failing.estate.zip'), '--json']);
  expect([code, err]).toEqual([0, '']);
  const { rehearsal, console: page, failure } = JSON.parse(out);
  await using opened = await openedRehearsal(rehearsal);
  const { control } = opened.client;
  expect(failure).toMatchObject({ scenario: { file: 'failing.ts' }, step: { title: 'Reserve', status: 503 } });
  expect(page).toBe(`${estate.gateway}/console/r/${rehearsal}/activity/rehearse-1`);
  const { items } = await control('read-journal', { query: { correlationId: 'rehearse-1' } });
  expect(items.map(({ api, status, faults }) => [api, status, faults])).toEqual([
    ['take-hold', 503, ['down']],
    ['reserve-inventory-api', 503, []],
  ]);
  expect((await control('list-traces')).items).toMatchObject([{ correlationId: 'rehearse-1', requests: 1, calls: 1, failed: 2 }]);
  expect((await control('list-faults')).items).toMatchObject([{ name: 'down' }]);
});

test('The command open starts an estate that runs until Ctrl-C', async () => {
  const port = String(await freePort());
  const env = { ...process.env, ESTATE_URL: '', GATEWAY_PORT: port };
  await using run = started(process.execPath, [MAIN, 'open', join(report, 'own-failing.estate.zip')], { env, detached: true });
  await eventually('the console', async () => run.output.out.includes('until Ctrl-C'));
  expect(run.output.out).toMatch(
    /Failed +the <b>mood<\/b>: expected "bad", got "good"\.\n +Last step +Reserve \(POST \/inventory\/reservations, 503\)/,
  );
  const page = /Console +(\S+)/.exec(run.output.out)?.[1] ?? '';
  expect(new URL(page).port).toBe(port);
  expect((await fetch(page)).status).toBe(200);
  expect(await run.stop('SIGINT')).toBe(0);
  await expect(fetch(page)).rejects.toThrow();
});

test('A file that cannot be opened is refused with its place and the remedy', async () => {
  const zip = (snapshot: object) => zipSync({ 'snapshot.json': strToU8(JSON.stringify(snapshot)) });
  const format = 'unified-commerce-estate-snapshot';
  const wrong: readonly (readonly [string, Uint8Array, RegExp])[] = [
    ['text.zip', strToU8('text'), /^\S+text\.zip cannot be opened\.\nIt is not a ZIP archive, or is cut off: copy it again/],
    [
      'changed.zip',
      zip({ format, version: 1 }),
      /\nsnapshot\.json\/digest: .*take snapshot\.json out of the archive, run estate snapshot upload snapshot\.json --reseal --unverified, and open/,
    ],
    ['newer.zip', zip({ format, version: 99 }), /\nsnapshot\.json\/version: This estate reads version 1 of snapshots, not 99\./],
  ];
  for (const [name, bytes, sentence] of wrong) {
    await writeFile(at(name), bytes);
    const { code, out, err } = await runEstate(['open', at(name)]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(sentence);
  }
  expect((await runEstate(['open', at('none.zip')])).err).toBe(`${at('none.zip')} does not exist; check the path.\n`);
});

describeInBrowser('The report in a browser', () => {
  test('The page is readable wide and narrow, light and dark, without network; the JUnit file is XML', async () => {
    await using browser = await launchChromium();
    const context = await browser.newContext();
    const page = await context.newPage();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(`file://${join(report, 'report.html')}`);
    await page.getByRole('link', { name: 'digital-order' }).click();
    await page.getByRole('group', { name: 'Sequence diagram' }).first().waitFor();
    await expectSoundInEveryLook(page);
    expect(requests).toEqual([`file://${join(report, 'report.html')}`]);
    const names = `[...new DOMParser().parseFromString(${JSON.stringify(await file('junit.xml'))}, 'application/xml').querySelectorAll('parsererror, testcase')].map((one) => one.getAttribute('name'))`;
    expect(await page.evaluate(names)).toEqual(['digital-order', 'own-failing']);
  });
});

test('Files that are missing, do not parse, export no scenario, or repeat a name are refused together, before any scenario runs', async () => {
  const files = {
    'broken.ts': 'export const = 1;',
    'empty.ts': 'export const nothing = 1;',
    'notes.md': '# Notes',
    'taken.ts': scenariosOf({ 'digital-order': '' }),
    'one.ts': scenariosOf({ mine: '' }),
    'two.ts': scenariosOf({ mine: '' }),
    'bad-name.ts': scenariosOf({ 'My Scenario': '' }),
  };
  const given = [at('missing.ts')];
  for (const [name, text] of Object.entries(files)) given.push(await write(name, text));
  const { code, out, err } = await runEstate(['rehearse', 'splt-tender', ...given]);
  expect([code, out]).toEqual([2, '']);
  const sentences = err.replaceAll(`${at()}/`, '').trim().split('\n');
  expect(sentences).toEqual([
    'There is no scenario splt-tender; did you mean split-tender?',
    'missing.ts does not exist; check the path.',
    expect.stringMatching(/^broken\.ts cannot be loaded: .*, in line 1\.$/),
    'empty.ts exports no scenario; export an object with name, title and run.',
    'notes.md cannot be loaded: its extension is unknown; put scenarios in files such as my-scenarios.ts, .mts, .js or .mjs.',
    'taken.ts: the estate has a scenario digital-order already; choose another name.',
    'two.ts: one.ts has a scenario mine too; choose another name for one of them.',
    'bad-name.ts: name of a scenario cannot be used: Give it lower-case letters, digits and hyphens.',
  ]);
});

test('An ES module in a package of CommonJS is refused', async () => {
  await mkdir(at('common'));
  await write('common/package.json', '{ "type": "commonjs" }');
  const { code, err } = await runEstate(['rehearse', await write('common/one.ts', scenariosOf({ one: '' }))]);
  expect(code).toBe(2);
  expect(err).toContain(
    'one.ts cannot be loaded: it is an ES module, but its package.json has the type CommonJS; name it .mts or .mjs, or set "type": "module" there.\n',
  );
});

test('A folder for the report that cannot be written is refused', async () => {
  await mkdir(at('taken', 'report.html'), { recursive: true });
  await mkdir(at('full'));
  await symlink('/dev/full', at('full', 'summary.md'));
  for (const [path, reason] of [
    [at('failing.ts'), 'a file has this name'],
    [at('failing.ts', 'below'), 'a part of the path is a file'],
    [at('taken'), 'a folder has the name of a file of the report'],
    [at('full'), 'the disk is full'],
    ['/proc/report', 'no folder can be made there'],
    ['/proc/report/below', 'no folder can be made there'],
    [at('x'.repeat(300)), 'the name is too long'],
  ] as const) {
    const { code, out, err } = await runEstate(['rehearse', '--report', path]);
    expect(err).toBe(`The report cannot be written to ${path}: ${reason}; name another folder with --report.\n`);
    expect([code, out]).toEqual([2, '']);
  }
  const unnamed = { code: 2, out: '', err: '--report needs the name of a folder, such as --report report.\n' };
  expect(await runEstate(['rehearse', '--report', ''])).toEqual(unnamed);
});

test('A file of the report that can no longer be written is named, the others are written, and the exit code is 1', async () => {
  const filled = at('filled');
  const fill = `const { rmSync, symlinkSync } = await import('node:fs'); rmSync(process.env.FILE); symlinkSync('/dev/full', process.env.FILE);`;
  const file = join(filled, 'junit.xml');
  const { code, out, err } = await runEstate(
    ['rehearse', await write('fills.js', scenariosOf({ 'fills-the-disk': fill })), '--report', filled],
    { FILE: file },
  );
  expect(out).toMatch(/\n1 of 1 passed in \d+\.\d s\n$/);
  expect([code, err]).toEqual([1, `The report could not be written: ${file}: the disk is full.\n`]);
  expect(await readFile(join(filled, 'summary.md'), 'utf8')).toContain('1 of 1 scenarios passed');
});
