import { expect, test } from '@jest/globals';
import { loadDrawing } from '../../command-line/output/drawings.ts';
import { junitOf } from '../../command-line/rehearse/report/junit.ts';
import { plain } from '../../command-line/rehearse/report/markdown.ts';
import { wallTimeOf } from '../../ui/report/facts.ts';
import type { ReportedRun } from '../../ui/report/recorded.ts';

const ATTACK = '<script>"it\'s" & more</script>\u0000\u001B[31m';

const run: ReportedRun = {
  gateway: 'http://127.0.0.1:8080',
  version: '0.1.0',
  startedAt: 0,
  scenarios: [
    {
      scenario: { name: ATTACK, title: ATTACK },
      file: ATTACK,
      rehearsal: ATTACK,
      startedAt: 0,
      entries: [{ since: 0, until: 1, note: ATTACK, kind: 'fault' }],
      hops: [],
      events: [{ id: 'a', type: ATTACK, subject: ATTACK, time: ATTACK, source: ATTACK, cause: ATTACK }],
      omitted: { entries: 0, hops: 0, events: 0, journal: false },
      invariants: [{ id: 'a', title: ATTACK, holds: false, checked: 1, violations: [ATTACK] }],
      failure: ATTACK,
      ms: 1,
    },
  ],
};

test('The page of a report shows hostile text as text, without control characters', async () => {
  const { reportHtml, styles } = await loadDrawing('report');
  const page = reportHtml(run, styles);
  expect(page).toContain('&lt;script>');
  expect(page).not.toMatch(/<script|[^\P{C}\n]/u);
  expect(page).not.toMatch(/="[^"]*<script/);
});

test('The JUnit file of a report escapes hostile text in elements and attributes', () => {
  const xml = junitOf(run);
  expect(xml).toContain('message="&lt;script&gt;&quot;it\'s&quot; &amp; more&lt;/script&gt;"');
  expect(xml).not.toMatch(/<script|[^\P{C}\n]/u);
});

test.each([
  ['- a', '\\- a'],
  ['+ a', '\\+ a'],
  ['---', '\\---'],
  ['===', '\\==='],
  ['12. a', '12\\. a'],
  ['1) a', '1\\) a'],
  ['www.evil.example', 'www\u200B.evil.example'],
  ['See WWW.evil.example and https://evil.example', 'See WWW\u200B.evil.example and https:\u200B//evil.example'],
  ['@team <b> [a](b)', '@\u200Bteam &lt;b&gt; \\[a\\]\\(b\\)'],
  ['a - 12. b', 'a - 12. b'],
])('A text in a summary begins no markup and has no link: %j', (text, escaped) => expect(plain(text)).toBe(escaped));

test('The time of a report counts the time of scenarios that run side by side once', () => {
  expect(
    wallTimeOf([
      { startedAt: 1_000, ms: 400 },
      { startedAt: 1_100, ms: 200 },
      { startedAt: 1_400, ms: 50 },
    ]),
  ).toBe(450);
  expect(wallTimeOf([])).toBe(0);
});
