import { expect, test } from '@jest/globals';
import { describeLifeCycle } from '../../../control/operations/objects.ts';
import { objects } from '../../../shared/catalog/objects.ts';
import { type LifeCycleGraph, lifeCycleGraph } from '../../../ui/life-cycle/life-cycle-graph.ts';
import { type LifeCycleLayout, lifeCycleLayout, type Point } from '../../../ui/life-cycle/life-cycle-layout.ts';

const lifeCycles = objects.flatMap(describeLifeCycle);
const graphOf = (type: string) => {
  const lifeCycle = lifeCycles.find((one) => one.type === type);
  if (!lifeCycle) throw new Error(`${type} has no life cycle.`);
  return lifeCycleGraph(lifeCycle, undefined, []);
};

/** @returns the finished layout, and how often its making can be interrupted */
function layoutOf(graph: LifeCycleGraph): LifeCycleLayout & { readonly pauses: number } {
  const attempts = lifeCycleLayout(graph);
  for (let pauses = 0; ; pauses += 1) {
    const { done, value } = attempts.next();
    if (done) return { ...value, pauses };
  }
}

/** Which side of the line from one point to another a third point is on. */
const sideOf = (one: Point, other: Point, third: Point): number =>
  Math.sign((other.x - one.x) * (third.y - one.y) - (other.y - one.y) * (third.x - one.x));

type Stretch = readonly [Point, Point];
const cross = ([a, b]: Stretch, [c, d]: Stretch): boolean => sideOf(a, b, c) * sideOf(a, b, d) < 0 && sideOf(c, d, a) * sideOf(c, d, b) < 0;
const stretchesOf = (points: readonly Point[]): Stretch[] => points.slice(1).map((point, index) => [points[index] as Point, point]);

const crossingsOf = ({ edges }: LifeCycleLayout): string[] =>
  edges.flatMap((one, index) =>
    edges
      .slice(index + 1)
      .filter((other) => stretchesOf(one.points).some((stretch) => stretchesOf(other.points).some((another) => cross(stretch, another))))
      .map((other) => `${one.edge.from} → ${one.edge.to} and ${other.edge.from} → ${other.edge.to}`),
  );

const pointsAlong = (points: readonly Point[]): Point[] =>
  stretchesOf(points).flatMap(([a, b]) =>
    Array.from({ length: 50 }, (_, part) => ({ x: a.x + ((b.x - a.x) * part) / 50, y: a.y + ((b.y - a.y) * part) / 50 })),
  );

test.each(lifeCycles.map(({ type }) => type))(
  'The drawing of the life cycle of a %s has no crossing lines and no line behind a state',
  (type) => {
    const layout = layoutOf(graphOf(type));
    expect(crossingsOf(layout)).toEqual([]);
    for (const { edge, points } of layout.edges) {
      for (const [name, { x, y, width, height }] of layout.boxes) {
        const isWithin = (point: Point): boolean => Math.abs(point.x - x) < width / 2 - 1 && Math.abs(point.y - y) < height / 2 - 1;
        expect([type, edge.from, edge.to, name, pointsAlong(points).filter(isWithin)]).toEqual([type, edge.from, edge.to, name, []]);
      }
    }
  },
);

test.each(lifeCycles.map(({ type }) => type))(
  'The drawing of the life cycle of a %s shows every move, as a line or as a note in both states',
  (type) => {
    const graph = graphOf(type);
    const { edges, notes } = layoutOf(graph);
    const isNoted = ({ from, to, verbs }: (typeof graph.edges)[number]): boolean =>
      verbs.every((verb) => notes.get(from ?? '')?.leads.includes(verb) && notes.get(to)?.comes.includes(verb));
    expect(edges.length).toBeGreaterThan(0);
    for (const edge of graph.edges) {
      const isDrawn = edges.some((placed) => placed.edge === edge);
      expect([edge, isDrawn !== isNoted(edge)]).toEqual([edge, true]);
    }
  },
);

test('The drawing of the life cycle of a shipment has notes for moves that many states share', () => {
  const { notes } = layoutOf(graphOf('shipment'));
  expect(notes.get('in-transit')).toEqual({ leads: ['return', 'lose'], comes: [] });
  expect(notes.get('lost')).toEqual({ leads: [], comes: ['lose'] });
});

test('The drawing of the life cycle of a shipment places a state without lines below its source states', () => {
  const { boxes } = layoutOf(graphOf('shipment'));
  expect(boxes.get('returned-to-sender')?.y).toBeGreaterThan(boxes.get('held-at-depot')?.y ?? Number.POSITIVE_INFINITY);
});

test('The drawing of the life cycle of a payment, which takes many attempts, can be interrupted between them', () => {
  expect(layoutOf(graphOf('payment')).pauses).toBeGreaterThan(50);
});
