import { readFile, writeFile } from 'node:fs/promises';
import { chartFiles } from '../helm/chart.ts';
import { applicationNames } from '../shared/catalog/applications.ts';
import { isOfSwap, swapVariable } from '../shared/configuration/swap-variables.ts';
import { presetOf, urlVariable, variablesByName } from '../shared/configuration/variables.ts';
import {
  apiTable,
  applicationSummary,
  callMatrix,
  changeEventTable,
  eventTable,
  flowSections,
  lifeCycles,
  problemSections,
} from '../shared/contract/tables/catalog.ts';
import { controlOperationSections } from '../shared/contract/tables/control-operations.ts';
import { changeTable } from '../shared/contract/tables/drift.ts';
import { catalogInfo } from './catalog-info.ts';
import { commandReference } from './command-reference.ts';
import { llmsOfDocs } from './llms-of-docs.ts';
import { callPolicies } from './network-policies.ts';

const AMONG_THEM = ['oms', 'ecommerce-platform'] as const;

/** A default as text of the environment. */
const written = (value: unknown): string => (value === undefined || String(value) === '' ? '' : ` (\`${String(value)}\`)`);

/** Every variable that a process reads, with its default. The addresses of applications share a line. */
function variableTable(): string {
  const urls = new Set(applicationNames.map(urlVariable));
  const rows = Object.entries(variablesByName).flatMap(([name, schema]) =>
    urls.has(name) || isOfSwap(name) ? [] : [`- \`${name}\`${written(presetOf(schema))}: ${schema.description}`],
  );
  const examples = AMONG_THEM.map((application) => `\`${urlVariable(application)}\``).join(', ');
  const swap = (['URL', 'MODE', 'HEADERS_FILE', 'TIMEOUT_MS', 'EVENTS'] as const).map((one) => `\`${swapVariable('payment-hub', one)}\``);
  rows.push(
    `- ${swap.join(', ')}, …: [the real system](../how-to/real-system.md) that takes the place of an application in new rehearsals.`,
  );
  rows.push(`- ${examples}, … (\`http://<application>:8080\`): The addresses of the other applications.`);
  return rows.join('\n');
}

/**
 * Writes generated tables from the catalog into the documentation, between the markers `<!-- generated:NAME -->` and
 * `<!-- /generated:NAME -->`. With `--check` it writes nothing and fails when a file is not up to date.
 */
interface Part {
  readonly file: string;
  /** Absent when the whole file is generated. */
  readonly name?: string;
  /** A function if the text depends on earlier files of the list. */
  readonly text: string | (() => string);
}

const inRepository = (file: string): URL => new URL(`../${file}`, import.meta.url);

const parts: readonly Part[] = [
  { file: 'docs/reference/apis.md', name: 'apis', text: apiTable() },
  { file: 'docs/how-to/inject-faults.md', name: 'permitted', text: changeTable('permitted') },
  { file: 'docs/how-to/inject-faults.md', name: 'forbidden', text: changeTable('forbidden') },
  { file: 'docs/reference/events.md', name: 'events', text: eventTable() },
  { file: 'docs/reference/events.md', name: 'change-events', text: changeEventTable() },
  { file: 'docs/reference/problems.md', name: 'problem-sections', text: problemSections() },
  { file: 'docs/reference/variables.md', name: 'variables', text: variableTable() },
  { file: 'docs/reference/control-plane.md', name: 'operations', text: controlOperationSections() },
  { file: 'docs/reference/life-cycles.md', name: 'life-cycles', text: lifeCycles() },
  { file: 'docs/reference/flows.md', name: 'flows', text: flowSections() },
  { file: 'docs/reference/flows.md', name: 'calls', text: callMatrix() },
  { file: 'docs/reference/command-line.md', name: 'commands', text: commandReference() },
  { file: 'docs/llms.txt', text: llmsOfDocs(await readFile(inRepository('docs/README.md'), 'utf8')) },
  { file: 'k8s/components/network-policies/calls.yaml', text: callPolicies() },
  { file: 'catalog-info.yaml', text: catalogInfo },
  ...chartFiles(),
  ...applicationNames.map((name) => ({ file: `services/${name}/README.md`, name: 'summary', text: applicationSummary(name) })),
];

/** @throws Error unless the file has exactly one pair of the markers */
function replaced(content: string, { file, name, text: given }: Part): string {
  const text = typeof given === 'string' ? given : given();
  if (name === undefined) return text;
  const [open, close] = [`<!-- generated:${name} -->`, `<!-- /generated:${name} -->`];
  const [before, ...rest] = content.split(open);
  const [, after, ...more] = (rest[0] ?? '').split(close);
  if (before === undefined || after === undefined || rest.length !== 1 || more.length > 0) {
    throw new Error(`${file} needs one pair of the markers ${open} and ${close}.`);
  }
  return `${before}${open}\n${text}\n${close}${after}`;
}

const check = process.argv.includes('--check');
const complaints: string[] = [];
for (const [file, ofFile] of Map.groupBy(parts, (part) => part.file)) {
  try {
    const is = await readFile(inRepository(file), 'utf8');
    const shouldBe = (ofFile ?? []).reduce(replaced, is);
    if (is === shouldBe) continue;
    if (check) complaints.push(`${file} is not up to date; run npm run docs.`);
    else await writeFile(inRepository(file), shouldBe);
  } catch (error) {
    const missing = (error as { code?: string }).code === 'ENOENT';
    complaints.push(missing ? `${file} is missing.` : (error as Error).message);
  }
}
for (const complaint of complaints) process.stderr.write(`${complaint}\n`);
if (complaints.length > 0) process.exitCode = 1;
