import { describe, expect, test } from '@jest/globals';
import { applicationNames } from '../../../shared/catalog/applications.ts';
import { layoutEstateMap, NARROW, WIDE, withoutDetails } from '../../../ui/overview/estate-map-layout.ts';
import { expectKept } from '../../support/kept-list.ts';

const onMap = [...applicationNames, 'touchpoint'];
const call = (from: string, to: string, calls = 1) => ({ from, to, calls, failed: 0 });
const every = onMap.flatMap((from) => onMap.filter((to) => to !== from).map((to) => call(from, to)));

interface Point {
  readonly x: number;
  readonly y: number;
}
const NOWHERE: Point = { x: -1, y: -1 };

/** Points along a path of M, C and H commands with absolute coordinates. */
function pointsOf(line: string): readonly Point[] {
  const points: Point[] = [];
  let at: Point = { x: 0, y: 0 };
  for (const [, command, data = ''] of line.matchAll(/([MCH])([^MCH]*)/g)) {
    const numbers = data
      .trim()
      .split(/[\s,]+/)
      .map(Number);
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = numbers;
    const end = command === 'C' ? { x: e, y: f } : command === 'H' ? { x: a, y: at.y } : { x: a, y: b };
    for (let t = 0.02; command !== 'M' && t < 1; t += 0.02) {
      const u = 1 - t;
      const bend = (p0: number, p1: number, p2: number, p3: number) => u ** 3 * p0 + 3 * u * u * t * p1 + 3 * u * t * t * p2 + t ** 3 * p3;
      points.push(command === 'C' ? { x: bend(at.x, a, c, e), y: bend(at.y, b, d, f) } : { x: u * at.x + t * end.x, y: at.y });
    }
    at = end;
    points.push(at);
  }
  return points;
}

describe.each([
  ['wide', WIDE],
  ['narrow', NARROW],
])('The layout of the %s estate map', (_name, size) => {
  const { map, node: box } = size;

  test('The estate map has every application and the touchpoint once, inside the picture and without overlap', () => {
    const { nodes } = layoutEstateMap([], size);
    const ids = nodes.map(({ id }) => id);
    expectKept('ui/overview/estate-map-layout.ts, a lane of LANES', ids, onMap);
    expect(ids.length).toBe(onMap.length);
    for (const { id, x, y } of nodes) {
      expect([id, x >= 0 && y >= 0 && x + box.width <= map.width && y + box.height <= map.height]).toEqual([id, true]);
      const others = nodes.filter((other) => other.id !== id);
      expect(others.filter((other) => Math.abs(other.x - x) < box.width && Math.abs(other.y - y) < box.height)).toEqual([]);
    }
  });

  test.each([
    ['one call', every.map((one) => [one])],
    ['a call of each application to every other one', [every]],
  ])('The estate map of %s draws each line from one node to the other, inside the picture and behind no node', (_calls, maps) => {
    for (const given of maps) {
      const { nodes, calls } = layoutEstateMap(given, size);
      expect(calls).toHaveLength(given.length);
      const behind = ({ x, y }: Point) =>
        nodes.some((node) => x > node.x + 0.1 && x < node.x + box.width - 0.1 && y > node.y && y < node.y + box.height);
      const touches = (id: string, { x, y }: Point) =>
        nodes.some((node) => node.id === id && [node.x, node.x + box.width].includes(x) && y > node.y && y < node.y + box.height);
      for (const { from, to, line } of calls) {
        const points = pointsOf(line);
        const wrong = points.filter((point) => point.x < 0 || point.x > map.width || behind(point));
        const [first, last] = [points[0] ?? NOWHERE, points.at(-1) ?? NOWHERE];
        expect([from, to, wrong, touches(from, first), touches(to, last)]).toEqual([from, to, [], true, true]);
      }
    }
  });
});

test('The estate map draws one line for each direction of calls', () => {
  const { calls } = layoutEstateMap([call('oms', 'payment-hub'), call('payment-hub', 'oms')]);
  expect(calls[0]?.line.split('C')[0]).not.toBe(calls[1]?.line.split(' ').slice(-2).join(' '));
  expect(new Set(calls.map(({ tip }) => tip)).size).toBe(2);
});

test('The estate map draws a thicker line for more calls, up to a limit', () => {
  const thickness = (calls: number) => layoutEstateMap([call('oms', 'fms', calls)]).calls[0]?.thickness ?? 0;
  expect(thickness(2)).toBeGreaterThan(thickness(1));
  expect(thickness(8)).toBeGreaterThan(thickness(2));
  expect(thickness(1_000_000)).toBeLessThanOrEqual(5);
});

test('The estate map omits calls from outside, by unknown applications, and of an application to itself', () =>
  expect(layoutEstateMap([call('client', 'oms'), call('oms', 'somewhere'), call('oms', 'oms')]).calls).toEqual([]));

test.each([
  ['3,812 hops', '3,812 hops'],
  ['away', 'away'],
  ['mock, apart', 'mock'],
  ['shadow · 1,200 violations', 'shadow'],
])('The note %j of a narrow node is %j', (note, shown) => expect(withoutDetails(note)).toBe(shown));
