import { ulid } from 'ulid';
import { owners } from '../../catalog/applications.ts';
import type { World } from '../../domain/world.ts';
import type { JournalLimits } from '../journal-limits.ts';
import { dueKey } from '../ports/due-work.ts';
import type { Lifetime, RehearsalRecord, RehearsalStore, Snapshot } from '../ports/rehearsals.ts';
import { createDueSchedule } from './due-schedule.ts';
import type { MemoryEstate } from './estate.ts';
import { createMemoryEvents } from './events.ts';
import { createMemoryJournal } from './journal.ts';
import { load, nowOf, type RehearsalState, unpark, type WorldState } from './state.ts';

/** The rehearsals in memory, their lifetimes and their current worlds. */
export function createMemoryRehearsals({ all, rehearsals, janitor, changed, journalLimits }: MemoryEstate): RehearsalStore {
  function switchTo(rehearsal: string, from: Snapshot, terms: Omit<RehearsalState, 'world' | 'lastUsedAt'>): World {
    const world = openWorld(rehearsal, from, journalLimits);
    all.set(world.world, world);
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

  function remove(rehearsal: string): boolean {
    const found = rehearsals.get(rehearsal);
    if (!found) return false;
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
    create: async (rehearsal, { from, credentials, idleMs, most }) => {
      if (rehearsals.has(rehearsal)) return { is: 'exists' };
      if (rehearsals.size >= most) return { is: 'too-many', longestIdle: longestIdle(rehearsals.values()) };
      return { is: 'created', world: switchTo(rehearsal, from(), { credentials, idleMs }) };
    },
    replace: async (rehearsal, from) => {
      const found = rehearsals.get(rehearsal);
      return found && switchTo(rehearsal, from, found);
    },
    open: async (rehearsal, from, credentials) => switchTo(rehearsal, from, rehearsals.get(rehearsal) ?? { credentials, idleMs: null }),
    remove: async (rehearsal) => remove(rehearsal),
    use: async (rehearsal) => {
      const found = rehearsals.get(rehearsal);
      if (found) found.lastUsedAt = Date.now();
      return found?.idleMs ?? null;
    },
    expire: async () => {
      const now = Date.now();
      const over = [...rehearsals].filter(([, state]) => (endOf(state) ?? Number.POSITIVE_INFINITY) <= now).map(([name]) => name);
      return over.filter(remove);
    },
  };
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
    current: {
      world: world.world,
      createdAt: world.createdAt,
      now: nowOf(world),
      contents: { objects: world.order, events: world.events.last, journal: journal.records, bytes: world.bytes + journal.bytes },
    },
  };
}

function openWorld(rehearsal: string, { data, ...from }: Snapshot, limits: JournalLimits): WorldState {
  const parked: WorldState['parked'] = new Map();
  const state: WorldState = {
    rehearsal,
    world: `${rehearsal}~${ulid()}`,
    createdAt: new Date().toISOString(),
    seed: from,
    data,
    clock: { flowing: true, offset: from.now - Date.now() },
    applications: new Map(),
    due: createDueSchedule((item) => unpark({ parked }, item)),
    pending: new Set(),
    parked,
    seq: 0,
    order: 0,
    bytes: data === undefined ? 0 : JSON.stringify(data).length,
    events: createMemoryEvents(),
    journal: createMemoryJournal(limits),
    operations: [],
    moves: [],
    faults: new Map(),
    faultRevision: 0,
    progression: undefined,
    revokedTokens: new Map(),
    driver: undefined,
  };
  for (const application of owners) {
    const data = from.applications[application];
    if (data) load(state, application, data);
  }
  for (const item of from.due) {
    const record = { ...item, payload: JSON.stringify(item.payload), seq: ++state.seq, attempts: 0 };
    state.due.put(dueKey(item.application, item.kind, item.key), record);
  }
  return state;
}
