import { ulid } from 'ulid';
import { type Application, applicationNames } from '../catalog/applications.ts';
import { createDueSchedule } from './due-schedule.ts';
import { applicationState, dump, heldItems, JOURNAL_LIMIT, load, nowOf, type RehearsalState, type WorldState } from './memory-state.ts';
import {
  type DueItem,
  dueKey,
  PUBLISH_HELD_EVENT,
  type Simulation,
  type Snapshot,
  type World,
  type Worlds,
  type WorldView,
} from './ports.ts';

/** How many journal records may be too many for a while. */
const FORGOTTEN_AT_ONCE = 500;
/** Wall time after which a world that nobody sees any more is dropped. */
const DROP_AFTER_MS = 60_000;

interface Changes {
  readonly listeners: Set<(world: World) => void>;
  readonly changed: (world: World) => void;
}

/** The estate-wide view of the memory adapter, and what every application needs of the simulation plane. */
export function memoryWorlds(all: Map<World, WorldState>, { listeners, changed }: Changes): { worlds: Worlds; simulation: Simulation } {
  const rehearsals = new Map<string, RehearsalState>();
  const need = (world: World): WorldState => {
    const found = all.get(world);
    if (!found) throw new Error(`The world ${world} is gone.`);
    return found;
  };
  const view = ({ world, credentials }: RehearsalState): WorldView => ({
    rehearsal: world.rehearsal,
    world: world.world,
    now: nowOf(world),
    flowing: world.clock.flowing,
    faults: world.faults.size === 0 ? 0 : world.faultRevision,
    progression: world.progression,
    credentials,
  });
  const dropLater = (world: World): void => {
    setTimeout(() => all.delete(world), DROP_AFTER_MS).unref();
  };

  const worlds: Worlds = {
    resolve: async (rehearsal) => {
      const found = rehearsals.get(rehearsal);
      return found && view(found);
    },
    current: async (world) => {
      const state = all.get(world);
      const found = state && rehearsals.get(state.rehearsal);
      return found?.world.world === world ? view(found) : undefined;
    },
    list: async () =>
      [...rehearsals.values()].map(({ world }) => ({ rehearsal: world.rehearsal, world: world.world, createdAt: world.createdAt })),
    open: async (rehearsal, from, credentials) => {
      const opened = openWorld(rehearsal, from);
      all.set(opened.world, opened);
      const before = rehearsals.get(rehearsal);
      rehearsals.set(rehearsal, { world: opened, credentials: before?.credentials ?? credentials });
      if (before) dropLater(before.world.world);
      changed(opened.world);
      return opened.world;
    },
    remove: async (rehearsal) => {
      const found = rehearsals.get(rehearsal);
      if (!found) return false;
      rehearsals.delete(rehearsal);
      dropLater(found.world.world);
      return true;
    },
    snapshot: async (world) => snapshotOf(need(world)),
    seed: async (world) => need(world).seed,
    ledger: async (world) => {
      const state = need(world);
      const held = heldItems(state);
      return {
        unsent: [...state.applications].flatMap(([application, { outbox }]) => outbox.map(({ id }) => `${application}|${id}`)),
        pending: pending(state, held),
        running: state.due.running(Date.now()),
        parked: state.parked,
        held,
        next: lowest(state, Number.POSITIVE_INFINITY),
      };
    },
    setClock: async (world, { now, flowing }) => {
      need(world).clock = flowing ? { flowing, offset: now - Date.now() } : { flowing, at: now };
      changed(world);
    },
    lease: async (world, token, ms) => {
      const state = need(world);
      if (state.driver && state.driver.token !== token && Date.now() < state.driver.until) return false;
      state.driver = { token, until: Date.now() + ms };
      return true;
    },
    unlease: async (world, token) => {
      const state = all.get(world);
      if (state?.driver?.token === token) state.driver = undefined;
    },
    takeDue: async (world, upTo, token, leaseMs) => {
      const state = need(world);
      const item = lowest(state, upTo);
      if (item) state.due.take(dueKey(item.application, item.kind, item.key), { token, until: Date.now() + leaseMs });
      return item;
    },
    putBackDue: async (world, item, token, then) => {
      const state = need(world);
      const key = dueKey(item.application, item.kind, item.key);
      const record = state.due.get(key);
      if (record?.taken?.token !== token) return;
      if ('parked' in then) {
        state.due.remove(key);
        state.parked.push({ what: 'due', key, error: then.parked, at: nowOf(state) });
      } else {
        state.due.put(key, { ...record.item, ...then });
      }
      changed(world);
    },
    events: async (world, after, limit) => need(world).events.slice(after, after + limit),
    journalOf: async (world, correlationId) =>
      need(world)
        .journal.slice(-JOURNAL_LIMIT)
        .filter((entry) => correlationId === undefined || entry.correlationId === correlationId),
    setProgression: async (world, progression) => {
      need(world).progression = progression;
    },
    setFault: async (world, name, json) => {
      const state = need(world);
      state.faultRevision += 1;
      state.faults.set(name, { json, hits: 0, chances: 0, since: state.faultRevision });
      state.due.letGo(name, nowOf(state));
      changed(world);
    },
    removeFault: async (world, name) => {
      const state = need(world);
      const had = name === undefined ? state.faults.size > 0 : state.faults.has(name);
      if (name === undefined) state.faults.clear();
      else state.faults.delete(name);
      state.faultRevision += 1;
      state.due.letGo(name, nowOf(state));
      changed(world);
      return had;
    },
    object: async (world, application, collection, id) => applicationState(need(world), application).objects.get(collection)?.get(id),
    dump: async (world, application) => dump(applicationState(need(world), application)),
    watch: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };

  const simulation: Simulation = {
    faults: async (world) => {
      const state = all.get(world);
      return {
        revision: state?.faultRevision ?? 0,
        rules: [...(state?.faults ?? [])].map(([name, { json, hits }]) => ({ name, json, hits })),
      };
    },
    hit: async (world, fault, limit) => {
      const found = all.get(world)?.faults.get(fault);
      if (!found || (limit !== undefined && found.hits >= limit)) return undefined;
      found.hits += 1;
      return found.hits;
    },
    chance: async (world, fault) => {
      const found = all.get(world)?.faults.get(fault);
      return found ? ++found.chances : 0;
    },
    hits: async (world, fault) => all.get(world)?.faults.get(fault)?.hits ?? 0,
    journal: (world, entry) => {
      const journal = all.get(world)?.journal;
      if (!journal) return;
      journal.push(entry);
      // Many at a time: each forgetting moves all that stay.
      if (journal.length > JOURNAL_LIMIT + FORGOTTEN_AT_ONCE) journal.splice(0, journal.length - JOURNAL_LIMIT);
    },
  };
  return { worlds, simulation };
}

function openWorld(rehearsal: string, from: Snapshot): WorldState {
  const state: WorldState = {
    rehearsal,
    world: `${rehearsal}~${ulid()}`,
    createdAt: new Date().toISOString(),
    seed: from,
    clock: { flowing: true, offset: from.now - Date.now() },
    applications: new Map(),
    due: createDueSchedule(),
    pending: new Set(),
    parked: [],
    seq: 0,
    order: 0,
    events: [],
    journal: [],
    faults: new Map(),
    faultRevision: 0,
    progression: undefined,
    driver: undefined,
  };
  for (const application of applicationNames) {
    const data = from.applications[application];
    if (data) load(state, application, data);
  }
  for (const item of from.due) {
    const record = { ...item, payload: JSON.stringify(item.payload), seq: ++state.seq, attempts: 0 };
    state.due.put(dueKey(item.application, item.kind, item.key), record);
  }
  return state;
}

function snapshotOf(state: WorldState): Snapshot {
  const applications: Partial<Record<Application, ReturnType<typeof dump>>> = {};
  for (const [application, data] of state.applications) applications[application] = dump(data);
  const now = nowOf(state);
  const due = [...state.due.records()]
    .map(({ item }) => item)
    .filter(({ kind }) => kind !== PUBLISH_HELD_EVENT)
    .map((item) => ({ ...item, at: item.heldBy === undefined ? item.at : Math.min(item.at, now) }))
    .sort((a, b) => a.at - b.at || a.seq - b.seq)
    .map(({ seq: _seq, attempts: _attempts, heldBy: _heldBy, payload, ...item }) => ({ ...item, payload: JSON.parse(payload) as unknown }));
  return { now, applications, due };
}

/** Deliveries that are owed, but for those of events that a fault keeps. */
function pending(state: WorldState, held: readonly DueItem[]): readonly string[] {
  if (held.length === 0) return [...state.pending];
  const kept = new Set(held.filter(({ kind }) => kind === PUBLISH_HELD_EVENT).map(({ key }) => key));
  return [...state.pending].filter((delivery) => !kept.has(delivery.slice(delivery.indexOf('|') + 1)));
}

/** The lowest `(at, seq)` that is due by then and that nobody holds. */
function lowest(state: WorldState, upTo: number): DueItem | undefined {
  const next = state.due.lowest(upTo, Date.now());
  return next && { ...next, payload: JSON.parse(next.payload) as unknown };
}
