import { BAR } from './shapes.ts';
import type { TraceRow, TraceTree } from './trace-tree.ts';

/** Pixels. */
export const GEOMETRY = { head: 38, top: 64, row: 30, section: 26, margin: 42, narrowest: 80, widest: 168, nested: 4 } as const;

/** Of the box with a column's name. */
export const headWidth = (gap: number): number => Math.min(gap - 4, 128);

export interface Column {
  /** An application, or `client`. */
  readonly id: string;
  readonly x: number;
}

export interface SequenceRow {
  readonly row: TraceRow;
  /** Place in reading order, from 1. */
  readonly number: number;
  readonly y: number;
  readonly fromX: number;
  readonly toX: number;
  /** The bar on the callee, which ends after its last call. */
  readonly bar: { readonly x: number; readonly y: number; readonly height: number };
}

export interface SequenceLayout {
  readonly columns: readonly Column[];
  readonly gap: number;
  readonly rows: readonly SequenceRow[];
  /** Of the words above the rows that ran afterwards. */
  readonly afterwardsY: number | undefined;
  readonly width: number;
  readonly height: number;
}

/** Places a trace: columns sorted by their first appearance, one row for each hop. @param room available pixels */
export function sequenceLayout({ rows, afterwards }: TraceTree, room: number): SequenceLayout {
  const { top, row: step, section, narrowest, widest, nested } = GEOMETRY;
  const ids = [...new Set(rows.flatMap(({ from, hop }) => [from, hop.application]))];
  const spaces = Math.max(ids.length - 1, 1);
  const gapWithin = (margin: number): number => Math.min(Math.max((room - 2 * margin) / spaces, narrowest), widest);
  // The first and the last name stand half beside their columns.
  const margin = Math.max(GEOMETRY.margin, headWidth(gapWithin(GEOMETRY.margin)) / 2 + 2);
  const gap = gapWithin(margin);
  const xOf = new Map(ids.map((id, index) => [id, Math.round(margin + index * gap)]));
  const x = (id: string): number => xOf.get(id) ?? margin;
  const hasSection = afterwards > 0 && afterwards < rows.length;
  const yAt = (index: number): number => top + index * step + (hasSection && index >= afterwards ? section : 0);
  const placed = rows.map((row, index) => {
    const y = yAt(index);
    const left = x(row.hop.application) - BAR / 2 + nesting(rows, row) * nested;
    const height = yAt(row.last) - y + step / 2 - 3;
    return { row, number: index + 1, y, fromX: x(row.from), toX: x(row.hop.application), bar: { x: left, y: y - 1, height } };
  });
  return {
    columns: ids.map((id) => ({ id, x: x(id) })),
    gap,
    rows: placed,
    afterwardsY: hasSection ? yAt(afterwards) - step / 2 - 6 : undefined,
    // Words have the room beside the last column too.
    width: Math.max(Math.round(2 * margin + spaces * gap), room),
    height: yAt(Math.max(rows.length - 1, 0)) + step,
  };
}

/** How many callers above a hop are the same application: their bars stand side by side. */
function nesting(rows: readonly TraceRow[], { hop, parent }: TraceRow): number {
  let depth = 0;
  for (let at = parent; at !== undefined; at = rows[at]?.parent) if (rows[at]?.hop.application === hop.application) depth += 1;
  return depth;
}
