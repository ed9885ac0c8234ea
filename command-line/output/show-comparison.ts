import type { ControlOutput } from '../../shared/catalog/control/define-operation.ts';
import type { compareWorlds } from '../../shared/catalog/control/operations/snapshots.ts';
import { inWords, showRows } from './show-answer.ts';
import type { Look } from './table.ts';

type Comparison = ControlOutput<typeof compareWorlds>;
type ChangedObject = Comparison['objects'][number];

const SIGNS = { added: '+', removed: '-', changed: '~' } as const;

/** A block for each object that differs, then a table of the counters. */
export function showComparison({ from, to, books, objects, counters, omitted }: Comparison, look: Look): string {
  const head = `${from.world} at ${inWords(from.now)}\n${to.world} at ${inWords(to.now)}`;
  if (books.length + objects.length + counters.length === 0) return `${head}\n\n${look.style('dim', 'Nothing differs.')}`;
  const inBooks = books.map(({ book, entry, from, to }) => ({ book, entry, from, to, change: signed(to - from) }));
  const numbers = counters.map(({ from, to, counter, key, field }) => ({ counter, key, field, from, to, change: signed(to - from) }));
  const parts = [
    head,
    ...(inBooks.length > 0 ? [showRows(inBooks, undefined, look)] : []),
    ...objects.map((object) => showObject(object, look)),
    ...(numbers.length > 0 ? [showRows(numbers, undefined, look)] : []),
  ];
  return [...parts, ...(omitted > 0 ? [look.style('dim', `${omitted} more differ.`)] : [])].join('\n\n');
}

function showObject({ type, id, label, change, members }: ChangedObject, look: Look): string {
  const title = `${SIGNS[change]} ${type} ${id}${label === undefined ? '' : ` (${label})`}`;
  const lines = members.map(({ member, from, to }) =>
    change === 'changed' ? `    ${member}: ${shown(from)} → ${shown(to)}` : `    ${member}: ${shown(from ?? to)}`,
  );
  return [look.style('bold', title), ...lines].join('\n');
}

const shown = (value: unknown): string => (value === undefined ? 'none' : inWords(value));

const signed = (number: number): string => (number > 0 ? `+${number}` : String(number));
