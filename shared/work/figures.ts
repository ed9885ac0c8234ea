import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { DEFAULT_FIGURES, figuresOf, Retailer } from '../catalog/retailer.ts';
import type { World } from '../domain/world.ts';
import { defineCollection, type Seed } from '../store/collections.ts';
import type { ObjectStore } from '../store/ports/objects.ts';
import type { Job, WithFigures } from './job.ts';
import type { Step } from './steps/step.ts';
import { type StoredSwap, swaps } from './swap/stored-swap.ts';

const StoredRetailer = Retailer.extend({ version: z.int(), swapped: z.literal(true).optional() });

export const retailers = defineCollection({ name: 'retailer', schema: StoredRetailer });

/** Each application has the figures of the retailer, and whether the real system takes its place. */
export const seedOfRetailer = (retailer: Retailer, isSwapped: boolean): NonNullable<Seed['objects']>[number] => ({
  of: retailers,
  rows: [{ ...retailer, version: 1, ...(isSwapped && { swapped: true as const }) }],
});

/** Wall time. Nothing of a dropped world stays longer. */
const REMEMBERED_MS = 5_000;

export type ReadFigures = ReturnType<typeof createFigures>;

/** Reads the figures of a world and its swap, which never change, and remembers them for a while. A world without a swap has one read. */
export function createFigures(store: Pick<ObjectStore, 'object'>) {
  const known = new LRUCache<World, WithFigures>({ ttl: REMEMBERED_MS, ttlAutopurge: true });
  return (world: World): WithFigures | Promise<WithFigures> => known.get(world) ?? read(world);

  async function read(world: World): Promise<WithFigures> {
    const stored = await store.object(world, retailers.name, 'retailer');
    const retailer = stored && (JSON.parse(stored.json) as z.output<typeof StoredRetailer>);
    const swapped = retailer?.swapped ? await store.object(world, swaps.name, 'swap') : undefined;
    const facts = {
      figures: retailer ? figuresOf(retailer) : DEFAULT_FIGURES,
      swap: swapped && (JSON.parse(swapped.json) as StoredSwap),
    };
    known.set(world, facts);
    return facts;
  }
}

/** Adds the figures of the retailer, and the swap of the application. */
export const addFigures =
  <J extends Job, Result>({ figuresOf: read }: { readonly figuresOf: ReadFigures }): Step<J, J & WithFigures, Result> =>
  async (job, rest) => {
    const facts = read(job.context.world);
    return rest({ ...job, ...(facts instanceof Promise ? await facts : facts) });
  };
