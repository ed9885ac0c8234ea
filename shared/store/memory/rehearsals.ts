import type { World } from '../../domain/world.ts';
import { isMeant, type Lifetime, type RehearsalRecord, type RehearsalStore } from '../ports/rehearsals.ts';
import type { ExportedWorld, WorldSource } from '../ports/world-data.ts';
import type { MemoryEstate } from './estate.ts';
import { openWorld } from './opening.ts';
import type { Unsent } from './outbox.ts';
import { nowOf, type RehearsalState, type WorldState } from './state.ts';
import { exportOf } from './world-data.ts';

/** The rehearsals in memory, their lifetimes and their current worlds. */
export function createMemoryRehearsals(
  { all, need, rehearsals, janitor, changed, newJournal }: MemoryEstate,
  unsent: Unsent,
): RehearsalStore {
  const opened = (rehearsal: string, from: WorldSource): Promise<WorldState> =>
    openWorld(rehearsal, 'copyOf' in from ? copyOf(need(from.copyOf), from.seed) : from, newJournal());

  function switchTo(rehearsal: string, world: WorldState, terms: Omit<RehearsalState, 'world' | 'lastUsedAt'>): World {
    all.set(world.world, world);
    for (const application of world.applications.keys()) unsent.note(world, application);
    const before = rehearsals.get(rehearsal);
    rehearsals.set(rehearsal, { ...terms, world, lastUsedAt: Date.now() });
    changed(world.world);
    if (before) leave(before);
    return world.world;
  }

  /** Notifies the drivers of its clock and the waits for its events. */
  function leave({ world: { world } }: RehearsalState): void {
    janitor.dropLater(world);
    changed(world);
  }

  function remove(rehearsal: string, only?: World): boolean {
    const found = rehearsals.get(rehearsal);
    if (!found || (only !== undefined && found.world.world !== only)) return false;
    rehearsals.delete(rehearsal);
    leave(found);
    return true;
  }

  return {
    list: async () => [...rehearsals.values()].map(recordOf),
    record: async (rehearsal) => {
      const found = rehearsals.get(rehearsal);
      return found && recordOf(found);
    },
    create: async (rehearsal, { from, credentials, labels, idleMs, most }) => {
      const refused = () => {
        if (rehearsals.has(rehearsal)) return { is: 'exists' } as const;
        return rehearsals.size >= most ? ({ is: 'too-many', longestIdle: longestIdle(rehearsals.values()) } as const) : undefined;
      };
      const early = refused();
      if (early) return early;
      const world = await opened(rehearsal, from());
      // Another request may have created a rehearsal while this world was filled.
      return refused() ?? { is: 'created', world: switchTo(rehearsal, world, { credentials, labels, idleMs }) };
    },
    replace: async (rehearsal, from, only) => {
      if (!rehearsals.has(rehearsal)) return undefined;
      const world = await opened(rehearsal, from);
      const found = rehearsals.get(rehearsal);
      if (!found || (only !== undefined && !isMeant({ world: found.world.world, credentials: found.credentials }, only))) return undefined;
      return switchTo(rehearsal, world, found);
    },
    open: async (rehearsal, from, credentials) => {
      const world = await opened(rehearsal, from);
      return switchTo(rehearsal, world, rehearsals.get(rehearsal) ?? { credentials, idleMs: null });
    },
    remove: async (rehearsal, only) => remove(rehearsal, only),
    use: async (rehearsal) => {
      const found = rehearsals.get(rehearsal);
      if (found) found.lastUsedAt = Date.now();
      return found?.idleMs ?? null;
    },
    expire: async () => {
      const now = Date.now();
      const over = [...rehearsals].filter(([, state]) => (endOf(state) ?? Number.POSITIVE_INFINITY) <= now).map(([name]) => name);
      return over.filter((name) => remove(name));
    },
  };
}

function copyOf(world: WorldState, newSeed: string | undefined): ExportedWorld {
  const { seed, ...exported } = exportOf(world);
  const { beginning } = seed;
  return { ...exported, seed: { ...seed, beginning: { ...beginning, seed: newSeed ?? beginning?.seed } } };
}

const endOf = ({ lastUsedAt, idleMs }: RehearsalState): number | null => (idleMs === null ? null : lastUsedAt + idleMs);

const lifetimeOf = (state: RehearsalState): Lifetime => ({ lastUsedAt: state.lastUsedAt, endsAt: endOf(state) });

function longestIdle(states: Iterable<RehearsalState>): (Lifetime & { rehearsal: string }) | undefined {
  const [longest] = [...states].filter(({ idleMs }) => idleMs !== null).sort((a, b) => a.lastUsedAt - b.lastUsedAt);
  return longest && { rehearsal: longest.world.rehearsal, ...lifetimeOf(longest) };
}

function recordOf(state: RehearsalState): RehearsalRecord {
  const { world } = state;
  const journal = world.journal.contents();
  return {
    rehearsal: world.rehearsal,
    ...lifetimeOf(state),
    labels: state.labels,
    current: {
      world: world.world,
      createdAt: world.createdAt,
      now: nowOf(world),
      contents: { objects: world.order, events: world.events.last, journal: journal.records, bytes: world.bytes + journal.bytes },
    },
  };
}
