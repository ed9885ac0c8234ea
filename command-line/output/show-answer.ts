import { whyUnverified } from '../../shared/catalog/control/drift.ts';
import { nameOf } from '../../shared/catalog/event-names.ts';
import { moneyInWords } from '../../shared/domain/money.ts';
import { inOneLine } from '../../shared/domain/printable.ts';
import type { OperationCommand } from '../operations/operation-command.ts';
import { type Look, table } from './table.ts';

const NONE = 'None.';

type Row = Readonly<Record<string, unknown>>;
const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

export const showAnswer = (output: unknown, command: OperationCommand, look: Look): string | Promise<string> =>
  command.show ? command.show(output as never, look) : showPlain(output, command, look);

/** An answer that no command formats in its own way. */
export function showPlain(output: unknown, { done = 'Done.', columns }: Pick<OperationCommand, 'done' | 'columns'>, look: Look): string {
  if (output === null) return done;
  if (!isRow(output)) return inWords(output);
  if (Array.isArray(output['items'])) return showRows(output['items'].filter(isRow), columns, look);
  return showObject(output, look);
}

/** A line for each member; lists of objects are tables below. */
function showObject(object: Row, look: Look): string {
  const entries = Object.entries(object);
  const lists = entries.filter(([, value]) => isList(value));
  const lines = flattened(entries.filter(([, value]) => !isList(value)));
  const width = Math.max(0, ...lines.map(([name]) => name.length));
  const plain = lines.map(([name, value]) => `${look.style('dim', name.padEnd(width))}  ${value}`).join('\n');
  const tables = lists.flatMap(([name, value]) => {
    const rows = (value as readonly unknown[]).filter(isRow);
    return rows.length === 0 ? [] : [`\n${look.style('bold', inHeading(name))}\n${showRows(rows, undefined, look)}`];
  });
  const text = [plain, ...tables].filter((part) => part !== '').join('\n');
  return text === '' ? look.style('dim', NONE) : text;
}

const isList = (value: unknown): boolean => Array.isArray(value) && (value.length === 0 || value.some(isRow));

const flattened = (entries: readonly (readonly [string, unknown])[]): readonly (readonly [string, string])[] =>
  entries.flatMap(([name, value]) =>
    isRow(value)
      ? flattened(Object.entries(value).map(([inner, member]) => [`${name} ${inHeading(inner)}`, member] as const))
      : [[inHeading(name), inWords(value)] as const],
  );

export function showRows(rows: readonly Row[], columns: Readonly<Record<string, string>> | undefined, look: Look): string {
  if (rows.length === 0) return look.style('dim', NONE);
  const shown = columns ?? Object.fromEntries(Object.keys(Object.assign({}, ...rows)).map((name) => [name, inHeading(name)]));
  const paths = Object.keys(shown);
  const values = rows.map((row) => paths.map((path) => at(row, path)));
  const texts = values.map((row) => row.map(inWords));
  const isOneDay = paths.map((_, index) => new Set(texts.map((row) => dayOf(row[index] ?? ''))).size === 1);
  const cells = texts.map((row) =>
    row.map((text, index) => (isOneDay[index] && look.columns !== undefined && dayOf(text) !== undefined ? text.slice(11) : text)),
  );
  return table(Object.values(shown), cells, look);
}

const at = (row: Row, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (isRow(value) ? value[name] : undefined), row);

/** The day of a formatted instant. */
const dayOf = (text: string): string | undefined => /^(\d{4}-\d\d-\d\d) \d\d:\d\d:\d\d$/.exec(text)?.[1];

const inHeading = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/ at$/, '');

const INSTANT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)\.\d{3}Z$/;

/** A value as text: instants without milliseconds, events without their prefix, amounts in major units. */
export function inWords(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return nameOf(value.replace(INSTANT, '$1 $2')).replaceAll(/[\r\n]+/g, ' ');
  if (Array.isArray(value)) return value.map(inWords).join(', ');
  if (!isRow(value)) return String(value);
  const { amount, currency } = value;
  if (typeof amount === 'number' && typeof currency === 'string') return moneyInWords({ amount, currency });
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => (name === 'kind' ? inWords(member) : `${inHeading(name)} ${inWords(member)}`))
    .join(', ');
}

type Hop = Readonly<Record<string, unknown>>;

const textOf = (hop: Hop, member: string): string => String(hop[member] ?? '');

/** Hops sorted by start, each below the hop that caused it. */
export function showHops(hops: readonly Hop[], truncated: boolean, look: Look): string {
  if (hops.length === 0) return look.style('dim', 'None.');
  const known = new Set(hops.map((hop) => textOf(hop, 'requestId')));
  const byParent = Map.groupBy(
    hops.toSorted((a, b) => textOf(a, 'startedAt').localeCompare(textOf(b, 'startedAt'))),
    (hop) => (known.has(textOf(hop, 'parentId')) ? textOf(hop, 'parentId') : ''),
  );
  const below = (parent: string, depth: number): readonly (readonly [Hop, readonly string[]])[] =>
    (byParent.get(parent) ?? []).flatMap((hop) => [[hop, rowOf(hop, depth)] as const, ...below(textOf(hop, 'requestId'), depth + 1)]);
  const shown = below('', 0);
  const [head, ...lines] = table(
    ['status', 'application', 'api', 'path', 'ms', 'faults', 'changed nothing'],
    shown.map(([, row]) => row),
    look,
  ).split('\n');
  const rows = [head, ...shown.flatMap(([hop], index) => [lines[index], ...bodiesOf(hop, look)])].join('\n');
  return truncated ? `${rows}\n${look.style('dim', 'Older hops are gone: the journal has reached its limit.')}` : rows;
}

const bodiesOf = ({ request, response }: Hop, { style }: Look): readonly string[] =>
  Object.entries({ request, response }).flatMap(([name, body]) =>
    body === undefined ? [] : [`        ${style('dim', name.padEnd(8))}  ${JSON.stringify(body)}`],
  );

function rowOf(hop: Hop, depth: number): readonly string[] {
  const faults = Array.isArray(hop['faults']) ? hop['faults'].join(', ') : '';
  const ms = String(Math.round(Number(hop['durationMs'] ?? 0)));
  const path = `${textOf(hop, 'method')} ${textOf(hop, 'path')}`;
  return [
    textOf(hop, 'status'),
    `${'  '.repeat(depth)}${textOf(hop, 'application')}`,
    textOf(hop, 'api'),
    path,
    ms,
    faults,
    textOf(hop, 'unchanged'),
  ];
}

interface Verification {
  readonly settled: boolean;
  readonly waitingFor: readonly string[];
  readonly forbidden: readonly { readonly name: string; readonly change: string }[];
  readonly invariants: readonly {
    readonly title: string;
    readonly holds: boolean;
    readonly basis?: 'as-seen' | 'not-checked' | undefined;
    readonly checked: number;
    readonly violations: readonly string[];
  }[];
}

/** The most violations printed. The rest are counted. */
const MOST_VIOLATIONS = 20;

export function showInvariants({ invariants, settled, waitingFor, forbidden }: Verification, { style }: Look): string {
  const unverified = whyUnverified(forbidden);
  const lines = invariants.flatMap(({ title, holds, basis, checked, violations }) => [
    basis === 'not-checked'
      ? `${style('yellow', 'unseen')}  ${inOneLine(title)} ${style('dim', '(a real system has the records)')}`
      : `${holds ? style('green', 'holds ') : style('red', 'BROKEN')}  ${inOneLine(title)} ${style('dim', `(${checked} checks${basis ? ', as seen' : ''})`)}`,
    ...violations.slice(0, MOST_VIOLATIONS).map((violation) => `        ${inOneLine(violation)}`),
    ...(violations.length > MOST_VIOLATIONS ? [`        and ${violations.length - MOST_VIOLATIONS} more`] : []),
  ]);
  const unrest = settled ? [] : [`${style('red', 'The rehearsal did not come to rest')}; it waits for ${waitingFor.join(', ')}.`];
  return [...(unverified === undefined ? [] : [style('yellow', inOneLine(unverified))]), ...lines, ...unrest].join('\n');
}

interface Fidelity {
  readonly title: string;
  readonly url?: string | undefined;
  readonly compared: number;
  readonly equal: number;
  readonly skipped: number;
  readonly waiting: number;
  readonly lost: number;
  readonly operations: readonly { readonly api: string; readonly skipped: number }[];
  readonly differences: readonly Row[];
}

/** For each real system in the shadow, its counts and a table of its differences. */
export function showFidelity({ items }: { readonly items: readonly Fidelity[] }, look: Look): string {
  if (items.length === 0) return look.style('dim', 'No real system is in the shadow of ours in this rehearsal.');
  return items
    .map(({ title, url, compared, equal, skipped, waiting, lost, operations, differences }) => {
      const left = operations.filter((one) => one.skipped > 0).map(({ api }) => api);
      const counts = [
        `${compared} calls compared`,
        `${equal} equal`,
        skipped > 0 && `${skipped} skipped (${left.join(', ')})`,
        waiting > 0 && `${waiting} waiting`,
        lost > 0 && `${lost} lost, because a process ended`,
      ];
      const head = `${look.style('bold', title)} ${look.style('dim', url ?? '')}\n${counts.filter(Boolean).join(', ')}`;
      const columns = { api: 'operation', pointer: 'member', count: 'count', ours: 'ours', theirs: 'theirs' };
      return differences.length === 0 ? head : `${head}\n${showRows(differences, columns, look)}`;
    })
    .join('\n\n');
}
