import type { Look } from './look.ts';
import { table } from './table.ts';

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
