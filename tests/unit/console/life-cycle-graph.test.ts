import { expect, test } from '@jest/globals';
import { type LifeCycle, lifeCycleGraph, verbOf } from '../../../ui/life-cycle/life-cycle-graph.ts';
import { type LifeCycleLayout, lifeCycleLayout } from '../../../ui/life-cycle/life-cycle-layout.ts';
import { historyOf } from '../../../ui/objects/object-history.ts';

const move = (verb: string, from: string | null, to: string, event = 'ext.lamp-changed') => ({
  verb,
  from,
  to,
  events: [event],
  trigger: verb,
});
const lamp: LifeCycle = {
  type: 'lamp',
  states: ['off', 'on', 'broken'],
  moves: [
    move('make', null, 'off', 'lamp-made'),
    move('switch', 'off', 'on'),
    move('flash', 'off', 'on'),
    move('switch', 'on', 'off'),
    move('dim', 'on', 'on'),
    move('drop', 'on', 'broken', 'lamp-broken'),
    move('drop', 'broken', 'broken'),
  ],
};
const event = (version: number, type: string, state: string, previousState?: string) => ({
  order: 100 - version,
  event: {
    id: `evt_${version}`,
    type: `com.unified-commerce.${type}`,
    time: '2026-01-01T00:00:00.000Z',
    aggregateversion: version,
    data: { object: { state }, ...(previousState !== undefined && { previousState }) },
  },
});
const history = historyOf([
  event(3, 'ext.lamp-changed', 'off', 'on'),
  event(2, 'ext.lamp-changed', 'on', 'off'),
  event(1, 'lamp-made', 'off'),
  event(4, 'ext.lamp-changed', 'on', 'off'),
]);

test('The history of an object is sorted by version, not by order on the bus, and begins without a state', () => {
  expect(history.map(({ version, from, to }) => [version, from, to])).toEqual([
    [1, null, 'off'],
    [2, 'off', 'on'],
    [3, 'on', 'off'],
    [4, 'off', 'on'],
  ]);
});

test('The history of an object names the verb of a change if only one verb is possible', () =>
  expect(history.map((change) => verbOf(lamp, change))).toEqual(['make', undefined, 'switch', undefined]));

const graph = lifeCycleGraph(lamp, 'on', history);

test('The graph of a life cycle has one edge for all moves between two states, with the number of moves made', () => {
  expect(graph.edges.map(({ from, to, verbs, taken }) => [from, to, verbs, taken])).toEqual([
    [null, 'off', ['make'], 1],
    ['off', 'on', ['switch', 'flash'], 2],
    ['on', 'off', ['switch'], 1],
    ['on', 'broken', ['drop'], 0],
  ]);
});

test('The graph of a life cycle lists verbs that keep the state, and for verbs that also move, the states they keep', () => {
  expect(graph.keeping).toEqual([
    { verb: 'dim', only: [] },
    { verb: 'drop', only: ['broken'] },
  ]);
});

test('The graph of a life cycle marks the current state and the earlier states', () => {
  expect(graph.states).toEqual([
    { name: 'off', isPresent: false, wasReached: true },
    { name: 'on', isPresent: true, wasReached: true },
    { name: 'broken', isPresent: false, wasReached: false },
  ]);
});

test('The graph of a life cycle runs from top to bottom inside its frame', () => {
  // The first attempt has no crossings.
  const { width, height, start, boxes, edges } = lifeCycleLayout(graph).next().value as LifeCycleLayout;
  const [off, on, broken] = ['off', 'on', 'broken'].map((name) => boxes.get(name));
  const ys = [start, off, on, broken].map((box) => box?.y ?? 0);
  expect(ys).toEqual(ys.toSorted((one, other) => one - other));
  for (const { x, y } of [...boxes.values(), ...edges.flatMap(({ points }) => points)]) {
    expect(x >= 0 && x <= width && y >= 0 && y <= height).toBe(true);
  }
  expect(edges.map(({ lines }) => lines)).toContainEqual(['switch, flash']);
});
