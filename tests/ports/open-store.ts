import type { World } from '../../shared/domain/world.ts';
import type { StoreAdapter } from '../../shared/store/ports/estate-store.ts';
import type { RelayProgress } from '../../shared/store/ports/outbox.ts';
import type { ClaimRequest, Plan } from '../../shared/store/ports/plan.ts';
import type { WorldData } from '../../shared/store/ports/world-data.ts';
import { aPlan } from './a-plan.ts';

export const CREDENTIALS = { bearer: 'b', apiKey: 'k', webhookSecret: 'w' };
export const EMPTY: WorldData = { now: 1_000, applications: {}, due: [] };

interface Limits {
  readonly outboxLimit?: number;
  readonly worldBytes?: number;
  readonly dropAfterMs?: number;
}

/** Creates an adapter for a test, with lower limits if the test needs them. */
export type CreateStore = (limits?: Limits) => Promise<StoreAdapter>;

export const idsOf = (entries: readonly { readonly id: string }[] = []): string[] => entries.map(({ id }) => id);
export const keysOf = (entries: readonly { readonly key: string }[]): string[] => entries.map(({ key }) => key);
export const times = <T>(count: number, each: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => each(n));

/** A store with one rehearsal, `r`, seen by the OMS, and short forms of its calls. */
export async function openStore(create: CreateStore, from: WorldData = EMPTY, limits: Limits = {}) {
  const adapter = await create(limits);
  const { worlds, control } = adapter;
  const world: World = await worlds.open('r', from, CREDENTIALS);
  const store = adapter.store('oms');
  const drain = (token: string, more: Omit<RelayProgress, 'token'> = {}) => store.drain(world, { token, ...more });
  const claim = (request: Partial<ClaimRequest> = {}) =>
    store.claim(world, { key: 'k', fingerprint: 'f', now: 1_000, leaseMs: 60_000, ...request });
  return {
    adapter,
    worlds,
    control,
    world,
    store,
    crm: adapter.store('crm'),
    commit: (plan: Partial<Plan> = {}, by = store) => by.commit(world, aPlan(plan)),
    object: (id: string) => store.object(world, 'things', id),
    counter: async (counter: string, key: string) => (await store.counters(world, counter, [key]))[0],
    drain,
    /** Ids of the events that a relay is to send next. */
    drained: async (token: string, more?: Omit<RelayProgress, 'token'>) => idsOf((await drain(token, more))?.entries),
    published: async (after = 0) => idsOf(await worlds.events(world, after, 10)),
    claim,
    claimed: async (request?: Partial<ClaimRequest>) => {
      const made = await claim(request);
      if (made.is !== 'ours') throw new Error(`The claim is ${made.is}.`);
      return made;
    },
    lease: (upTo: number, token = 'mine', leaseMs = 60_000) => worlds.leaseNext(world, { upTo, token, leaseMs }),
    leased: async (upTo: number, token = 'mine', leaseMs = 60_000) => {
      const item = await worlds.leaseNext(world, { upTo, token, leaseMs });
      if (!item) throw new Error('nothing due');
      return item;
    },
    ledger: (limit?: number) => worlds.ledger(world, limit),
    setFault: (name = 'f', rule = '{}') => worlds.setFault(world, name, rule),
    faults: async () => (await worlds.current(world))?.faults ?? 0,
    standAt: (now: number, driver?: string) => worlds.setClock(world, { now, flowing: false }, driver),
  };
}

export type Opened = (from?: WorldData, limits?: Limits) => ReturnType<typeof openStore>;
