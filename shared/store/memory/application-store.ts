import type { Owner } from '../../catalog/applications.ts';
import type { World } from '../../domain/world.ts';
import { carriesEvent, dueKey } from '../ports/due-work.ts';
import type { Store } from '../ports/estate-store.ts';
import type { Found, ObjectStore, PageRequest } from '../ports/objects.ts';
import { deliveryAgain } from '../ports/outbox.ts';
import { awaitedBefore, bytesOfClaim, claim, commit, forgetClaims } from './commit.ts';
import type { MemoryEstate } from './estate.ts';
import type { OrderedList } from './ordered-list.ts';
import { createMemoryOutbox, handOver, type Unsent } from './outbox.ts';
import { schedule, waitFor } from './schedule.ts';
import { type ApplicationState, applicationState, dueItem, type Placed, park, withheldItems } from './state.ts';

interface ApplicationStoreOptions {
  readonly estate: MemoryEstate;
  readonly unsent: Unsent;
  readonly relayLeaseMs: number;
  readonly outboxLimit: number;
  readonly worldBytes: number;
}

export function createApplicationStore(application: Owner, options: ApplicationStoreOptions): Store {
  const { estate, unsent, outboxLimit, worldBytes } = options;
  const { all, janitor, need, changed } = estate;
  const stateOf = (world: World): ApplicationState => applicationState(need(world), application);
  return {
    ...createMemoryObjects(stateOf),
    ...createMemoryOutbox(application, options),
    claim: async (world, { key, fingerprint, now, leaseMs }) => {
      const state = need(world);
      const { claims } = stateOf(world);
      forgetClaims(state, claims, now);
      return claim(state, claims, key, { fingerprint, now, leaseMs });
    },
    release: async (world, key, token) => {
      const record = stateOf(world).claims.get(key);
      if (record?.token !== token) return;
      record.token = undefined;
      need(world).bytes += bytesOfClaim(record);
    },
    due: async (world, { kind, key, token }) => {
      const record = all.get(world)?.due.get(dueKey(application, kind, key));
      return record?.lease?.token === token ? dueItem(record.item) : undefined;
    },
    releaseDue: async (world, { kind, key, token }) => {
      const due = all.get(world)?.due;
      const name = dueKey(application, kind, key);
      const isLeased = due?.get(name)?.lease?.token === token;
      if (isLeased) due?.release(name);
      if (due?.endRun(token) || isLeased) changed(world);
    },
    withheld: async (world, fault) => withheldItems(all.get(world), fault).filter((item) => item.application === application),
    commit: async (world, plan) => {
      const found = all.get(world);
      if (!found) return { ok: false, why: 'world', at: world };
      const awaited = awaitedBefore(found, plan);
      const result = commit(found, application, plan, { outboxLimit, worldBytes, remembered: janitor.remembered });
      if (plan.events.length > 0) unsent.note(found, application);
      const { fence, events, due } = plan;
      const endsWork = fence?.kind === 'delivery' || fence?.kind === 'due';
      if (endsWork || (result.ok && (events.length > 0 || due.length > 0))) {
        const isTurn = fence?.kind === 'due' && carriesEvent(fence.key.split('|')[1] ?? '');
        changed(world, !result.ok || isTurn || awaited !== undefined ? 0 : waitFor(found, application, due));
      }
      const batch = result.ok && plan.relay !== undefined ? handOver(found, application, plan.relay, options.relayLeaseMs) : undefined;
      return batch ? { ...result, batch } : result;
    },
    isPending: async (world, delivery) => all.get(world)?.pending.has(delivery) ?? false,
    park: async (world, delivery, error) => {
      const found = all.get(world);
      if (!found?.pending.delete(delivery)) return;
      park(found, { what: 'delivery', key: delivery }, error);
      changed(world, Number.POSITIVE_INFINITY);
    },
    postpone: async (world, delivery, { event, at, awaits }) => {
      const found = all.get(world);
      if (!found?.pending.has(delivery)) return;
      const { application: subscriber, ...again } = deliveryAgain(delivery, event);
      schedule(found, subscriber, { ...again, at, awaits, attempts: 1 });
      changed(world, waitFor(found, subscriber, [{ ...again, at }]));
    },
  };
}

/** @param stateOf throws WorldGone when the world was dropped */
function createMemoryObjects(stateOf: (world: World) => ApplicationState): ObjectStore {
  return {
    object: async (world, collection, id) => stateOf(world).objects.get(collection)?.get(id),
    unique: async (world, collection, name, value) => {
      const state = stateOf(world);
      const id = state.unique.get(`${collection}.${name}`)?.get(value);
      return id === undefined ? undefined : state.objects.get(collection)?.get(id);
    },
    index: async (world, collection, name, value, page) => {
      const state = stateOf(world);
      return pageOf(state, collection, state.index.get(`${collection}.${name}`)?.get(value), page);
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
