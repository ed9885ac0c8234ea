import { expect, test } from '@jest/globals';
import { listObjectsOf } from '../../control/objects/list.ts';
import { findObjects } from '../../control/objects/search.ts';
import { listedType } from '../../control/objects/types.ts';
import { objectsOf, registeredApplications } from '../../estate/registry.ts';
import type { World } from '../../shared/domain/world.ts';
import { createSlices } from '../../shared/process/slices.ts';
import type { Found, ObjectReader, PageRequest } from '../../shared/store/ports/objects.ts';

const WORLD = 'r~1' as World;
const objects = objectsOf(registeredApplications.map(({ service }) => service));
const staying = new AbortController().signal;

/** A world with this number of objects in each collection. */
function worldOf(size: number): ObjectReader {
  const json = JSON.stringify({ id: 'some_1', customerId: 'cus_1', version: 1, email: 'x@people.example' });
  const all = Array.from({ length: size }, (_, place): Found => ({ id: `some_${size - place}`, order: size - place, version: 1, json }));
  const page = async ({ after, limit }: PageRequest) => all.filter(({ order }) => after === 0 || order < after).slice(0, limit);
  const reader: Partial<ObjectReader> = {
    object: async () => undefined,
    all: async (_world, _application, collection, request) => (collection === 'locations' ? [] : page(request)),
  };
  return reader as ObjectReader;
}

/** Counts the turns of the event loop that a search leaves to other work, when each of its slices ends after one step. */
async function turnsOf(run: (breathe: () => Promise<void> | undefined) => Promise<unknown>): Promise<number> {
  let turns = 0;
  const rest = async (): Promise<void> => {
    turns += 1;
  };
  const inSlices = createSlices({ sliceMs: 0, rest });
  await inSlices(staying, run);
  return turns;
}

test('A search for a text leaves a turn to other work after each object', async () => {
  const order = listedType(objects, 'order');
  const turns = await turnsOf((breathe) =>
    listObjectsOf(worldOf(300), { world: WORLD, objects: {} }, order, { q: 'nothing has it', limit: 20 }, breathe),
  );
  // 300 orders, and the 300 customers whose orders are sought.
  expect(turns).toBe(600);
});

test('A search of all objects reads the customers once, and each object of a type once', async () => {
  const types = Object.keys(objects).length;
  const turns = await turnsOf((breathe) =>
    findObjects(worldOf(100), { world: WORLD, objects }, { q: 'nothing has it', limit: 20 }, breathe),
  );
  expect(turns).toBeLessThanOrEqual((types + 2) * 100);
  expect(turns).toBeGreaterThan(1_000);
});
