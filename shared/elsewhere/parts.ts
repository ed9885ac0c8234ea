import type { EstateCalls } from '../control/estate-call.ts';
import type { World } from '../domain/world.ts';
import type { Store } from '../store/ports/estate-store.ts';
import type { ApplicationParts } from '../work/application-parts.ts';
import { createRemembered } from '../work/remembered.ts';
import { createShadows } from './shadow/shadows.ts';
import { createCallOutside, type OutsideAccess } from './swap/outside-call.ts';
import { seenCollections } from './swap/seen.ts';
import { type StoredSwap, swaps } from './swap/stored-swap.ts';

/** How a process reaches real systems. */
export interface ElsewhereAccess {
  readonly outside: OutsideAccess;
  /** Signs the permission of real systems to call the estate back. */
  readonly estateCalls: EstateCalls;
}

export type ElsewhereParts = ReturnType<typeof elsewhereParts>;

/** The parts of an application, and those for its real systems. */
export const elsewhereParts = (parts: ApplicationParts, { outside, estateCalls }: ElsewhereAccess) => ({
  ...parts,
  estateCalls,
  callOutside: createCallOutside(outside),
  shadows: createShadows(parts),
  swapIn: createSwapReader(parts.store),
  collections: seenCollections(parts.service.collections),
});

/** Reads how the application is swapped in a world, which never changes, and remembers it for a while. */
function createSwapReader(store: Pick<Store, 'object'>) {
  const known = createRemembered<World, StoredSwap>({});
  return async (world: World): Promise<StoredSwap | undefined> => {
    const found = known.get(world);
    if (found) return found;
    const row = await store.object(world, swaps.name, 'swap');
    const swap = row && (JSON.parse(row.json) as StoredSwap);
    if (swap) known.set(world, swap);
    return swap;
  };
}
