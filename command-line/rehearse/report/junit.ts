import { inOneLine, printable } from '../../../shared/domain/printable.ts';
import { violations, worldSentence } from '../../../ui/report/facts.ts';
import type { Recorded, ReportedRun } from '../../../ui/report/recorded.ts';

/** The run as JUnit XML, which every CI reads: one test suite, one test case for each scenario. */
export function junitOf({ kind, scenarios, gateway, startedAt, version }: ReportedRun): string {
  const failures = scenarios.filter(({ failure }) => failure !== undefined).length;
  const time = inSeconds(scenarios.reduce((sum, { ms }) => sum + ms, 0));
  const counts = `tests="${scenarios.length}" failures="${failures}" errors="0" skipped="${scenarios.filter(({ skipped }) => skipped !== undefined).length}" time="${time}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="unified-commerce-estate" ${counts}>
  <testsuite name="estate ${kind === undefined ? 'rehearse' : COMMANDS[kind]}" ${counts} timestamp="${new Date(startedAt).toISOString().slice(0, 19)}">
    <properties>
      <property name="gateway" value="${escaped(gateway)}"/>
      <property name="version" value="${escaped(version)}"/>
    </properties>
${scenarios.map(testCase).join('')}  </testsuite>
</testsuites>
`;
}

const COMMANDS = { conformance: 'conform', fidelity: 'fidelity' } as const;

const inSeconds = (ms: number): string => (ms / 1_000).toFixed(3);

function testCase(run: Recorded): string {
  const { scenario, file, failure, skipped, ms } = run;
  const where = file === undefined ? '' : ` file="${escaped(inOneLine(file, 300))}"`;
  const reason =
    failure === undefined
      ? ''
      : `      <failure type="ScenarioFailed" message="${escaped(inOneLine(failure))}">${escaped([failure, ...violations(run), ...[worldSentence(run) ?? []].flat()].join('\n'))}</failure>\n`;
  const why = skipped === undefined ? '' : `      <skipped message="${escaped(inOneLine(skipped))}"/>\n`;
  return `    <testcase classname="${file === undefined ? 'scenarios' : 'own scenarios'}" name="${escaped(inOneLine(scenario.name, 200))}" time="${inSeconds(ms)}"${where}>
${reason}${why}      <system-out>${linesOf(run)
    .map((line) => escaped(`${line}\n`))
    .join('')}</system-out>
    </testcase>
`;
}

const linesOf = ({ scenario, entries }: Recorded): readonly string[] => [
  inOneLine(scenario.title),
  ...entries.map((entry) =>
    'step' in entry
      ? `${entry.step.status} ${inOneLine(entry.step.title)} (${inOneLine(entry.step.call, 200)}, ${entry.step.ms} ms)`
      : `  · ${inOneLine(entry.note)}`,
  ),
];

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text that may stand in an element or between quotation marks. */
const escaped = (text: string): string => printable(text).replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
