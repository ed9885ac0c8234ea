import { expect, test } from '@jest/globals';
import { READ_TOGETHER, readLevels } from '../../services/inventory-service/levels.ts';
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
