import type { World } from '../../domain/world.ts';
import { WorldGone } from '../ports/directory.ts';
import { createMemoryJanitor } from './janitor.ts';
import type { RehearsalState, WorldState } from './state.ts';

/** The worlds and rehearsals in this process's memory, and the listeners to their changes. */
export function createMemoryEstate(dropAfterMs: number) {
  const all = new Map<World, WorldState>();
  const listeners = new Set<(world: World) => void>();
  return {
    all,
    rehearsals: new Map<string, RehearsalState>(),
    janitor: createMemoryJanitor({ all, dropAfterMs }),
    /** @throws WorldGone when the world was dropped */
    need(world: World): WorldState {
      const found = all.get(world);
      if (!found) throw new WorldGone(`The world ${world} is gone.`);
      return found;
    },
    changed(world: World): void {
      for (const listener of listeners) listener(world);
    },
    watch(listener: (world: World) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export type MemoryEstate = ReturnType<typeof createMemoryEstate>;
