import { Graph, layout } from '@dagrejs/dagre';
import type { Edge, LifeCycleGraph } from './life-cycle-graph.ts';

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
}

/** Pixels of a character, about: fonts differ. */
const CHARACTER = 6.7;
export const LINE = 14;
const STATE_HEIGHT = 28;
/** No state has this name. The layout does not take an empty one. */
const START = '(new)';
/** Longer words about a move go on in the next line. */
const LONGEST_LINE = 22;

/** Places for states, moves and words, from top to bottom. */
export function lifeCycleLayout({ states, edges }: LifeCycleGraph): LifeCycleLayout {
  const graph = new Graph({ multigraph: false });
  graph.setGraph({ rankdir: 'TB', nodesep: 12, edgesep: 6, ranksep: 22, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  const hasStart = edges.some(({ from }) => from === null);
  if (hasStart) graph.setNode(START, { width: 12, height: 12 });
  for (const { name } of states) graph.setNode(name, { width: name.length * 7.4 + 26, height: STATE_HEIGHT });
  const order = states.map(({ name }) => name);
  // Moves to an earlier state may bend; those that lead on stay short and straight.
  const leadsBack = ({ from, to }: Edge): boolean => from !== null && order.indexOf(from) > order.indexOf(to);
  const labelled = edges.map((edge) => ({ edge, lines: linesOf(edge.verbs) }));
  for (const { edge, lines } of labelled) {
    const width = Math.max(...lines.map(({ length }) => length)) * CHARACTER + 6;
    graph.setEdge(edge.from ?? START, edge.to, { width, height: lines.length * LINE, labelpos: 'c', weight: leadsBack(edge) ? 0 : 1 });
  }
  layout(graph);
  const boxOf = (name: string): Box => {
    const { x = 0, y = 0, width, height } = graph.node(name);
    return { x, y, width, height };
  };
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    start: hasStart ? boxOf(START) : undefined,
    boxes: new Map(states.map(({ name }) => [name, boxOf(name)])),
    edges: labelled.map(({ edge, lines }) => {
      const { points = [], x = 0, y = 0 } = graph.edge(edge.from ?? START, edge.to) as { points?: Point[]; x?: number; y?: number };
      return { edge, points, label: { x, y }, lines };
    }),
  };
}

function linesOf(verbs: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const verb of verbs) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + verb.length + 2 <= LONGEST_LINE) lines[lines.length - 1] = `${last}, ${verb}`;
    else lines.push(verb);
  }
  return lines;
}
