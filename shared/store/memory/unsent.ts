import type { Application } from '../../catalog/applications.ts';
import type { World } from '../../domain/world.ts';
import { applicationState, getOr, type WorldState } from './state.ts';

/** The worlds with unsent events of an application, so that the relay need not read all worlds. */
export function createUnsent(all: ReadonlyMap<World, WorldState>) {
  const found = new Map<Application, Set<World>>();
  return {
    note(world: WorldState, application: Application): void {
      const worlds = getOr(found, application, () => new Set());
      if (applicationState(world, application).outbox.size > 0) worlds.add(world.world);
      else worlds.delete(world.world);
    },
    /** Removes dropped worlds. */
    worlds: (application: Application): readonly WorldState[] =>
      [...(found.get(application) ?? [])].flatMap((world) => {
        const state = all.get(world);
        if (!state) found.get(application)?.delete(world);
        return state ?? [];
      }),
  };
}

export type Unsent = ReturnType<typeof createUnsent>;
