import type { Message } from './sequence.ts';

/** Pixels. */
export const GEOMETRY = { head: 40, row: 30, note: 26, margin: 42, narrowest: 80, widest: 168, nested: 4, bar: 9 } as const;

/** The width of the box with a column's name. */
export const headWidth = (gap: number): number => Math.min(gap - 4, 128);

interface Column {
  /** An application, or `client`. */
  readonly id: string;
  readonly x: number;
}

export interface Columns {
  readonly all: readonly Column[];
  readonly gap: number;
  readonly width: number;
}

/** Places the participants of a diagram. @param room available pixels */
export function columnsOf(participants: readonly string[], room: number): Columns {
  const { narrowest, widest } = GEOMETRY;
  const spaces = Math.max(participants.length - 1, 1);
  const gapWithin = (margin: number): number => Math.min(Math.max((room - 2 * margin) / spaces, narrowest), widest);
  // The first and the last name stand half beside their columns.
  const margin = Math.max(GEOMETRY.margin, headWidth(gapWithin(GEOMETRY.margin)) / 2 + 2);
  const gap = gapWithin(margin);
  return {
    all: participants.map((id, index) => ({ id, x: Math.round(margin + index * gap) })),
    gap,
    // Words have the room beside the last column too.
    width: Math.max(Math.round(2 * margin + spaces * gap), room),
  };
}

/** A line of a diagram: a message, or a text between messages. */
export type Line<M extends Message> = M | { readonly note: string };

export interface PlacedMessage<M extends Message = Message> {
  readonly message: M;
  /** Place in reading order, over all parts of a diagram. */
  readonly number: number;
  readonly y: number;
  readonly fromX: number;
  readonly toX: number;
  /** The bar on the callee, which ends after its last call. */
  readonly bar: { readonly x: number; readonly y: number; readonly height: number };
}

export interface Layout<M extends Message = Message> {
  readonly columns: Columns;
  readonly messages: readonly PlacedMessage<M>[];
  readonly notes: readonly { readonly text: string; readonly y: number }[];
  /** The y where the lifelines begin. */
  readonly top: number;
  readonly height: number;
}

interface Choices<M extends Message> {
  readonly callerOf: (message: M) => M | undefined;
  /** Leaves room for the names of the participants. */
  readonly hasHeads: boolean;
  /** Number of the first message. Default: 1. */
  readonly first?: number;
}

/** Places the lines of a diagram below each other. */
export function layOut<M extends Message>(
  lines: readonly Line<M>[],
  columns: Columns,
  { callerOf, hasHeads, first = 1 }: Choices<M>,
): Layout<M> {
  const { head, row, note, margin, nested, bar } = GEOMETRY;
  const xOf = new Map(columns.all.map(({ id, x }) => [id, x]));
  const top = hasHeads ? head : 0;
  let y = top - 4;
  const rows: { readonly message: M; readonly y: number }[] = [];
  const notes: { readonly text: string; readonly y: number }[] = [];
  for (const line of lines) {
    y += 'note' in line ? note : row;
    if ('note' in line) notes.push({ text: line.note, y: y - 2 });
    else rows.push({ message: line, y });
  }
  const ends = endsOf(rows, callerOf);
  const openBefore = openBars(rows, ends);
  const messages = rows.map(({ message, y: at }, index): PlacedMessage<M> => {
    const { application } = message.hop;
    const toX = xOf.get(application) ?? margin;
    const end = ends[index] ?? at;
    const place = { x: toX - bar / 2 + openBefore(application, at) * nested, y: at - 1, height: end - at + row / 2 - 3 };
    return { message, number: first + index, y: at, fromX: xOf.get(message.from) ?? margin, toX, bar: place };
  });
  return { columns, messages, notes, top, height: y + row - 8 };
}

/** Counts, row after row, the bars on an application that began above the row and have not ended there. */
function openBars<M extends Message>(
  rows: readonly { readonly message: M }[],
  ends: readonly number[],
): (application: string, y: number) => number {
  const byApplication = Map.groupBy(rows.keys(), (index) => rows[index]?.message.hop.application ?? '');
  const bars = new Map([...byApplication].map(([id, indices]) => [id, { ends: sortedEnds(indices, ends), begun: 0, ended: 0 }]));
  return (application, y) => {
    const of = bars.get(application);
    if (!of) return 0;
    while ((of.ends[of.ended] ?? y) < y) of.ended++;
    return of.begun++ - of.ended;
  };
}

const sortedEnds = (indices: readonly number[], ends: readonly number[]): readonly number[] =>
  indices.map((index) => ends[index] ?? 0).toSorted((one, other) => one - other);

/** The y of the last hop below each hop. A caller stands above its calls, so each hop passes its end to the next listed caller. */
function endsOf<M extends Message>(
  rows: readonly { readonly message: M; readonly y: number }[],
  callerOf: Choices<M>['callerOf'],
): readonly number[] {
  const indices = new Map(rows.map(({ message }, index) => [message, index]));
  const ends = rows.map(({ y }) => y);
  for (const [index, { message }] of [...rows.entries()].reverse()) {
    let caller = callerOf(message);
    while (caller !== undefined && !indices.has(caller)) caller = callerOf(caller);
    const above = caller && indices.get(caller);
    if (above !== undefined) ends[above] = Math.max(ends[above] ?? 0, ends[index] ?? 0);
  }
  return ends;
}
