import type { Application } from '../../catalog/applications.ts';
import type { World } from '../../domain/world.ts';
import { READY } from '../../process/readiness.ts';
import { WorldGone } from '../ports/directory.ts';
import { dueKey, PUBLISH_WITHHELD_EVENT } from '../ports/due-work.ts';
import type { Store, StoreAdapter } from '../ports/estate-store.ts';
import type { Found, PageRequest } from '../ports/objects.ts';
import { OUTBOX_LIMIT, type OutboxEntry, type SentEvent, type WithheldEvent } from '../ports/outbox.ts';
import { outboxBacklog } from './backlog.ts';
import { claim, forgetClaims } from './claims.ts';
import { commit, schedule } from './commit.ts';
import { createMemoryJanitor, type MemoryJanitor } from './janitor.ts';
import type { OrderedList } from './ordered-list.ts';
import { type ApplicationState, applicationState, firstOf, getOr, heldItems, type Placed, park, type WorldState } from './state.ts';
import { memoryWorlds } from './worlds.ts';

export type { StoreAdapter };

/** How long a relay may hold the outbox of one application and world, in wall time. */
const RELAY_LEASE_MS = 10_000;
const BATCH = 100;
/** Wall time after which a world that nobody sees any more is dropped. */
const DROP_AFTER_MS = 60_000;

export interface MemoryStoreOptions {
  /** Whether hops are recorded; load tests may do without. */
  readonly journal?: boolean;
  readonly relayLeaseMs?: number;
  /** How many events of one application and world may wait for the bus before its requests are refused. */
  readonly outboxLimit?: number | undefined;
  readonly dropAfterMs?: number | undefined;
}

/** The estate's state in this process's memory. It forgets everything when the process ends. */
export function createMemoryStore(options: MemoryStoreOptions = {}): StoreAdapter {
  const { journal = true, relayLeaseMs = RELAY_LEASE_MS, outboxLimit = OUTBOX_LIMIT, dropAfterMs = DROP_AFTER_MS } = options;
  const all = new Map<World, WorldState>();
  const janitor = createMemoryJanitor({ all, dropAfterMs });
  const listeners = new Set<(world: World) => void>();
  const changed = (world: World): void => {
    for (const listener of listeners) listener(world);
  };
  const unsent = createUnsent(all);
  const store = (application: Application) => bind(application, { all, janitor, unsent, changed, relayLeaseMs, outboxLimit });
  const { worlds, simulation } = memoryWorlds(all, { janitor, listeners, changed, store });
  return {
    store,
    simulation: journal ? simulation : { ...simulation, journal: () => undefined },
    worlds,
    state: () => READY,
    close: async () => {
      janitor.stop();
      all.clear();
    },
  };
}

/** In which worlds an application has events in its outbox: nobody has to look into all of them. */
function createUnsent(all: ReadonlyMap<World, WorldState>) {
  const found = new Map<Application, Set<World>>();
  return {
    note(world: WorldState, application: Application): void {
      const worlds = getOr(found, application, () => new Set());
      if (applicationState(world, application).outbox.size > 0) worlds.add(world.world);
      else worlds.delete(world.world);
    },
    /** Worlds that were dropped meanwhile are taken out. */
    worlds: (application: Application): readonly WorldState[] =>
      [...(found.get(application) ?? [])].flatMap((world) => {
        const state = all.get(world);
        if (!state) found.get(application)?.delete(world);
        return state ?? [];
      }),
  };
}

interface Binding {
  readonly all: Map<World, WorldState>;
  readonly unsent: ReturnType<typeof createUnsent>;
  readonly janitor: MemoryJanitor;
  readonly changed: (world: World) => void;
  readonly relayLeaseMs: number;
  readonly outboxLimit: number;
}

function bind(application: Application, { all, janitor, unsent, changed, relayLeaseMs, outboxLimit }: Binding): Store {
  const stateOf = (world: World): ApplicationState => {
    const found = all.get(world);
    if (!found) throw new WorldGone(`The world ${world} is gone.`);
    return applicationState(found, application);
  };
  return {
    application,
    object: async (world, collection, id) => stateOf(world).objects.get(collection)?.get(id),
    unique: async (world, collection, name, value) => {
      const state = stateOf(world);
      const id = state.unique.get(`${collection}.${name}`)?.get(value);
      return id === undefined ? undefined : state.objects.get(collection)?.get(id);
    },
    index: async (world, collection, name, value, page) => {
      const state = stateOf(world);
      const ids = state.index.get(`${collection}.${name}`)?.get(value);
      return pageOf(state, collection, ids, page);
    },
    count: async (world, collection, name, values) => {
      const found = stateOf(world).index.get(`${collection}.${name}`);
      return values.map((value) => found?.get(value)?.size ?? 0);
    },
    all: async (world, collection, page) => {
      const state = stateOf(world);
      return pageOf(state, collection, state.placed.get(collection), page);
    },
    counters: async (world, counter, keys) => {
      const found = stateOf(world).counters.get(counter);
      return keys.map((key) => Object.fromEntries(found?.get(key) ?? []));
    },
    claim: async (world, key, fingerprint, now, leaseMs) => {
      const { claims } = stateOf(world);
      forgetClaims(all.get(world), claims, now);
      return claim(claims, key, { fingerprint, now, leaseMs });
    },
    release: async (world, key, token) => {
      const record = stateOf(world).claims.get(key);
      if (record?.token === token) record.token = undefined;
    },
    due: async (world, kind, key, token) => {
      const record = all.get(world)?.due.get(dueKey(application, kind, key));
      return record?.lease?.token === token ? { ...record.item, payload: JSON.parse(record.item.payload) as unknown } : undefined;
    },
    releaseDue: async (world, kind, key, token) => {
      const due = all.get(world)?.due;
      const name = dueKey(application, kind, key);
      const isHeld = due?.get(name)?.lease?.token === token;
      if (isHeld) due?.release(name);
      if (due?.endRun(token) || isHeld) changed(world);
    },
    commit: async (world, plan) => {
      const found = all.get(world);
      if (!found) return { ok: false, why: 'world', at: world };
      const result = commit(found, application, plan, { outboxLimit, remembered: janitor.remembered });
      if (plan.events.length > 0) unsent.note(found, application);
      const endsWork = plan.fence?.kind === 'delivery' || plan.fence?.kind === 'due';
      if (endsWork || (result.ok && (plan.events.length > 0 || plan.due.length > 0))) changed(world);
      return result;
    },
    drain: async (world, token, sent, held = [], goOn = true) => {
      const found = all.get(world);
      if (!found) return [];
      const batch = drain(found, application, token, { sent, held, leaseMs: relayLeaseMs, goOn });
      unsent.note(found, application);
      if (sent.length > 0 || held.length > 0) changed(world);
      return batch;
    },
    held: async (world, fault) => heldItems(all.get(world), fault).filter((item) => item.application === application),
    unsent: async () =>
      unsent
        .worlds(application)
        .filter((world) => {
          const { relay } = applicationState(world, application);
          return !relay || Date.now() >= relay.until;
        })
        .map(({ world }) => world),
    outbox: async () => outboxBacklog(application, unsent.worlds(application)),
    isPending: async (world, delivery) => all.get(world)?.pending.has(delivery) ?? false,
    park: async (world, delivery, error) => {
      const found = all.get(world);
      if (!found?.pending.delete(delivery)) return;
      park(found, { what: 'delivery', key: delivery }, error);
      changed(world);
    },
  };
}

function pageOf(
  state: ApplicationState,
  collection: string,
  placed: OrderedList<Placed> | undefined,
  { after, limit, newestFirst }: PageRequest,
): readonly Found[] {
  const objects = state.objects.get(collection);
  const page = newestFirst ? placed?.before(after, limit) : placed?.after(after, limit);
  return (page ?? []).flatMap(({ id }) => objects?.get(id) ?? []);
}

interface Carried {
  readonly sent: readonly SentEvent[];
  readonly held: readonly WithheldEvent[];
  readonly leaseMs: number;
  readonly goOn: boolean;
}

function drain(world: WorldState, application: Application, token: string, { sent, held, leaseMs, goOn }: Carried): readonly OutboxEntry[] {
  const state = applicationState(world, application);
  if (state.relay && state.relay.token !== token && Date.now() < state.relay.until) return [];
  for (const one of sent) {
    const entry = typeof one === 'string' ? state.outbox.get(one) : one;
    if (typeof one !== 'string') world.due.remove(dueKey(application, PUBLISH_WITHHELD_EVENT, one.id));
    if (entry) world.events.add(entry);
  }
  for (const { id, due } of held) if (state.outbox.has(id)) schedule(world, application, due, ++world.seq);
  for (const one of sent) state.outbox.delete(typeof one === 'string' ? one : one.id);
  for (const { id } of held) state.outbox.delete(id);
  const batch = goOn ? firstOf(state.outbox.values(), BATCH) : [];
  state.relay = batch.length > 0 ? { token, until: Date.now() + leaseMs } : undefined;
  return batch;
}
