import { Graph, layout } from '@dagrejs/dagre';
import type { Edge, LifeCycleGraph } from './life-cycle-graph.ts';
import { type Note, notesIn, notesOf } from './life-cycle-notes.ts';
import { type Line, orderWithFewCrossings, type Rows } from './line-order.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}
export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}
export interface PlacedEdge {
  readonly edge: Edge;
  readonly points: readonly Point[];
  /** Middle of the words, and the lines of the words. */
  readonly label: Point;
  readonly lines: readonly string[];
}

export interface LifeCycleLayout {
  readonly width: number;
  readonly height: number;
  /** Where the object begins; absent: no move creates it. */
  readonly start: Point | undefined;
  readonly boxes: ReadonlyMap<string, Box>;
  readonly edges: readonly PlacedEdge[];
  /** Moves without a line, by the states that name them. */
  readonly notes: ReadonlyMap<string, Note>;
}

/** Approximate width of a character in pixels. */
const CHARACTER = { state: 7.4, verb: 6.7, note: 6.2 } as const;
export const LINE = 14;
const STATE_HEIGHT = 28;
/** The node of new objects. No state has this name, and the layout refuses an empty name. */
const START = '(new)';
/** Longer labels of a move continue in the next line. */
const LONGEST_LINE = 22;

type DagreGraph = InstanceType<typeof Graph>;

/**
 * Places for states, moves and words, from top to bottom, so that no lines cross where that is possible. It yields after each attempt,
 * because a payment needs nearly a hundred.
 */
export function* lifeCycleLayout(graph: LifeCycleGraph): Generator<void, LifeCycleLayout, void> {
  // Some life cycles can only be drawn without crossings if a state stands a row lower than it need to, or if a move is a note.
  const lowered = [undefined, ...graph.states.map(({ name }) => name).reverse()];
  const noted = [undefined, ...graph.edges.filter(({ from }) => from !== null).reverse()];
  let best: Attempt | undefined;
  for (const move of noted) {
    const { notes, drawn } = notesOf(graph, move);
    for (const state of lowered) {
      const attempt = { ...arrange(graph, drawn, notes, state), notes, drawn };
      if (best === undefined || attempt.crossings < best.crossings) best = attempt;
      if (best.crossings === 0) return placesIn(best, graph);
      yield;
    }
  }
  return placesIn(best as Attempt, graph);
}

interface Attempt extends ReturnType<typeof notesOf> {
  readonly arranged: DagreGraph;
  readonly crossings: number;
}

function arrange(
  { states, edges }: LifeCycleGraph,
  drawn: readonly Edge[],
  notes: ReadonlyMap<string, Note>,
  lowered: string | undefined,
): Pick<Attempt, 'arranged' | 'crossings'> {
  const arranged: DagreGraph = new Graph({ multigraph: false });
  arranged.setGraph({ rankdir: 'TB', nodesep: 12, edgesep: 6, ranksep: 22, marginx: 8, marginy: 8 });
  arranged.setDefaultEdgeLabel(() => ({}));
  if (hasStart(drawn)) arranged.setNode(START, { width: 12, height: 12 });
  for (const { name } of states) {
    const note = notes.get(name);
    const words = note ? notesIn(note).map((one) => one.words) : [];
    const width = Math.max(name.length * CHARACTER.state, words.join(', ').length * CHARACTER.note) + 26;
    arranged.setNode(name, { width, height: note ? STATE_HEIGHT + LINE : STATE_HEIGHT });
  }
  const order = states.map(({ name }) => name);
  // Moves to an earlier state may bend. Moves to a later state stay short and straight.
  const leadsBack = ({ from, to }: Edge): boolean => from !== null && order.indexOf(from) > order.indexOf(to);
  for (const edge of drawn) {
    const lines = linesOf(edge.verbs);
    arranged.setEdge(edge.from ?? START, edge.to, {
      width: Math.max(...lines.map(({ length }) => length)) * CHARACTER.verb + 6,
      height: lines.length * LINE,
      labelpos: 'c',
      weight: leadsBack(edge) ? 0 : 1,
      minlen: edge.to === lowered ? 2 : 1,
    });
  }
  // A state without a line is placed below the last state that leads to it.
  for (const { name } of states) {
    const isJoined = drawn.some(({ from, to }) => from === name || to === name);
    const before = isJoined ? undefined : edges.findLast(({ to }) => to === name)?.from;
    if (before) arranged.setEdge(before, name, { width: 0, height: 0, weight: 0 });
  }
  let crossings = 0;
  layout(arranged, {
    customOrder: (layered: DagreGraph) => {
      crossings = orderRows(layered);
    },
  });
  return { arranged, crossings };
}

/** Orders the rows of a graph whose lines lead from row to row. */
function orderRows(layered: DagreGraph): number {
  const byRow = Map.groupBy(layered.nodes() as string[], (item) => layered.node(item).rank ?? 0);
  const rows: Rows = [...byRow].toSorted(([one], [other]) => one - other).map(([, items]) => items);
  const lines = (layered.edges() as { v: string; w: string }[]).map(({ v, w }): Line => [v, w]);
  const ordered = orderWithFewCrossings(rows, lines);
  for (const row of ordered.rows) for (const [place, item] of row.entries()) layered.node(item).order = place;
  return ordered.crossings;
}

function placesIn({ arranged, drawn, notes }: Attempt, { states }: LifeCycleGraph): LifeCycleLayout {
  const boxOf = (name: string): Box => {
    const { x = 0, y = 0, width, height } = arranged.node(name);
    return { x, y, width, height };
  };
  const { width = 0, height = 0 } = arranged.graph() as { width?: number; height?: number };
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    start: hasStart(drawn) ? boxOf(START) : undefined,
    boxes: new Map(states.map(({ name }) => [name, boxOf(name)])),
    edges: drawn.map((edge) => {
      const { points = [], x = 0, y = 0 } = arranged.edge(edge.from ?? START, edge.to) as { points?: Point[]; x?: number; y?: number };
      return { edge, points, label: { x, y }, lines: linesOf(edge.verbs) };
    }),
    notes,
  };
}

const hasStart = (drawn: readonly Edge[]): boolean => drawn.some(({ from }) => from === null);

function linesOf(verbs: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const verb of verbs) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + verb.length + 2 <= LONGEST_LINE) lines[lines.length - 1] = `${last}, ${verb}`;
    else lines.push(verb);
  }
  return lines;
}
