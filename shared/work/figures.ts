import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { DEFAULT_FIGURES, figuresOf, Retailer } from '../catalog/retailer.ts';
import { type SwappableApplication, swappableNames } from '../catalog/swap.ts';
import type { World } from '../domain/world.ts';
import { defineCollection, type Seed } from '../store/collections.ts';
import type { Store } from '../store/ports/estate-store.ts';
import type { Job, WithFigures } from './job.ts';
import type { Step } from './steps/step.ts';
import { type StoredSwap, swaps } from './swap/stored-swap.ts';

/** `swapped`: the applications of the world whose place the real systems of the retailer take. */
export const StoredRetailer = Retailer.extend({ version: z.int(), swapped: z.array(z.enum(swappableNames)).optional() });

export const retailers = defineCollection({ name: 'retailer', schema: StoredRetailer });

/** Each application has the figures of the retailer, and the names of the swapped applications. */
export const seedOfRetailer = (retailer: Retailer, swapped: readonly SwappableApplication[]): NonNullable<Seed['objects']>[number] => ({
  of: retailers,
  rows: [{ ...retailer, version: 1, ...(swapped.length > 0 && { swapped }) }],
});

/** Wall time. Nothing of a dropped world stays longer. */
const REMEMBERED_MS = 5_000;

export type ReadFigures = ReturnType<typeof createFigures>;

/** Reads the figures of a world and its swap, which never change, and remembers them for a while. A world without a swap has one read. */
export function createFigures(store: Pick<Store, 'object' | 'application'>) {
  const known = new LRUCache<World, WithFigures>({ ttl: REMEMBERED_MS, ttlAutopurge: true });
  return (world: World): WithFigures | Promise<WithFigures> => known.get(world) ?? read(world);

  async function read(world: World): Promise<WithFigures> {
    const stored = await store.object(world, retailers.name, 'retailer');
    const retailer = stored && (JSON.parse(stored.json) as z.output<typeof StoredRetailer>);
    const isSwapped = retailer?.swapped?.some((name) => name === store.application);
    const swapped = isSwapped ? await store.object(world, swaps.name, 'swap') : undefined;
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
