import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { defaultRetailer, Retailer } from '../catalog/retailer.ts';
import type { World } from '../domain/world.ts';
import { defineCollection, type Seed, type ShapeOf } from '../store/collections.ts';
import type { ObjectStore } from '../store/ports/objects.ts';

/** The figures of the retailer: one row in the store of every application, written when the world is seeded. */
export const retailers = defineCollection({
  name: 'retailer',
  schema: z.object({ id: z.string(), version: z.int(), figures: Retailer }),
});

const ROW = 'retailer';

/** Adds the row to the seed data of an application. */
export function withRetailer({ objects = [], ...seed }: Seed, figures: Retailer): Seed {
  const row: ShapeOf<typeof retailers> = { id: ROW, version: 1, figures };
  return { ...seed, objects: [...objects, { of: retailers, rows: [row] }] };
}

/** The figures in a stored row. A world without a row has the default figures. */
export const figuresIn = (row: { readonly json: string } | undefined): Retailer =>
  row === undefined ? defaultRetailer : (JSON.parse(row.json) as ShapeOf<typeof retailers>).figures;

const MOST_WORLDS = 500;

/** Reads the retailer of a world once: it never changes. */
export function createRetailers(store: Pick<ObjectStore, 'object'>): (world: World) => Retailer | Promise<Retailer> {
  const known = new LRUCache<World, Retailer>({ max: MOST_WORLDS });

  async function read(world: World): Promise<Retailer> {
    const figures = figuresIn(await store.object(world, retailers.name, ROW));
    known.set(world, figures);
    return figures;
  }

  return (world) => known.get(world) ?? read(world);
}
