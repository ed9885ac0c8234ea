import { stripVTControlCharacters } from 'node:util';
import { expect, test } from '@jest/globals';
import { progressLine } from '../../../command-line/harden/progress-line.ts';
import { FAMILIES, type HardenRun } from '../../../rehearsal/harden/run.ts';
import { hardenRunSchema } from '../../../rehearsal/harden/run-schema.ts';
import { findingLines } from '../../../rehearsal/harden/text/finding-lines.ts';
import { matrixLines } from '../../../rehearsal/harden/text/matrix-lines.ts';
import { HEADS } from '../../../rehearsal/harden/words.ts';
import { print } from '../../../shared/process/terminal.ts';
import { endedRun, hardenRuns, hostileRun, largeRun, runningRun, smallRun, soundRun } from '../../support/harden-runs.ts';

function printed(lines: readonly string[]): string {
  let text = '';
  print(lines.join('\n'), { write: (part) => (text += part) });
  return text;
}

const matrix = (run: HardenRun, width: number): string => printed(matrixLines(run, width, false));
const findings = (run: HardenRun): string => printed(findingLines(run));

test.each(Object.entries(hardenRuns))('The run %s of these tests has the shape of a run', (_name, run) =>
  expect(hardenRunSchema.parse(JSON.parse(JSON.stringify(run)))).toEqual(JSON.parse(JSON.stringify(run))),
);

test('A matrix of 80 columns has a word for each site and family, and a blank where a family does not apply', () =>
  expect(matrix(smallRun, 80)).toBe(`\
                     System Answer Event Forged, Token   Allowed Broken, Special
                     down   lost   twice must be expires change  must be date
                                   or    refused                 noticed
                                   late
Start of the story                                                       stuck
Create Basket        ok     ok                   unseen  ok      ok
Check Out Basket     varies ok                   ok      ok      ok
Authorize Payment    ok     ok                   ok      ok      ok
Confirm Order        ok     twice                ok      ok      ok
order-created to the               wrong known           ok      ok
webhook copy
order-confirmed to                 ok    ok              ok      ok
the webhook copy`));

test('A matrix of 140 columns has a mark for each misfortune', () => {
  const lines = matrix(smallRun, 140).split('\n');
  expect(lines.find((line) => line.startsWith('Confirm Order'))).toMatch(/^Confirm Order +✓✓✓✓✓✓ +✗✗✓ twice +✓ +✓✓✓✓✓ +✓✓✓$/);
  expect(lines.find((line) => line.startsWith('Check Out Basket'))).toMatch(/✓✓✓✓✓\? varies/);
});

test.each(Object.entries(hardenRuns))(
  'The matrix of the run %s fits into every terminal, and colours change no character',
  (_name, run) => {
    for (const width of [20, 40, 80, 100, 140, 300]) {
      const plain = matrix(run, width);
      expect(Math.max(...plain.split('\n').map((line) => [...line].length))).toBeLessThanOrEqual(width);
      const coloured = printed(matrixLines(run, width, true));
      if (width >= 80) expect(coloured).toContain('\u001B[');
      expect(stripVTControlCharacters(coloured)).toBe(plain);
    }
  },
);

test('A failing cell is red, an unstable or accepted one yellow, and a survived one green', () => {
  const text = printed(matrixLines(smallRun, 80, true));
  expect(text).toContain('\u001B[31mtwice');
  expect(text).toContain('\u001B[33mvaries');
  expect(text).toContain('\u001B[33mknown');
  expect(text).toContain('\u001B[32mok');
});

test('The heads of all families fit beside a site on 80 columns', () =>
  expect(FAMILIES.flatMap((family) => HEADS[family].split(' ')).filter((word) => word.length > 7)).toEqual([]));

test('A matrix of many sites leaves out sites without a finding, and counts them', () => {
  const sites = Array.from({ length: 100 }, (_, place) => ({ id: `s${place}`, kind: 'call' as const, label: `Call ${place}` }));
  const cells = sites.map(({ id }, place) => ({
    id: `C${place}`,
    site: id,
    family: 'absent' as const,
    misfortune: 'outage',
    label: 'It answers 503.',
    verdict: place === 70 ? ('half' as const) : ('survived' as const),
  }));
  const text = matrix({ ...smallRun, sites, cells, findings: [] }, 80);
  expect(text).toMatch(/^Call 70 ✗ half$/m);
  expect(text).toContain('and 99 more sites without a finding');
});

test('A very narrow terminal gets a line for each finding', () =>
  expect(matrix(smallRun, 40)).toContain('Confirm Order: answer lost: twice'));

test('A finding has its paragraph, the figures of baseline and try, the remedy, and the command that repeats it', () => {
  const text = findings(smallRun);
  expect(text).toContain('F1  twice  Confirm Order, answer lost\n    Confirm Order was carried out');
  expect(text).toMatch(/money authorised EUR {5}30\.88 → 61\.76/);
  expect(text).toContain('Remedy: Send a repetition with the Idempotency-Key of the first try.');
  expect(text).toContain('Again: estate harden --again C63 -- node examples/harden/javascript/phone-order.mjs');
  expect(text.indexOf('F3  silent (accepted)')).toBeGreaterThan(text.indexOf('F4  stuck'));
  expect(text).toContain('- No check was given');
  expect(text).toMatch(/3 findings, 1 accepted, 1 outcome varies\. 102 of 102 misfortunes tried in 14 s\.$/);
});

test('An unstable outcome is not counted as a finding, comes after the findings that fail, and is yellow', () => {
  expect(findings(smallRun).indexOf('F5  varies  Check Out Basket')).toBeGreaterThan(findings(smallRun).indexOf('F4  stuck'));
  const unstable = { ...smallRun, findings: smallRun.findings.filter(({ verdict }) => verdict === 'unstable') };
  expect(findings(unstable)).toMatch(/^No finding, 1 outcome varies\. /m);
  const coloured = printed(findingLines(unstable, 80, true));
  expect(coloured).toContain('\u001B[33mF5  varies');
  expect(coloured).toContain('\u001B[32mNo finding, 1 outcome varies');
});

test('A run reports what was not tried: after an early end with the reason, while it runs without', () => {
  expect(findings(endedRun)).toContain('- The run ended early: Ctrl-C.\n- 32 misfortunes were not tried: ');
  expect(findings(runningRun)).toContain('- 32 misfortunes were not tried yet: ');
  expect(findings(runningRun)).toMatch(/70 of 102 misfortunes tried in 14 s so far\.$/);
  expect(matrix(endedRun, 80)).toMatch(/^Confirm Order +ok +twice +ok +ok +untried$/m);
});

test('A run that has skipped a misfortune is over', () => {
  const cells = runningRun.cells.map((cell) =>
    cell.verdict === undefined ? { ...cell, reason: 'Not tried: it has broken already.' } : cell,
  );
  expect(findings({ ...runningRun, cells })).toMatch(/32 misfortunes were not tried: .* misfortunes tried in 14 s\.$/s);
});

test('A run without a finding reports it in its last line', () =>
  expect(findings(soundRun)).toMatch(/^No finding\. 102 of 102 misfortunes tried in 14 s\.$/m));

test('Many findings are limited and counted', () =>
  expect(findings(largeRun)).toMatch(/^and \d+ more findings?: the report has (it|them)\.$/m));

test('Hostile text controls no terminal, and breaks no line', () => {
  const text = `${matrix(hostileRun, 80)}\n${findings(hostileRun)}`;
  expect(text).not.toMatch(/[^\P{C}\n]/u);
  expect(text).not.toMatch(/^# no/m);
});

test.each([
  [{ done: 0, doneBefore: 0, planned: 1_200, findings: 0, elapsedMs: 0 }, '0 of 1,200 tried, no finding yet'],
  [{ done: 300, doneBefore: 0, planned: 1_200, findings: 1, elapsedMs: 40_000 }, '300 of 1,200 tried, about 2 min left, 1 finding'],
  [{ done: 300, doneBefore: 290, planned: 600, findings: 1, elapsedMs: 2_000 }, '300 of 600 tried, about 60 s left, 1 finding'],
  [{ done: 1_200, doneBefore: 0, planned: 1_200, findings: 3, elapsedMs: 160_000 }, '1,200 of 1,200 tried, 3 findings'],
])('The progress %j is the line "%s"', (progress, line) => expect(progressLine(progress)).toBe(line));
