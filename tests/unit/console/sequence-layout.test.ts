import { expect, test } from '@jest/globals';
import { headWidth } from '../../../ui/sequence/sequence-layout.ts';
import { traceLayout } from '../../../ui/sequence/trace-layout.ts';
import { traceTree } from '../../../ui/sequence/trace-tree.ts';
import { aHop, confirmedOrder } from './a-hop.ts';

const layout = traceLayout(traceTree(confirmedOrder), 720);

test('A sequence diagram has its columns sorted by first appearance, at equal distances', () => {
  expect(layout.columns.all.map(({ id }) => id)).toEqual(['client', 'oms', 'payment-hub', 'fms', 'inventory-service', 'sim', 'wms']);
  const gaps = layout.columns.all.slice(1).map(({ x }, index) => x - (layout.columns.all[index]?.x ?? 0));
  expect(Math.max(...gaps) - Math.min(...gaps)).toBeLessThanOrEqual(1);
});

test('A sequence diagram has one row for each hop, all inside its frame', () => {
  expect(layout.messages.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
  const ys = layout.messages.map(({ y }) => y);
  expect(ys).toEqual([...new Set(ys)].toSorted((one, other) => one - other));
  expect(layout.height).toBeGreaterThan(Math.max(...layout.messages.map(({ bar }) => bar.y + bar.height)));
});

test('A sequence diagram ends the bar of a callee below its last call and above the next row', () => {
  const [confirm, payments, fulfill, , reservation] = layout.messages;
  const end = (row: typeof confirm): number => (row ? row.bar.y + row.bar.height : 0);
  expect(end(confirm)).toBe(end(reservation));
  expect(end(fulfill)).toBe(end(reservation));
  expect(end(payments)).toBeLessThan(fulfill?.y ?? 0);
});

test('A sequence diagram separates hops after the answer, with space for a text', () => {
  const [inside, after] = layout.messages.slice(4);
  expect(layout.notes[0]?.y).toBeGreaterThan(inside?.y ?? 0);
  expect(layout.notes[0]?.y).toBeLessThan(after?.y ?? 0);
  expect(traceLayout(traceTree([aHop('a', 'oms')]), 720).notes).toEqual([]);
});

test('A sequence diagram uses the available width, with a minimum distance between columns', () => {
  expect(traceLayout(traceTree(confirmedOrder), 100).columns.gap).toBe(80);
  expect(traceLayout(traceTree(confirmedOrder), 100).columns.width).toBeGreaterThan(450);
  expect(traceLayout(traceTree(confirmedOrder), 5_000).columns.gap).toBe(168);
});

test('A sequence diagram draws the bars of an application that calls itself side by side', () => {
  const rows = traceLayout(traceTree([aHop('a', 'oms', { calls: ['b'] }), aHop('b', 'oms', { parentId: 'a' })]), 720).messages;
  expect(rows[1]?.bar.x).toBeGreaterThan(rows[0]?.bar.x ?? 0);
});

test.each([100, 720, 1_050, 1_600, 5_000])(
  'A sequence diagram of %i pixels includes the names of the first and the last column',
  (room) => {
    const { all: columns, gap, width } = traceLayout(traceTree(confirmedOrder), room).columns;
    const half = headWidth(gap) / 2;
    expect((columns[0]?.x ?? 0) - half).toBeGreaterThanOrEqual(0);
    expect((columns.at(-1)?.x ?? 0) + half).toBeLessThanOrEqual(width);
  },
);
