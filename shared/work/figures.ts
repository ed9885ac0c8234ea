import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { DEFAULT_FIGURES, figuresOf, Retailer } from '../catalog/retailer.ts';
import { type SwapMode, type SwappableApplication, swappableNames } from '../catalog/swap.ts';
import type { World } from '../domain/world.ts';
import { defineCollection, type Seed } from '../store/collections.ts';
import type { Store } from '../store/ports/estate-store.ts';
import type { Job, WithFigures } from './job.ts';
import type { Step } from './steps/step.ts';
import { type StoredSwap, swaps } from './swap/stored-swap.ts';

const Applications = z.array(z.enum(swappableNames)).optional();

/** `swapped`: the applications that real systems replace in the world. `shadowed`: the applications with a real system in the mode shadow. */
const StoredRetailer = Retailer.extend({ version: z.int(), swapped: Applications, shadowed: Applications });

export const retailers = defineCollection({ name: 'retailer', schema: StoredRetailer });

/** Each application has the figures of the retailer, and the names of the swapped applications. */
export function seedOfRetailer(
  retailer: Retailer,
  modes: ReadonlyMap<SwappableApplication, SwapMode>,
): NonNullable<Seed['objects']>[number] {
  const swapped = [...modes.keys()].filter((application) => modes.get(application) !== 'shadow');
  const shadowed = [...modes.keys()].filter((application) => modes.get(application) === 'shadow');
  const row = { ...retailer, version: 1, ...(swapped.length > 0 && { swapped }), ...(shadowed.length > 0 && { shadowed }) };
  return { of: retailers, rows: [row] };
}

/** Wall time. Nothing of a dropped world stays longer. */
const REMEMBERED_MS = 5_000;
/** Worlds. More of them are in use only while a client makes and leaves many. */
const MOST_REMEMBERED = 200;

type ReadFigures = ReturnType<typeof createFigures>;

/** Reads the figures of a world and its swap, which never change, and remembers them for a while. Without a swap, that is one read. */
export function createFigures(store: Pick<Store, 'object' | 'application'>) {
  const known = new LRUCache<World, WithFigures>({ max: MOST_REMEMBERED, ttl: REMEMBERED_MS, ttlAutopurge: true });
  return (world: World): WithFigures | Promise<WithFigures> => known.get(world) ?? read(world);

  async function read(world: World): Promise<WithFigures> {
    const row = await store.object(world, retailers.name, 'retailer');
    const retailer = row && (JSON.parse(row.json) as z.output<typeof StoredRetailer>);
    const isSwapped = [...(retailer?.swapped ?? []), ...(retailer?.shadowed ?? [])].some((name) => name === store.application);
    const stored = isSwapped ? await store.object(world, swaps.name, 'swap') : undefined;
    const swap = stored && (JSON.parse(stored.json) as StoredSwap);
    const facts = {
      figures: retailer ? figuresOf(retailer) : DEFAULT_FIGURES,
      ...(swap && (swap.mode === 'shadow' ? { shadow: swap } : { swap })),
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
