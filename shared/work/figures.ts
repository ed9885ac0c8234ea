import { z } from 'zod';
import { DEFAULT_FIGURES, figuresOf, Retailer } from '../catalog/retailer.ts';
import { swappableNames } from '../catalog/swap.ts';
import type { World } from '../domain/world.ts';
import { defineCollection } from '../store/collections.ts';
import type { Store } from '../store/ports/estate-store.ts';
import type { WithFigures } from './job.ts';
import { createRemembered } from './remembered.ts';

const Applications = z.array(z.enum(swappableNames)).optional();

/** `swapped`: the applications that real systems replace in the world. `shadowed`: the applications with a real system in the mode shadow. */
const StoredRetailer = Retailer.extend({ version: z.int(), swapped: Applications, shadowed: Applications });

/** Each application has the figures of the retailer, and the names of the applications with real systems. */
export const retailers = defineCollection({ name: 'retailer', schema: StoredRetailer });

/** Worlds. More of them are in use only while a client makes and leaves many. */
const MOST_REMEMBERED = 200;

export type ReadFigures = ReturnType<typeof createFigures>;

/** Reads the figures of a world, and whether it has a real system for the application. They never change, and are remembered for a while. */
export function createFigures(store: Pick<Store, 'all' | 'application'>) {
  const known = createRemembered<World, WithFigures>({ max: MOST_REMEMBERED });
  return (world: World): WithFigures | Promise<WithFigures> => known.get(world) ?? read(world);

  async function read(world: World): Promise<WithFigures> {
    // A page: unlike the read of one object, it refuses a world with the formats of another release.
    const [row] = await store.all(world, retailers.name, { after: 0, limit: 1 });
    const retailer = row && (JSON.parse(row.json) as z.output<typeof StoredRetailer>);
    const isNamed = (names: readonly string[] | undefined): boolean => names?.includes(store.application) === true;
    const facts: WithFigures = {
      figures: retailer ? figuresOf(retailer) : DEFAULT_FIGURES,
      realSystem: isNamed(retailer?.swapped) ? 'instead' : isNamed(retailer?.shadowed) ? 'beside' : undefined,
    };
    known.set(world, facts);
    return facts;
  }
}
