import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { OrderedList } from '../../shared/store/memory/ordered-list.ts';

test('An ordered list returns its items after a position, or the newest first before a position', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.boolean())),
      fc.integer({ min: 0, max: 41 }),
      fc.integer({ min: 0, max: 5 }),
      (steps, from, limit) => {
        const list = new OrderedList<{ readonly order: number }>();
        const model = new Set<number>();
        for (const [order, isThere] of steps) {
          if (isThere) list.put({ order });
          else list.remove(order);
          if (isThere) model.add(order);
          else model.delete(order);
        }
        const all = [...model].toSorted((a, b) => a - b);
        expect([...list].map(({ order }) => order)).toEqual(all);
        expect(list.after(from, limit).map(({ order }) => order)).toEqual(all.filter((order) => order > from).slice(0, limit));
        const before = all.filter((order) => from === 0 || order < from).toReversed();
        expect(list.before(from, limit).map(({ order }) => order)).toEqual(before.slice(0, limit));
      },
    ),
  );
});

test('An ordered list finds a page among 20,000 items and reads only a few more items than the page has', () => {
  let looks = 0;
  const things = Array.from({ length: 20_000 }, (_, place) => ({
    get order() {
      looks += 1;
      return place + 1;
    },
  }));
  const list = new OrderedList(things);
  for (const place of [0, 1, 10_000, 19_999]) list.after(place, 20);
  for (const place of [0, 2, 10_000, 20_000]) list.before(place, 20);
  expect(looks).toBeLessThan(8 * 20);
});
