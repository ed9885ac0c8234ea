import { expect, test } from '@jest/globals';
import { collectableAt } from '../../services/inventory-service/collection-points.ts';
import type { StoredLocation } from '../../services/inventory-service/collections.ts';
import { READ_TOGETHER, readLevels } from '../../services/inventory-service/levels.ts';
import { DEFAULT_FIGURES } from '../../shared/catalog/retailer.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { countingPauses } from '../support/counting-pauses.ts';

/** The sizes of the reads of counters, and the turns that other work gets. */
async function readingOf(skus: number, locations: number) {
  const reads: number[] = [];
  const { breathe, taken } = countingPauses();
  const counters = async (_of: unknown, keys: readonly string[]) => {
    reads.push(keys.length);
    return keys.map((key) => ({ onHand: Number(key.split('|').join('')), reserved: 0, safetyStock: 0 }));
  };
  const named = (count: number) => Array.from({ length: count }, (_, place) => String(place + 1));
  const levels = await readLevels({ counters } as unknown as UnitOfWork, named(skus), named(locations), breathe);
  return { reads, turns: taken(), levels };
}

test('Stock levels of many SKUs at many locations are read in parts, with a turn for other work after each', async () => {
  const { reads, turns, levels } = await readingOf(60, 900);
  expect([reads.length, turns]).toEqual([30, 30]);
  expect(Math.max(...reads)).toBeLessThanOrEqual(READ_TOGETHER);
  expect([...levels.keys()]).toHaveLength(60);
  expect(levels.get('60')?.[899]).toMatchObject({ locationId: '900', onHand: 60_900, atp: 60_900 });
});

test('Stock levels of a full basket at ten locations are one read', async () => {
  expect((await readingOf(200, 10)).reads).toEqual([2_000]);
  expect((await readingOf(1, 5_000)).reads).toEqual([5_000]);
});

test('Goods that a store hands out are found with two lists of locations, in the store and the warehouses alone, in several turns', async () => {
  const openingHours = { mon: ['09:00-18:00'], tue: [], wed: [], thu: [], fri: [], sat: [], sun: [] };
  const store = { id: 'store-01', type: 'store', priority: 1, collection: {}, openingHours } as unknown as StoredLocation;
  const others = Array.from({ length: 1_000 }, (_, place) => ({ ...store, id: `store-x${place}` }));
  const items = [store, ...others, { id: 'dc-01', type: 'warehouse', priority: 2 }];
  let [lists, keysRead] = [0, 0];
  const work = {
    figures: DEFAULT_FIGURES,
    now: Date.parse('2026-03-02T10:00:00Z'),
    get: async (_of: unknown, id: string) => items.find((one) => one.id === id),
    all: async () => {
      lists += 1;
      return { items };
    },
    // The store has every second SKU, the warehouse every third one.
    counters: async (_of: unknown, keys: readonly string[]) => {
      keysRead += keys.length;
      return keys.map((key) => ({ onHand: Number(key.split('|')[0]) % (key.endsWith('dc-01') ? 3 : 2) === 0 ? 1 : 0 }));
    },
  };
  const { breathe, taken } = countingPauses();
  const wanted = Array.from({ length: 100 }, (_, place) => ({ sku: String(place), qty: 1 }));
  const found = await collectableAt(work as unknown as UnitOfWork, store, wanted, breathe);
  expect([found.get('2')?.from, found.get('3')?.from, found.get('5'), found.size]).toEqual(['shelf', 'transfer', undefined, 67]);
  expect([lists, keysRead]).toEqual([2, 200]);
  expect(taken()).toBeGreaterThanOrEqual(100);
});
