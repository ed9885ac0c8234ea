import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { DEFAULT_FIGURES, type Figures, figuresOf, Retailer } from '../catalog/retailer.ts';
import type { World } from '../domain/world.ts';
import { defineCollection, type Seed } from '../store/collections.ts';
import type { ObjectStore } from '../store/ports/objects.ts';
import type { Job, WithFigures } from './job.ts';
import type { Step } from './steps/step.ts';

export const retailers = defineCollection({ name: 'retailer', schema: Retailer.extend({ version: z.int() }) });

/** Each application has the figures of the retailer. */
export const seedOfRetailer = (retailer: Retailer): NonNullable<Seed['objects']>[number] => ({
  of: retailers,
  rows: [{ ...retailer, version: 1 }],
});

/** Wall time. Nothing of a dropped world stays longer. */
const REMEMBERED_MS = 5_000;

export type ReadFigures = ReturnType<typeof createFigures>;

/** Reads the figures of a world, which never change, and remembers them for a while. */
export function createFigures(store: Pick<ObjectStore, 'object'>) {
  const known = new LRUCache<World, Figures>({ ttl: REMEMBERED_MS, ttlAutopurge: true });
  return (world: World): Figures | Promise<Figures> => known.get(world) ?? read(world);

  async function read(world: World): Promise<Figures> {
    const stored = await store.object(world, retailers.name, 'retailer');
    const figures = stored ? figuresOf(JSON.parse(stored.json) as Retailer) : DEFAULT_FIGURES;
    known.set(world, figures);
    return figures;
  }
}

/** Adds the figures of the retailer. */
export const addFigures =
  <J extends Job, Result>({ figuresOf }: { readonly figuresOf: ReadFigures }): Step<J, J & WithFigures, Result> =>
  async (job, rest) => {
    const figures = figuresOf(job.context.world);
    return rest({ ...job, figures: figures instanceof Promise ? await figures : figures });
  };
