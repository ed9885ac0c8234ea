import { describe, expect, test } from '@jest/globals';
import {
  axisOf,
  clustersOf,
  type Mark,
  panned,
  type Scale,
  showing,
  spanWords,
  ticksOf,
  WHOLE,
  zoomed,
} from '../../../ui/timelines/axis.ts';
import { forkPoints } from '../../../ui/timelines/fork-point.ts';

const START = Date.parse('2026-03-01T10:00:00.000Z');
const mark = (ms: number, words = 'Create Order'): Mark => ({
  at: new Date(START + ms).toISOString(),
  kind: 'call',
  application: 'oms',
  words,
  outcome: 'ok',
  what: 'hop',
  id: `${ms} ${words}`,
});
const WIDTH = 1_000;
const MONTH = 30 * 86_400_000;

describe.each<Scale>(['folded', 'true'])('The %s axis', (scale) => {
  // Three marks at one instant, then a second, an hour and a month later.
  const marks = [mark(0), mark(0, 'second'), mark(0, 'third'), mark(1_000), mark(3_600_000), mark(MONTH)];
  const axis = axisOf(marks, START + MONTH + 5_000, scale);

  test(`The ${scale} axis keeps the sequence of its marks within its bounds`, () => {
    expect(axis.places).toHaveLength(marks.length);
    expect(axis.places).toEqual(axis.places.toSorted((one, other) => one - other));
    expect(axis.places.every((place) => place > 0 && place < 1)).toBe(true);
  });

  test(`The ${scale} axis finds an instant by its place again, and limits it to the timeline`, () => {
    for (const at of [START, START + 1_000, START + 500_000, START + 3_600_000, START + MONTH / 2, START + MONTH]) {
      expect([at, Math.abs(axis.instantAt(axis.placeOf(at)) - at) <= 1]).toEqual([at, true]);
    }
    expect([axis.instantAt(-1), axis.instantAt(2)]).toEqual([START, START + MONTH + 5_000]);
  });

  test(`The ${scale} axis zooms around a place down to its shortest part, and never beyond its ends`, () => {
    const place = axis.placeOf(START + 1_000);
    let view = WHOLE;
    for (let n = 0; n < 60; n += 1) view = zoomed(view, place, 0.5, axis);
    expect(view.to - view.from).toBeCloseTo(axis.least, 12);
    expect([view.from <= place, place <= view.to]).toEqual([true, true]);
    expect(zoomed(view, place, 1e12, axis)).toEqual(WHOLE);
    expect(panned({ from: 0.2, to: 0.4 }, -9)).toEqual({ from: 0, to: 0.2 });
    expect(showing({ from: 0, to: 0.2 }, 0.9).to).toBeCloseTo(1, 12);
  });
});

test('The folded axis puts marks of one instant side by side, and the true axis at one place', () => {
  const marks = [mark(0), mark(0, 'second'), mark(60_000)];
  const [folded, real] = (['folded', 'true'] as const).map((scale) => axisOf(marks, START + 60_000, scale));
  expect(new Set(folded?.places).size).toBe(3);
  expect(new Set(real?.places).size).toBe(2);
});

test('The true axis shows a month in days, and zooms to milliseconds', () => {
  const marks = [mark(0), mark(40), mark(MONTH)];
  const axis = axisOf(marks, START + MONTH, 'true');
  expect(ticksOf(axis, WHOLE, WIDTH).map(({ words }) => words)).toEqual(expect.arrayContaining(['5 Mar 00:00', '26 Mar 00:00']));
  let view = WHOLE;
  for (let n = 0; n < 60; n += 1) view = zoomed(view, axis.placeOf(START), 0.5, axis);
  const words = ticksOf(axis, view, WIDTH).map((tick) => tick.words);
  expect(words[0]).toMatch(/^1 Mar 10:00:00\.0\d\d$/);
  expect(words.length).toBeGreaterThan(2);
});

test('Marks that are too near to be drawn apart join, and come apart when the axis is zoomed', () => {
  const marks = [mark(0), mark(1_000), mark(3_600_000)];
  const axis = axisOf(marks, START + 3_600_000, 'true');
  const joined = clustersOf([0, 1, 2], marks, axis, WHOLE, WIDTH);
  expect(joined.map((cluster) => cluster.marks.length)).toEqual([2, 1]);
  let view = WHOLE;
  for (let n = 0; n < 8; n += 1) view = zoomed(view, axis.placeOf(START), 0.5, axis);
  expect(clustersOf([0, 1, 2], marks, axis, view, WIDTH).map((cluster) => cluster.marks.length)).toEqual([1, 1]);
});

test('An axis of ten thousand marks draws as few clusters and ticks as fit into the window', () => {
  const marks = Array.from({ length: 10_000 }, (_, n) => mark(n * 7));
  const indices = marks.map((_, index) => index);
  for (const scale of ['folded', 'true'] as const) {
    const axis = axisOf(marks, START + 70_000, scale);
    const clusters = clustersOf(indices, marks, axis, WHOLE, WIDTH);
    expect([scale, clusters.length < 70, clusters.reduce((sum, one) => sum + one.marks.length, 0)]).toEqual([scale, true, 10_000]);
    expect(ticksOf(axis, WHOLE, WIDTH).length).toBeLessThan(12);
  }
});

test('An axis without marks, or with a single instant, has a beginning and an end', () => {
  for (const marks of [[], [mark(0)]]) {
    for (const scale of ['folded', 'true'] as const) {
      const axis = axisOf(marks, START, scale);
      expect([axis.stops, axis.instantAt(0.5)]).toEqual([[START], START]);
      expect(Number.isFinite(axis.placeOf(START))).toBe(true);
      expect(ticksOf(axis, WHOLE, WIDTH).length).toBeLessThanOrEqual(12);
    }
  }
});

test('A span is named in its largest unit', () => {
  expect([90 * 86_400_000, 49 * 3_600_000, 4 * 60_000, 9_000, 250].map(spanWords)).toEqual(['90 days', '49 h', '4 min', '9 s', '250 ms']);
});

describe('The points that a fork can begin with', () => {
  const snapshot = (name: string, now: string, more = {}) => ({
    name,
    now: `2026-03-${now}:00:00.000Z`,
    rehearsal: 'mine',
    takenAt: '2026-11-30T10:00:00.000Z',
    estate: '0.1.0',
    digest: '',
    bytes: 1,
    objects: 1,
    events: 1,
    ...more,
  });
  const all = [
    snapshot('late', '03T10'),
    snapshot('early', '01T10'),
    snapshot('other', '02T09', { rehearsal: 'other' }),
    snapshot('before-reset', '02T09', { takenAt: '2026-11-29T10:00:00.000Z' }),
  ];
  const from = (at: string) =>
    forkPoints(all, {
      at: Date.parse(`2026-03-${at}:00:00.000Z`),
      now: Date.parse('2026-03-04T00:00:00.000Z'),
      rehearsal: 'mine',
      since: '2026-11-30T00:00:00.000Z',
    });
  const names = (at: string) => ({
    nearest: from(at).nearest?.snapshot ?? from(at).nearest,
    later: from(at).later.map((one) => one.snapshot),
  });

  test('A fork begins with the nearest snapshot of this world at or before the instant', () => {
    expect(names('02T10')).toEqual({ nearest: 'early', later: ['late', undefined] });
    expect(names('03T10')).toEqual({ nearest: 'late', later: [undefined] });
  });

  test('A fork from before the first snapshot has no early point, and the next ones are offered', () => {
    expect(names('01T09')).toEqual({ nearest: undefined, later: ['early', undefined] });
  });

  test('A fork from the end begins with the rehearsal as it is', () => {
    expect(from('04T00')).toEqual({ nearest: { snapshot: undefined, at: Date.parse('2026-03-04T00:00:00.000Z') }, later: [] });
  });
});
