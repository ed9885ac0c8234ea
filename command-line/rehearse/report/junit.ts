import { inOneLine } from '../../../shared/domain/printable.ts';
import { type Content, type Markup, markup } from '../../output/markup.ts';
import { violations } from './facts.ts';
import type { Recorded, ReportedRun } from './recording.ts';

/** The run as JUnit XML, which every CI reads: one test suite, one test case for each scenario. */
export function junitOf({ scenarios, gateway, startedAt, version }: ReportedRun): string {
  const failures = scenarios.filter(({ failure }) => failure !== undefined).length;
  const time = inSeconds(scenarios.reduce((sum, { ms }) => sum + ms, 0));
  const counts = markup`tests="${scenarios.length}" failures="${failures}" errors="0" skipped="0" time="${time}"`;
  const properties = Object.entries({ gateway, version }).map(
    ([name, value]) => markup`      <property name="${name}" value="${value}"/>\n`,
  );
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="unified-commerce-estate" ${counts}>
  <testsuite name="estate rehearse" ${counts} timestamp="${new Date(startedAt).toISOString().slice(0, 19)}">
    <properties>
${properties}    </properties>
${scenarios.map(testCase)}  </testsuite>
</testsuites>
`.text;
}

const inSeconds = (ms: number): string => (ms / 1_000).toFixed(3);

function testCase(run: Recorded): Markup {
  const { scenario, file, failure, ms } = run;
  const where = file !== undefined && markup` file="${inOneLine(file, 300)}"`;
  const failed =
    failure !== undefined &&
    markup`      <failure type="ScenarioFailed" message="${inOneLine(failure)}">${[failure, ...violations(run)].join('\n')}</failure>\n`;
  return markup`    <testcase classname="${file === undefined ? 'scenarios' : 'own scenarios'}" name="${inOneLine(scenario.name, 200)}" time="${inSeconds(ms)}"${where}>
${failed}      <system-out>${lines(run)}</system-out>
    </testcase>
`;
}

const lines = ({ scenario, entries }: Recorded): Content => [
  `${inOneLine(scenario.title)}\n`,
  ...entries.map((entry) =>
    'step' in entry
      ? `${entry.step.status} ${inOneLine(entry.step.title)} (${inOneLine(entry.step.call, 200)}, ${entry.step.ms} ms)\n`
      : `  · ${inOneLine(entry.note)}\n`,
  ),
];
