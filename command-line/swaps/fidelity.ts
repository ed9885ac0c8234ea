import { Command, Option } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import type { ControlOutput } from '../../shared/catalog/control/define-operation.ts';
import { readFidelity } from '../../shared/catalog/control/operations/swaps.ts';
import { swappable } from '../../shared/catalog/swap.ts';
import { membersOf } from '../../shared/contract/members.ts';
import { DEFAULT_REHEARSAL } from '../../shared/domain/ids.ts';
import { print, printJson } from '../../shared/process/terminal.ts';
import { apiTitle } from '../../ui/data/titles.ts';
import { counted } from '../../ui/kit/format.ts';
import type { Recorded } from '../../ui/report/recorded.ts';
import { unrecorded } from '../conform/result.ts';
import { ask } from '../connection/ask.ts';
import { adminOption, againstOption, type Connection, DEFAULT_URL, jsonOption, rehearsalOf } from '../connection/connection.ts';
import { CommandFailure, EXIT, unlessEnded } from '../failure.ts';
import { withExample } from '../help.ts';
import { optionOf } from '../operations/member-option.ts';
import { showFidelity } from '../output/show-answer.ts';
import { lookOf } from '../output/table.ts';
import { prepareReportFile, writeReportFile } from '../rehearse/report/report.ts';
import { repeatable } from '../repeatable.ts';

interface Options extends Omit<Connection, 'rehearsal'> {
  /** In the sequence of the command line. */
  readonly rehearsal?: readonly string[];
  readonly all?: boolean;
  readonly allow: number;
  readonly timeoutMs?: number;
  readonly junit?: string;
  readonly html?: string;
}

/** Compares our applications with the real systems in their shadow, over some rehearsals. A check for CI. */
export function fidelityCommand(): Command {
  const allow = {
    type: 'integer',
    minimum: 0,
    default: 0,
    description: 'Number of allowed differences. A member of an operation counts once.',
  };
  const command = new Command('fidelity')
    .description('Compares our applications with the real systems in their shadow. Exits with 1 if they answered differently.')
    .addOption(againstOption().default(DEFAULT_URL))
    .addOption(
      repeatable(
        new Option('--rehearsal <name>', `Rehearsal to read, may be repeated: the counts are added up. Default: ${DEFAULT_REHEARSAL}.`),
        (name) => [rehearsalOf(name)],
      ).env('ESTATE_REHEARSAL'),
    )
    .addOption(new Option('--all', 'Read every rehearsal with a real system in the shadow.'))
    .addOption(optionOf({ path: ['allow'], schema: allow, required: false, inRequiredPart: false }, {}).default(allow.default));
  for (const member of membersOf(readFidelity.query)) command.addOption(optionOf(member, {}));
  command
    .addOption(new Option('--junit <file>', 'Write the comparison as JUnit XML: a test case per operation.'))
    .addOption(new Option('--html <file>', 'Write the comparison as a page.'))
    .addOption(adminOption())
    .addOption(jsonOption());
  return withExample(command, 'fidelity --all --junit fidelity.xml').action(compare);
}

async function compare(options: Options): Promise<void> {
  const { against, allow, junit, html } = options;
  for (const file of [junit, html]) if (file !== undefined) await prepareReportFile(file);
  const startedAt = Date.now();
  const { rehearsals, items } = await readAll(options);
  const differences = items.reduce((sum, one) => sum + one.differences.length, 0);
  const run = { kind: 'fidelity', scenarios: items.flatMap(recorded), gateway: against, version: manifest.version, startedAt } as const;
  if (junit !== undefined) await writeReportFile('junit.xml', junit, run);
  if (html !== undefined) await writeReportFile('report.html', html, run);
  const passes = differences <= allow;
  if (options.json) printJson({ passes, differences, allowed: allow, rehearsals, items }, 2);
  else {
    const look = lookOf(process.stdout);
    const sentence = `${counted(differences, 'difference')} in ${counted(rehearsals.length, 'rehearsal')}, ${allow} allowed.`;
    print(`${showFidelity({ items }, look)}\n\n${look.style(passes ? 'green' : 'red', sentence)}\n`);
  }
  if (!passes) process.exitCode = EXIT.fails;
}

type Item = ControlOutput<typeof readFidelity>['items'][number];
/** The comparisons of an application over all rehearsals. Each difference names the rehearsal that had it first. */
type Summed = Omit<Item, 'differences'> & { readonly differences: readonly FoundDifference[] };
type FoundDifference = Item['differences'][number] & { readonly rehearsal: string };

/** @throws CommandFailure when a rehearsal has nothing to compare */
async function readAll(options: Options): Promise<{ readonly rehearsals: readonly string[]; readonly items: readonly Summed[] }> {
  const { all = false, rehearsal = [DEFAULT_REHEARSAL], timeoutMs } = options;
  const names = all ? await existing(options) : [...new Set(rehearsal)];
  const found: { readonly name: string; readonly items: readonly Item[] }[] = [];
  for (const name of names) {
    const asked = ask('read-fidelity', { ...options, rehearsal: name }, { query: { timeoutMs } });
    const { items } = all ? ((await unlessEnded(asked)) ?? { items: [] }) : await asked;
    if (items.length === 0 && !all) throw new CommandFailure(`${name} has no real system in the shadow. ${REMEDY}`, EXIT.fails);
    if (items.length > 0) found.push({ name, items });
  }
  if (found.length === 0) throw new CommandFailure(`No rehearsal has a real system in the shadow. ${REMEDY}`, EXIT.fails);
  const located = found.flatMap(({ name, items }) =>
    items.map((item): Summed => ({ ...item, differences: item.differences.map((one) => ({ ...one, rehearsal: name })) })),
  );
  const items = merged(located, ({ application }) => application, sum);
  const order = Object.keys(swappable);
  return {
    rehearsals: found.map(({ name }) => name),
    items: items.toSorted((one, other) => order.indexOf(one.application) - order.indexOf(other.application)),
  };
}

const REMEDY = 'Create one with "mode": "shadow" in its swap, or set SWAP_<APPLICATION>_MODE=shadow for new ones.';

const existing = async (options: Options): Promise<readonly string[]> =>
  (await ask('list-rehearsals', { ...options, rehearsal: DEFAULT_REHEARSAL })).items.map(({ name }) => name);

function sum(one: Summed, other: Summed): Summed {
  return {
    ...one,
    ...added(one, other),
    url: [...new Set([one.url, other.url])].join(', '),
    waiting: one.waiting + other.waiting,
    lost: one.lost + other.lost,
    operations: merged(
      [...one.operations, ...other.operations],
      ({ api }) => api,
      (first, next) => ({ ...first, ...added(first, next) }),
    ),
    differences: merged(
      [...one.differences, ...other.differences],
      ({ api, pointer }) => `${api} ${pointer}`,
      (first, next) => ({ ...first, count: first.count + next.count }),
    ),
  };
}

/** One row for each key: the sum of the rows with this key. */
function merged<Row>(rows: readonly Row[], keyOf: (row: Row) => string, add: (first: Row, next: Row) => Row): Row[] {
  const found = new Map<string, Row>();
  for (const row of rows) {
    const first = found.get(keyOf(row));
    found.set(keyOf(row), first === undefined ? row : add(first, row));
  }
  return [...found.values()];
}

type Counts = Pick<Item, 'compared' | 'equal' | 'skipped'>;

const added = (one: Counts, other: Counts): Counts => ({
  compared: one.compared + other.compared,
  equal: one.equal + other.equal,
  skipped: one.skipped + other.skipped,
});

/** The comparisons of an application as a report shows them: a scenario per operation. */
function recorded({ application, title, operations, differences, waiting, lost }: Summed): readonly Recorded[] {
  const rows = operations.map(({ api, ...counts }): Recorded => {
    const own = differences.filter((one) => one.api === api);
    const failure = own.map(({ pointer, ours, theirs, count }) => `${pointer || 'answer'}: ours ${ours}, theirs ${theirs} (${count})`);
    return {
      ...unrecorded(`${application}: ${api}`, `${apiTitle(api)} answers alike (${title})`),
      comparison: { ...counts, differences: own },
      failure: failure.length > 0 ? failure.join('\n') : undefined,
      ...(counts.compared === 0 && { skipped: `${counted(counts.skipped, 'call')} could not be compared.` }),
    };
  });
  const left = [
    waiting > 0 && `${counted(waiting, 'call')} of ${title} had not been compared in time: raise --timeout-ms.`,
    lost > 0 && `${counted(lost, 'call')} of ${title} will not be compared: the process that had to compare them has ended.`,
  ].filter((sentence) => sentence !== false);
  if (left.length === 0) return rows;
  return [...rows, { ...unrecorded(`${application}: waiting`, `Every call is compared (${title})`), skipped: left.join(' ') }];
}
