import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { hardenJunit } from '../../../command-line/harden/report/junit.ts';
import { hardenMarkdown } from '../../../command-line/harden/report/markdown.ts';
import { prepareHardenReport, writeHardenReport } from '../../../command-line/harden/report/report.ts';
import { loadDrawing } from '../../../command-line/output/drawings.ts';
import { hardenRunSchema } from '../../../rehearsal/harden/run-schema.ts';
import { aFolder } from '../../support/folder.ts';
import { endedRun, hardenRuns, hostileRun, largeRun, smallRun, soundRun } from '../../support/harden-runs.ts';

test.each(Object.entries(hardenRuns))('The report of %s is a folder with four files, and its run can be read again', async (_name, run) => {
  await using folder = await aFolder();
  await prepareHardenReport(folder.at('report'));
  const files = await writeHardenReport(run, folder.at('report'));
  expect(files.map((file) => file.replace(/^.*\//, ''))).toEqual(['harden.json', 'junit.xml', 'summary.md', 'index.html']);
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  expect(hardenRunSchema.parse(JSON.parse(texts[0] ?? ''))).toEqual(JSON.parse(JSON.stringify(run)));
  expect(texts.slice(1).filter((text) => /[^\P{C}\n]/u.test(text))).toEqual([]);
});

test('A folder that cannot be made is refused before the run', async () =>
  expect(prepareHardenReport('/proc/report')).rejects.toThrow('The report cannot be written to /proc/report: '));

test('The JUnit file has a case for each cell; accepted findings and cells without a verdict are skipped', () => {
  const xml = hardenJunit(smallRun);
  expect(xml).toContain('<testsuite name="estate harden" tests="102" failures="4" errors="0" skipped="3"');
  expect(xml).toContain('<testcase classname="Confirm Order" name="Answer lost: The answer is lost (504). (C63)"');
  expect(xml).toContain('<failure type="twice" message="twice: There are two orders for one basket.">');
  expect(xml).toContain('<skipped message="The finding is accepted. The receiver answered 204');
  expect(xml).toContain('<skipped message="Three tries: survived, survived, half."/>');
  expect(hardenJunit(endedRun)).toContain('skipped="34"');
});

test('The summary has the matrix, the findings with the figures of baseline and try, and what was not checked and not tried', () => {
  const text = hardenMarkdown(smallRun);
  expect(text).toMatch(/^## ❌ 3 findings, 1 accepted, 1 outcome varies: 102 of 102 misfortunes tried in 14 s\n/);
  expect(text).toContain('| | System down | Answer lost | Event twice or late |');
  expect(text).toContain('| Confirm Order | ✅ ok | ❌ twice |');
  expect(text).toContain('| | Baseline | This try |\n|---|---|---|\n| orders confirmed | 1 | 2 |');
  expect(text).toContain('**Not checked**\n\n- No check was given');
  expect(hardenMarkdown(endedRun)).toContain('- The run ended early: Ctrl-C.');
  expect(hardenMarkdown(soundRun)).toMatch(/^## ✅ No finding: /);
  expect(text).toContain('### ⚠️ F5 varies: Check Out Basket');
});

test('The summary of 1,200 cells stays far below the limit of a job summary', () =>
  expect(hardenMarkdown(largeRun).length).toBeLessThan(100_000));

test('The page and the summary show hostile text as text', async () => {
  const { hardenHtml, styles } = await loadDrawing('harden-report');
  const page = hardenHtml(hostileRun, styles);
  expect(page).toContain('&lt;img src=x');
  expect(hardenHtml(smallRun, styles)).toMatch(/<span class="[^"]*warn[^"]*">varies<\/span> Check Out Basket/);
  expect(page).not.toMatch(/<img|<script|href="(?!#)[^"]*(?:javascript|etc)/);
  // Code is shown as it is.
  expect(hardenMarkdown(hostileRun).replaceAll(/`[^`\n]*`/g, '')).not.toMatch(/<img|^# no/m);
  expect(hardenJunit(hostileRun)).not.toContain('<img');
});

test('The files of a report contain no line that a CI runs as its command', () => {
  const commands = ['::error::owned', '##vso[task.complete result=Succeeded]', '##[error]owned'];
  for (const command of commands) {
    const run = JSON.parse(JSON.stringify(smallRun), (name, value) =>
      typeof value === 'string' && /^(what|tried|baseline|reason|label|paragraph|remedy|repeat|command)$/.test(name)
        ? `${command}\n${command}`
        : value,
    );
    for (const text of [hardenJunit(run), hardenMarkdown(run)])
      expect(text.split('\n').filter((line) => /^\s*::[a-z]|##\w*\[/i.test(line))).toEqual([]);
  }
});
