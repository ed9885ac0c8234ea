import type { Arrow } from './sequence.ts';
import { BAR } from './shapes.ts';

/** Pixels. */
export const GEOMETRY = {
  heads: 44,
  top: 24,
  row: 30,
  clock: 24,
  left: 70,
  right: 110,
  narrowest: 84,
  widest: 150,
  room: 1_140,
  nested: 4,
  deepest: 5,
} as const;

export interface Column {
  readonly id: string;
  readonly x: number;
}

/** The columns of the participants. All parts of a diagram share them. */
export interface Columns {
  readonly all: readonly Column[];
  readonly gap: number;
  readonly width: number;
}

export function columnsOf(participants: readonly string[]): Columns {
  const { left, right, narrowest, widest, room } = GEOMETRY;
  const spaces = Math.max(participants.length - 1, 1);
  const gap = Math.floor(Math.min(Math.max((room - left - right) / spaces, narrowest), widest));
  return { all: participants.map((id, index) => ({ id, x: left + index * gap })), gap, width: left + right + spaces * gap };
}

/** A line of a part: an arrow, or a jump of the clock. */
export type Line = { readonly arrow: Arrow } | { readonly clock: string };

export interface PlacedArrow {
  readonly arrow: Arrow;
  readonly y: number;
  readonly fromX: number;
  readonly toX: number;
  /** The bar on the callee, which ends after its last call in this part. */
  readonly bar: { readonly x: number; readonly y: number; readonly height: number };
}

export interface PlacedPart {
  readonly arrows: readonly PlacedArrow[];
  readonly clocks: readonly { readonly text: string; readonly y: number }[];
  /** The y where the lifelines begin. */
  readonly top: number;
  readonly height: number;
}

/** Places the lines of a part below each other. @param hasHeads leaves room for the names of the participants */
export function placePart(lines: readonly Line[], { all }: Columns, hasHeads: boolean): PlacedPart {
  const { heads, top, row, clock, nested, deepest, left } = GEOMETRY;
  const xOf = new Map(all.map(({ id, x }) => [id, x]));
  const begin = hasHeads ? heads : 0;
  let y = begin + top - row;
  const ys = lines.map((line) => {
    y += 'clock' in line ? clock : row;
    return y;
  });
  const rows = lines.flatMap((line, index) => ('arrow' in line ? [{ arrow: line.arrow, y: ys[index] ?? 0 }] : []));
  const ends = endsOf(rows);
  const placed = rows.map(({ arrow, y: at }, index): PlacedArrow => {
    const open = rows.slice(0, index).filter(({ arrow: { to } }, above) => to === arrow.to && (ends[above] ?? 0) >= at);
    const toX = xOf.get(arrow.to) ?? left;
    const barX = toX - BAR / 2 + Math.min(open.length, deepest) * nested;
    return { arrow, y: at, fromX: xOf.get(arrow.from) ?? left, toX, bar: { x: barX, y: at - 1, height: (ends[index] ?? at) - at + 14 } };
  });
  const clocks = lines.flatMap((line, index) => ('clock' in line ? [{ text: line.clock, y: ys[index] ?? 0 }] : []));
  return { arrows: placed, clocks, top: begin, height: y + row - 8 };
}

/** The y of the last hop below each hop. */
function endsOf(rows: readonly { readonly arrow: Arrow; readonly y: number }[]): readonly number[] {
  const indices = new Map(rows.map(({ arrow }, index) => [arrow, index]));
  const ends = rows.map(({ y }) => y);
  for (const { arrow, y } of rows) {
    for (let { caller } = arrow; caller !== undefined; { caller } = caller) {
      const index = indices.get(caller);
      if (index !== undefined) ends[index] = Math.max(ends[index] ?? y, y);
    }
  }
  return ends;
}
