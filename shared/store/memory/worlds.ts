import { type Application, applicationNames } from '../../catalog/applications.ts';
import type { World } from '../../domain/world.ts';
import { deliveryAgain } from '../delivery-again.ts';
import type { WorldView } from '../ports/directory.ts';
import { carriesEvent, DELIVER_AGAIN, type DueItem, dueKey, PUBLISH_WITHHELD_EVENT } from '../ports/due-work.ts';
import type { Simulation, Store, Worlds } from '../ports/estate-store.ts';
import type { Ledger, Redriven } from '../ports/ledger.ts';
import type { Snapshot } from '../ports/snapshots.ts';
import { worldsBacklog } from './backlog.ts';
import type { MemoryJanitor } from './janitor.ts';
import { memoryRehearsals } from './rehearsals.ts';
import { dump, firstOf, heldItems, nowOf, park, type RehearsalState, type WorldState } from './state.ts';

interface Estate {
  readonly janitor: MemoryJanitor;
  readonly listeners: Set<(world: World) => void>;
  readonly changed: (world: World) => void;
  readonly store: (application: Application) => Store;
}

/** The estate-wide view of the memory adapter, and what every application needs of the simulation plane. */
export function memoryWorlds(
  all: Map<World, WorldState>,
  { janitor, listeners, changed, store }: Estate,
): { worlds: Worlds; simulation: Simulation } {
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
    ...memoryRehearsals({ all, rehearsals, janitor, changed }),
    snapshot: async (world) => snapshotOf(need(world)),
    seed: async (world) => need(world).seed,
    ledger: async (world, limit = Number.POSITIVE_INFINITY) => ledgerOf(need(world), limit),
    status: async (world) => {
      const state = all.get(world);
      if (!state || rehearsals.get(state.rehearsal)?.world !== state) return undefined;
      if (state.driver && !isAdvancing(state)) endAdvance(state);
      return {
        now: nowOf(state),
        flowing: state.clock.flowing,
        advancing: state.driver !== undefined,
        running: state.due.running(Date.now()).length,
        next: lowest(state, Number.POSITIVE_INFINITY),
      };
    },
    setClock: async (world, { now, flowing }, driver) => {
      const state = need(world);
      if (driver === undefined ? isAdvancing(state) : state.driver?.token !== driver) return false;
      if (driver === undefined) state.driver = undefined;
      state.clock = flowing ? { flowing, offset: now - Date.now() } : { flowing, at: now };
      changed(world);
      return true;
    },
    leaseClock: async (world, token, ms) => {
      const state = need(world);
      if (isAdvancing(state) && state.driver?.token !== token) return false;
      const flowed = state.driver?.flowed ?? state.clock.flowing;
      state.clock = { flowing: false, at: nowOf(state) };
      state.driver = { token, until: Date.now() + ms, flowed };
      changed(world);
      return true;
    },
    renewClock: async (world, token, ms) => {
      const driver = all.get(world)?.driver;
      if (driver?.token !== token) return false;
      driver.until = Date.now() + ms;
      return true;
    },
    releaseClock: async (world, token) => {
      const state = all.get(world);
      if (state?.driver?.token !== token) return;
      endAdvance(state);
      changed(world);
    },
    leaseNext: async (world, upTo, token, leaseMs, driver) => {
      const state = need(world);
      if (driver === undefined ? isAdvancing(state) : state.driver?.token !== driver) return undefined;
      const item = lowest(state, upTo);
      if (item) state.due.lease(dueKey(item.application, item.kind, item.key), { token, until: Date.now() + leaseMs });
      return item;
    },
    requeue: async (world, item, token, then) => {
      const state = need(world);
      const key = dueKey(item.application, item.kind, item.key);
      const record = state.due.get(key);
      const wasRunning = state.due.endRun(token);
      if (record?.lease?.token !== token) {
        if (wasRunning) changed(world);
        return;
      }
      if ('parked' in then) {
        state.due.remove(key);
        const delivery = `${item.application}|${item.key}`;
        if (item.kind !== DELIVER_AGAIN) park(state, { what: 'due', key }, then.parked, record.item);
        else if (state.pending.delete(delivery)) park(state, { what: 'delivery', key: delivery }, then.parked);
      } else {
        state.due.put(key, { ...record.item, ...then });
      }
      changed(world);
    },
    redrive: async (world, again) => {
      const state = need(world);
      const driven = again.filter((one) => redrive(state, one));
      if (driven.length > 0) changed(world);
      return driven;
    },
    events: async (world, after, limit) => need(world).events.after(after, limit),
    eventsAbout: async (world, about, after, limit) => {
      const { events } = need(world);
      return { events: events.about(about, after, limit), last: events.last };
    },
    journalOf: async (world, ask = {}) => need(world).journal.page(ask),
    journaled: async (world, requestIds) => {
      const { journal } = need(world);
      return new Set(requestIds.filter((requestId) => journal.has(requestId)));
    },
    setProgression: async (world, progression) => {
      need(world).progression = progression;
    },
    setFault: async (world, name, json) => {
      const state = need(world);
      state.faultRevision += 1;
      state.faults.set(name, { json, hits: 0, chances: 0, since: state.faultRevision });
      state.due.releaseWithheld(name, nowOf(state));
      changed(world);
    },
    removeFault: async (world, name) => {
      const state = need(world);
      const had = name === undefined ? state.faults.size > 0 : state.faults.has(name);
      if (name === undefined) state.faults.clear();
      else state.faults.delete(name);
      state.faultRevision += 1;
      state.due.releaseWithheld(name, nowOf(state));
      changed(world);
      return had;
    },
    object: (world, application, collection, id) => store(application).object(world, collection, id),
    all: (world, application, collection, page) => store(application).all(world, collection, page),
    counters: (world, application, counter, keys) => store(application).counters(world, counter, keys),
    backlog: async () => worldsBacklog([...rehearsals.values()].map(({ world }) => world)),
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
    journal: (world, entry) => all.get(world)?.journal.add(entry),
  };
  return { worlds, simulation };
}

function snapshotOf(state: WorldState): Snapshot {
  const applications: Partial<Record<Application, ReturnType<typeof dump>>> = {};
  for (const [application, data] of state.applications) applications[application] = dump(data);
  const now = nowOf(state);
  const due = [...state.due.records()]
    .map(({ item }) => item)
    .filter(({ kind }) => !carriesEvent(kind))
    .map((item) => ({ ...item, at: item.withheldBy === undefined ? item.at : Math.min(item.at, now) }))
    .sort((a, b) => a.at - b.at || a.seq - b.seq)
    .map(({ seq: _seq, attempts: _attempts, withheldBy: _withheldBy, payload, ...item }) => ({
      ...item,
      payload: JSON.parse(payload) as unknown,
    }));
  return { now, applications, due };
}

/** Deliveries that are owed, but for those of events that a fault keeps: these are looked up, the others are not passed. */
function owedOf(state: WorldState, held: readonly DueItem[], limit: number): { readonly owed: readonly string[]; readonly count: number } {
  const kept = new Set<string>();
  for (const { kind, key } of held) {
    if (kind !== PUBLISH_WITHHELD_EVENT) continue;
    for (const application of applicationNames) if (state.pending.has(`${application}|${key}`)) kept.add(`${application}|${key}`);
  }
  const owed = firstOf(state.pending, limit + kept.size).filter((delivery) => !kept.has(delivery));
  return { owed: owed.slice(0, limit), count: state.pending.size - kept.size };
}

function* unsentOf(state: WorldState): Generator<string> {
  for (const [application, { outbox }] of state.applications) for (const id of outbox.keys()) yield `${application}|${id}`;
}

function ledgerOf(state: WorldState, limit: number): Ledger {
  const held = heldItems(state);
  const running = state.due.running(Date.now());
  const { owed, count } = owedOf(state, held, limit);
  return {
    unsent: firstOf(unsentOf(state), limit),
    pending: owed,
    running: running.slice(0, limit),
    parked: firstOf(state.parked.values(), limit).map(({ shown }) => shown),
    held: held.slice(0, limit),
    counts: {
      unsent: [...state.applications.values()].reduce((sum, { outbox }) => sum + outbox.size, 0),
      pending: count,
      running: running.length,
      parked: state.parked.size,
      held: held.length,
    },
    next: lowest(state, Number.POSITIVE_INFINITY),
  };
}

const isAdvancing = ({ driver }: WorldState): boolean => driver !== undefined && Date.now() < driver.until;

/** The clock flows on from where it stands, if it flowed before. */
function endAdvance(state: WorldState): void {
  if (state.driver?.flowed) state.clock = { flowing: true, offset: nowOf(state) - Date.now() };
  state.driver = undefined;
}

/** @returns whether it was parked */
function redrive(state: WorldState, again: Redriven): boolean {
  const { what, key } = again;
  const found = state.parked.get(`${what}|${key}`);
  if (!found) return false;
  state.parked.delete(`${what}|${key}`);
  const now = nowOf(state);
  const seq = ++state.seq;
  if (again.what === 'due') {
    if (!found.item || state.due.get(key)) return true;
    const { withheldBy: _withheldBy, ...item } = found.item;
    state.due.put(key, { ...item, at: now, seq, attempts: 0 });
    return true;
  }
  const item = deliveryAgain(key, again.event);
  state.pending.add(key);
  state.due.put(dueKey(item.application, item.kind, item.key), { ...item, at: now, seq, attempts: 0 });
  return true;
}

/** The lowest `(at, seq)` that is due by then, that nobody holds, and whose turn it is. */
function lowest(state: WorldState, upTo: number): DueItem | undefined {
  const next = state.due.lowest(upTo, Date.now());
  return next && { ...next, payload: JSON.parse(next.payload) as unknown };
}
