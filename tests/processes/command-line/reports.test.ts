import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectSoundInEveryLook } from '../../browser/looks.ts';
import { describeInBrowser, launchChromium } from '../../support/chromium.ts';
import { type Ended, runEstate } from '../../support/command.ts';

const LIMIT_MS = 180_000;

/** Fails after a step that a fault struck. Its texts try to break out of every format. */
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

let folder = '';
let report = '';
let ended: Ended;
const file = (name: string): Promise<string> => readFile(join(report, name), 'utf8');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reports-'));
  report = join(folder, 'out', 'report');
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'failing.ts'), FAILING);
  ended = await runEstate(['rehearse', 'digital-order', join(folder, 'failing.ts'), '--report', report]);
}, LIMIT_MS);

afterAll(() => rm(folder, { recursive: true }));

describe('A run of a scenario of ours and one of the user, with --report', () => {
  test('says on the terminal what passed and what failed, and names the files of the report', () => {
    expect([ended.code, ended.err]).toEqual([1, '']);
    expect(ended.out).toMatch(/^passed {2}digital-order .*\nFAILED {2}own-failing /);
    expect(ended.out).toMatch(/1 of 2 passed in \d+\.\d s; failed: own-failing\nReport: \S+junit\.xml, \S+summary\.md, \S+report\.html\n$/);
  });

  test('gives JUnit one test case for each scenario, with the reason of the failure and without control characters', async () => {
    const xml = await file('junit.xml');
    expect(xml).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites name="[^"]+" tests="2" failures="1"/);
    expect(xml.match(/<testcase /g)).toHaveLength(2);
    expect(xml).toMatch(/<testcase classname="scenarios" name="digital-order" time="\d+\.\d{3}">\n {6}<system-out>/);
    expect(xml).toMatch(/name="own-failing"[^>]* file="[^"]*failing\.ts">\n {6}<failure type="ScenarioFailed" message="the &lt;b&gt;mood/);
    expect(xml).not.toMatch(/<script|[^\P{C}\n]/u);
  });

  test('gives the summary of a job a table, and the steps and the sequence of what failed', async () => {
    const text = await file('summary.md');
    expect(text).toMatch(/^## ❌ 1 of 2 scenarios passed in \d+\.\d s\n/);
    expect(text).toMatch(/^\| ✅ passed \| digital-order \|/m);
    expect(text).toContain('> the &lt;b&gt;mood&lt;/b&gt;: expected "bad", got "good".');
    expect(text).toMatch(/```mermaid\nsequenceDiagram\n {2}participant p1 as Client\n/);
    expect(text).toMatch(/p1-xp2: Reserve Inventory 503 · .*\n {2}p2-xp3: ⚡ Take Hold 503 · .* · down\n/);
    expect(text).not.toMatch(/<script|(?<!\\)`\{x/);
  });

  test('gives a page with steps, sequence, events, invariants and timings, in which nothing of a scenario is markup', async () => {
    const page = await file('report.html');
    for (const heading of ['Steps', 'Sequence', 'Events', 'Invariants', 'Timings']) expect(page).toContain(`>${heading}</h3>`);
    expect(page).toContain('Client to eCommerce Platform: Create Basket, 201');
    expect(page).toContain('SIM to Inventory Service: Take Hold, 503');
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).not.toMatch(/<script|<b>|https?:\/\/(?!127\.0\.0\.1|www\.w3\.org)/);
  });
});

describeInBrowser('The page of a report', () => {
  test(
    'is readable wide and narrow, light and dark, and needs no network; a browser reads the JUnit file as XML',
    async () => {
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
    },
    LIMIT_MS,
  );
});

describe('rehearse ends with 2 before any scenario runs, and says all mistakes at once:', () => {
  test('files that do not exist, do not parse, export no scenario, or take a name that is taken', async () => {
    const named = (name: string) => `export const s = { name: '${name}', title: 't', run: async () => {} };`;
    const files = {
      'broken.ts': 'export const = 1;',
      'empty.ts': 'export const nothing = 1;',
      'notes.md': '# Notes',
      'taken.ts': named('digital-order'),
      'one.ts': named('mine'),
      'two.ts': named('mine'),
      'bad-name.ts': named('My Scenario'),
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const given = ['missing.ts', ...Object.keys(files)].map((name) => join(folder, name));
    const { code, out, err } = await runEstate(['rehearse', 'splt-tender', ...given]);
    expect([code, out]).toEqual([2, '']);
    const sentences = err.replaceAll(`${folder}/`, '').trim().split('\n');
    expect(sentences).toEqual([
      'There is no scenario splt-tender; did you mean split-tender?',
      'missing.ts does not exist; check the path.',
      expect.stringMatching(/^broken\.ts cannot be loaded: .*, in line 1\.$/),
      'empty.ts exports no scenario; export an object with name, title and run.',
      'notes.md cannot be loaded: its extension is unknown; put scenarios in files such as my-scenarios.ts, .mts, .js or .mjs.',
      'taken.ts: a scenario digital-order comes with the estate; choose another name.',
      'two.ts: one.ts has a scenario mine too; choose another name for one of them.',
      'bad-name.ts: name of a scenario cannot be used: Give it lower-case letters, digits and hyphens.',
    ]);
  });

  test('a file with an ES module in a package of CommonJS', async () => {
    const common = join(folder, 'common');
    await mkdir(common);
    await writeFile(join(common, 'package.json'), '{ "type": "commonjs" }');
    await writeFile(join(common, 'one.ts'), `export const s = { name: 'one', title: 't', run: async () => {} };`);
    const { code, err } = await runEstate(['rehearse', join(common, 'one.ts')]);
    expect(code).toBe(2);
    expect(err).toContain(
      'one.ts cannot be loaded: it is an ES module, but its package.json has the type CommonJS; name it .mts or .mjs, or set "type": "module" there.\n',
    );
  });

  test('a folder for the report that cannot be written', async () => {
    await mkdir(join(folder, 'taken', 'report.html'), { recursive: true });
    await mkdir(join(folder, 'full'));
    await symlink('/dev/full', join(folder, 'full', 'summary.md'));
    for (const [path, reason] of [
      [join(folder, 'failing.ts'), 'a file has this name'],
      [join(folder, 'failing.ts', 'below'), 'a part of the path is a file'],
      [join(folder, 'taken'), 'a folder has the name of a file of the report'],
      [join(folder, 'full'), 'the disk is full'],
      ['/proc/report', 'no folder can be made there'],
      ['/proc/report/below', 'no folder can be made there'],
      [join(folder, 'x'.repeat(300)), 'the name is too long'],
    ] as const) {
      const { code, out, err } = await runEstate(['rehearse', '--report', path]);
      expect(err).toBe(`The report cannot be written to ${path}: ${reason}; name another folder with --report.\n`);
      expect([code, out]).toEqual([2, '']);
    }
  });

  test('an empty name of the folder for the report', async () => {
    const { code, out, err } = await runEstate(['rehearse', '--report', '']);
    expect([code, out, err]).toEqual([2, '', '--report needs the name of a folder, such as --report report.\n']);
  });
});

describe('A report that can no longer be written when the run has ended', () => {
  test(
    'is named with its reason, the other files are written, and the exit code is 1',
    async () => {
      const filled = join(folder, 'filled');
      const run = `import { rmSync, symlinkSync } from 'node:fs';
        export const s = { name: 'fills-the-disk', title: 't', run: () => { rmSync(process.env.FILE); symlinkSync('/dev/full', process.env.FILE); } };`;
      await writeFile(join(folder, 'fills.js'), run);
      const file = join(filled, 'junit.xml');
      const { code, out, err } = await runEstate(['rehearse', join(folder, 'fills.js'), '--report', filled], { FILE: file });
      expect(out).toMatch(/\n1 of 1 passed in \d+\.\d s\n$/);
      expect([code, err]).toEqual([1, `The report could not be written: ${file}: the disk is full.\n`]);
      expect(await readFile(join(filled, 'summary.md'), 'utf8')).toContain('1 of 1 scenarios passed');
    },
    LIMIT_MS,
  );
});
