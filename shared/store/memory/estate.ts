import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';
import type { WorldListener } from '../ports/clock.ts';
import { WorldGone } from '../ports/directory.ts';
import { createMemoryJanitor } from './janitor.ts';
import type { RehearsalState, WorldState } from './state.ts';

export function createMemoryEstate(dropAfterMs: number) {
  const all = new Map<World, WorldState>();
  const listeners = new Set<WorldListener>();
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
    changed(world: World, waitMs: Ms = 0): void {
      for (const listener of listeners) listener(world, waitMs);
    },
    watch(listener: WorldListener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export type MemoryEstate = ReturnType<typeof createMemoryEstate>;
