import { describe, expect, test } from '@jest/globals';
import { applicationNames } from '../../../shared/catalog/applications.ts';
import { layoutEstateMap, NARROW, WIDE } from '../../../ui/overview/estate-map-layout.ts';

const onMap = [...applicationNames, 'touchpoint'];
const call = (from: string, to: string, calls = 1) => ({ from, to, calls, failed: 0 });
const every = onMap.flatMap((from) => onMap.filter((to) => to !== from).map((to) => call(from, to)));

/** Points along a path of M, C and H commands with absolute coordinates. */
function pointsOf(line: string): { x: number; y: number }[] {
  const points: { x: number; y: number }[] = [];
  let at = { x: 0, y: 0 };
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
    expect(nodes.map(({ id }) => id).sort()).toEqual(onMap.toSorted());
    for (const { id, x, y } of nodes) {
      expect([id, x >= 0 && y >= 0 && x + box.width <= map.width && y + box.height <= map.height]).toEqual([id, true]);
      const others = nodes.filter((other) => other.id !== id);
      expect(others.filter((other) => Math.abs(other.x - x) < box.width && Math.abs(other.y - y) < box.height)).toEqual([]);
    }
  });

  test('The estate map draws no line behind a node, for any calls', () => {
    for (const one of every) {
      const { nodes, calls } = layoutEstateMap([one], size);
      const inside = pointsOf(calls[0]?.line ?? '').filter(({ x, y }) =>
        nodes.some((node) => x > node.x + 0.1 && x < node.x + box.width - 0.1 && y > node.y && y < node.y + box.height),
      );
      expect([one, inside]).toEqual([one, []]);
    }
  });

  test('The estate map draws no line behind a node when every application calls every other one', () => {
    const { nodes, calls } = layoutEstateMap(every, size);
    expect(calls).toHaveLength(every.length);
    for (const { from, to, line } of calls) {
      const inside = pointsOf(line).filter(({ x, y }) =>
        nodes.some((node) => x > node.x + 0.1 && x < node.x + box.width - 0.1 && y > node.y && y < node.y + box.height),
      );
      expect([from, to, inside]).toEqual([from, to, []]);
    }
  });

  test('The estate map draws each line from one of its nodes to the other', () => {
    for (const one of every) {
      const { nodes, calls } = layoutEstateMap([one], size);
      const points = pointsOf(calls[0]?.line ?? '');
      const touches = (id: string, point: { x: number; y: number } | undefined) =>
        nodes.some(
          (node) =>
            node.id === id &&
            point !== undefined &&
            [node.x, node.x + box.width].includes(point.x) &&
            point.y > node.y &&
            point.y < node.y + box.height,
        );
      expect([one, touches(one.from, points[0]), touches(one.to, points.at(-1))]).toEqual([one, true, true]);
    }
  });

  test('The estate map draws every line inside the picture', () => {
    const outside = layoutEstateMap(every, size).calls.flatMap(({ line }) => pointsOf(line).filter(({ x }) => x < 0 || x > map.width));
    expect(outside).toEqual([]);
  });
});

describe('The layout of the estate map', () => {
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

  test('The estate map omits calls from outside, by unknown applications, and of an application to itself', () => {
    expect(layoutEstateMap([call('client', 'oms'), call('oms', 'somewhere'), call('oms', 'oms')]).calls).toEqual([]);
  });
});
