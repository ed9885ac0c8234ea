import { inOneLine, printable, withoutCommands } from '../../../shared/domain/printable.ts';
import { violations, worldSentence } from '../../../ui/report/facts.ts';
import type { Recorded, ReportedRun } from '../../../ui/report/recorded.ts';

/** A case of a JUnit file. */
interface TestCase {
  readonly group: string;
  readonly name: string;
  readonly file?: string | undefined;
  readonly ms: number;
  /** Why it failed: a line, and the whole text. */
  readonly failure?: { readonly type: string; readonly message: string; readonly text: string } | undefined;
  /** Why it was not run. */
  readonly skipped?: string | undefined;
  readonly output: readonly string[];
}

interface TestSuite {
  readonly name: string;
  readonly startedAt: number;
  readonly properties: Readonly<Record<string, string>>;
  readonly cases: readonly TestCase[];
}

/** JUnit XML, which every CI reads: one test suite with its cases. */
export function suiteText({ name, startedAt, properties, cases }: TestSuite): string {
  const failures = cases.filter(({ failure }) => failure !== undefined).length;
  const skipped = cases.filter((one) => one.skipped !== undefined).length;
  const time = inSeconds(cases.reduce((sum, { ms }) => sum + ms, 0));
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}" time="${time}"`;
  const lines = Object.entries(properties).map(([key, value]) => `      <property name="${key}" value="${escaped(value)}"/>\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="unified-commerce-estate" ${counts}>
  <testsuite name="${name}" ${counts} timestamp="${new Date(startedAt).toISOString().slice(0, 19)}">
    <properties>
${lines.join('')}    </properties>
${cases.map(caseText).join('')}  </testsuite>
</testsuites>
`;
}

/** The run as JUnit XML: one test case for each scenario. */
export const junitOf = ({ kind, scenarios, gateway, startedAt, version }: ReportedRun): string =>
  suiteText({
    name: `estate ${kind === undefined ? 'rehearse' : COMMANDS[kind]}`,
    startedAt,
    properties: { gateway, version },
    cases: scenarios.map(testCase),
  });

const COMMANDS = { conformance: 'conform', fidelity: 'fidelity' } as const;

const inSeconds = (ms: number): string => (ms / 1_000).toFixed(3);

function testCase(run: Recorded): TestCase {
  const { scenario, file, failure, skipped, ms } = run;
  const text = [failure, ...violations(run), ...[worldSentence(run) ?? []].flat()].join('\n');
  return {
    group: file === undefined ? 'scenarios' : 'own scenarios',
    name: scenario.name,
    file,
    ms,
    failure: failure === undefined ? undefined : { type: 'ScenarioFailed', message: failure, text },
    skipped,
    output: linesOf(run),
  };
}

function caseText({ group, name, file, ms, failure, skipped, output }: TestCase): string {
  const where = file === undefined ? '' : ` file="${escaped(inOneLine(file, 300))}"`;
  const reason =
    failure === undefined
      ? ''
      : `      <failure type="${failure.type}" message="${escaped(inOneLine(failure.message))}">${escaped(failure.text)}</failure>\n`;
  const why = skipped === undefined ? '' : `      <skipped message="${escaped(inOneLine(skipped))}"/>\n`;
  return `    <testcase classname="${escaped(inOneLine(group, 200))}" name="${escaped(inOneLine(name, 200))}" time="${inSeconds(ms)}"${where}>
${reason}${why}      <system-out>${output.map((line) => escaped(`${line}\n`)).join('')}</system-out>
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
const escaped = (text: string): string => withoutCommands(printable(text)).replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
