import type { Owner } from '../../catalog/applications.ts';
import { DEFAULT_PROGRESSION, type Progression } from '../../catalog/control/progression.ts';
import { isProblem } from '../../catalog/problems.ts';
import type { World } from '../../domain/world.ts';
import { STATE_INDEX } from '../collections.ts';
import { journalLimits } from '../journal-limits.ts';
import type { Settling } from '../ports/due-work.ts';
import { DROP_AFTER_MS, RELAY_LEASE_MS, type Store, type StoreAdapter, type StoreOptions, type Worlds } from '../ports/estate-store.ts';
import type { CountedObjects, EventPage, EventReader, EventsAbout, ObjectCount } from '../ports/objects.ts';
import { OUTBOX_LIMIT } from '../ports/outbox.ts';
import { WORLD_BYTES } from '../ports/plan.ts';
import type { Directory, RehearsalCredentials, RevocationStore, WorldView } from '../ports/rehearsals.ts';
import { type FormatsStore, incompatibleWorld } from '../ports/world-formats.ts';
import { createAnnouncements, type RedisAnnouncements } from './announcements.ts';
import { createApplicationStore } from './application-store.ts';
import { createChanges, type RedisChanges } from './changes.ts';
import { createRedisClock } from './clock.ts';
import { connectRedis, type RedisAccess, type RedisConnectionOptions, type RunInWorld, runInWorld } from './connection.ts';
import { createRedisFaultControl, createRedisFaults } from './faults.ts';
import { eventsAbout, listed, readEvent } from './formats.ts';
import { createJournal, type RedisJournal } from './journal.ts';
import { partsOf, redisKeys } from './keys.ts';
import { createRedisLedger, worldsBacklog } from './ledger.ts';
import { createJanitor, createRedisLifetimes, type RedisLifetimes } from './lifetimes.ts';
import { createRedisLogs } from './logs.ts';
import { createRedisRehearsals } from './rehearsals.ts';
import { createRedisRuns } from './runs.ts';
import { createSettling } from './settling.ts';
import { createRedisSnapshots } from './snapshots.ts';
import { createRedisWorldData } from './world-data.ts';
import { createRedisFormats } from './world-formats.ts';

/** Longest pause between two searches for such worlds, in wall time. */
const SWEEP_MS = 5_000;
const PREFIX = 'estate:';

export interface RedisStoreOptions extends RedisConnectionOptions, StoreOptions {
  /** Prefix of every key and of the channels, so that several installations can share a Redis. Without braces. */
  readonly prefix?: string | undefined;
  /** Wall time between a hop and its write, so that the journal writes several together. */
  readonly gatherMs?: number | undefined;
}

/** The estate's state in Redis, for any number of processes. @throws RedisRefused when this Redis is not usable */
export async function createRedisStore(options: RedisStoreOptions): Promise<StoreAdapter> {
  const { prefix = PREFIX, journal: limits = journalLimits(), dropAfterMs = DROP_AFTER_MS } = options;
  const {
    relayLeaseMs = RELAY_LEASE_MS,
    outboxLimit = OUTBOX_LIMIT,
    worldBytes = WORLD_BYTES,
    gatherMs,
    onError = () => undefined,
  } = options;
  if (/[{}]/.test(prefix)) throw new Error(`The prefix of the keys must not contain braces: ${prefix}`);
  const keys = redisKeys(prefix);
  const connection = await connectRedis(options, keys.changed);
  const announcements = createAnnouncements({ connection, keys });
  const settling = createSettling({ connection, keys, onError });
  const { announceSettling, watchSettling } = settling;
  const journal = createJournal({ connection, keys, limits: limits === 'off' ? journalLimits() : limits, settling, onError, gatherMs });
  const changes = createChanges({ connection, keys, onError });
  const lifetimes = createRedisLifetimes({ connection, keys });
  const janitor = createJanitor({ connection, keys, lifetimes, sweepMs: Math.min(SWEEP_MS, dropAfterMs), onError });
  // One per application: reads that begin together meet in it.
  const stores = new Map<Owner, Store>();
  function store(application: Owner): Store {
    const made =
      stores.get(application) ??
      createApplicationStore(application, { connection, keys, announcements, relayLeaseMs, outboxLimit, worldBytes });
    stores.set(application, made);
    return made;
  }
  return {
    store,
    control: {
      ...createRedisFaults({ connection, keys }),
      journal: limits !== 'off' ? (world, entry) => journal.add(world, entry) : () => undefined,
      expectHops: journal.expect,
    },
    worlds: {
      ...createRedisWorlds({ connection, keys, announcements, journal, changes, lifetimes, store, dropAfterMs }),
      announceSettling,
      watchSettling,
    },
    state: connection.state,
    close: async () => {
      janitor.stop();
      changes.stop();
      await journal.stop();
      settling.stop();
      await connection.close();
    },
  };
}

interface WorldsOptions extends RedisAccess {
  readonly announcements: RedisAnnouncements;
  readonly journal: RedisJournal;
  readonly changes: RedisChanges;
  readonly store: (application: Owner) => Store;
  readonly lifetimes: RedisLifetimes;
  readonly dropAfterMs: number;
}

/** The estate-wide view of the Redis adapter. */
function createRedisWorlds(options: WorldsOptions): Omit<Worlds, keyof Settling> {
  const { journal, changes, store } = options;
  const run = runInWorld(options);
  const formats = createRedisFormats(options);
  const rehearsals = createRedisRehearsals({ ...options, formats });
  return {
    ...createDirectory({ ...options, formats }),
    ...formats,
    ...rehearsals,
    ...createRevocations(options),
    ...createRedisWorldData(options),
    ...createRedisLedger(options),
    ...createRedisClock(options),
    ...createRedisFaultControl(options),
    ...createEventReader(options),
    ...createRedisRuns(options),
    ...createRedisLogs(run),
    ...createRedisSnapshots(options),
    ...journal.reader,
    setProgression: async (world, input) =>
      JSON.parse((await run('setProgression', world, JSON.stringify(input), JSON.stringify(DEFAULT_PROGRESSION))) as string),
    object: (world, application, collection, id) => store(application).object(world, collection, id),
    all: (world, application, collection, page) => store(application).all(world, collection, page),
    indexed: (world, { application, collection, name }, value, page) => store(application).index(world, collection, name, value, page),
    unique: (world, { application, collection, name }, value) => store(application).unique(world, collection, name, value),
    countObjects: (world, of) => countObjects(run, world, of),
    counters: (world, application, counter, names) => store(application).counters(world, counter, names),
    backlog: async () => {
      const worlds = (await rehearsals.list()).flatMap(({ current }) => current?.world ?? []);
      return worldsBacklog(options, worlds);
    },
    watch: (listener) =>
      changes.watch((world, waitMs) => {
        journal.expect(world);
        listener(world, waitMs);
      }),
  };
}

async function countObjects(run: RunInWorld, world: World, of: readonly CountedObjects[]): Promise<readonly ObjectCount[]> {
  const asked = listed(of, ({ application, collection, states }) => [application, collection, ...listed(states, (state) => [state])]);
  const counts = (await run('countObjects', world, STATE_INDEX, ...asked)) as readonly (readonly number[])[];
  return counts.map(([count = 0, ...states]) => ({ count, states }));
}

function createDirectory(access: RedisAccess & { readonly formats: FormatsStore }): Directory {
  const { connection, keys, formats } = access;
  const run = runInWorld(access);
  /** @throws Problem for a world that another release wrote: incompatible_world, dependency_unavailable until it has been examined */
  async function view(rehearsal: string, id: string): Promise<WorldView | undefined> {
    const reply = (await connection.run('view', keys.rehearsal(rehearsal), [id])) as readonly string[];
    if (reply.length !== 1) return readView(rehearsal, reply);
    const foreign = await formats.foreignOf(rehearsal);
    if (foreign) throw incompatibleWorld(foreign);
    return view(rehearsal, id);
  }
  return {
    resolve: (rehearsal) => view(rehearsal, ''),
    current: (world) =>
      view(partsOf(world).rehearsal, partsOf(world).id).catch((error: unknown) => {
        if (isProblem(error, 'incompatible_world')) return undefined;
        throw error;
      }),
    nextNumber: async (world, name) => Number(await run('nextNumber', world, name)),
  };
}

function createRevocations(access: RedisAccess): RevocationStore {
  const run = runInWorld(access);
  const { connection, keys } = access;
  return {
    revokeToken: async ({ world, id, endsAt }) => void (await run('revokeToken', world, id, endsAt)),
    isTokenRevoked: async ({ world, id }) =>
      (await connection.idempotently((client) => client.zscore(`${keys.world(world)}:revoked`, id))) !== null,
    expireTokens: async (world, { generation, at }) => void (await run('expireTokens', world, generation, at)),
  };
}

function readView(rehearsal: string, reply: readonly string[]): WorldView | undefined {
  const [id, credentials = '', flowing, now, progression = '', faults, bytes, moves, ...rest] = reply;
  const [seed, startsAt, lineage, reference, generation, expired] = rest;
  if (id === undefined) return undefined;
  return {
    rehearsal,
    world: `${rehearsal}~${id}`,
    lineage: lineage || undefined,
    now: Number(now),
    flowing: flowing === '1',
    moves: Number(moves),
    faults: Number(faults),
    reference: reference || undefined,
    bytes: Number(bytes),
    progression: progression === '' ? undefined : (JSON.parse(progression) as Progression),
    tokenExpiry: generation ? { generation: Number(generation), at: Number(expired) } : undefined,
    credentials: JSON.parse(credentials) as RehearsalCredentials,
    seed: seed || undefined,
    startsAt: startsAt ? Number(startsAt) : undefined,
  };
}

function createEventReader(access: RedisAccess): EventReader {
  const { connection, keys } = access;
  const run = runInWorld(access);
  /** An empty reply requests another call: a long index is built in pieces. */
  async function find(world: World, about: EventsAbout, after: number | '', limit: number): Promise<EventPage> {
    for (;;) {
      const reply = (await run('eventsAbout', world, eventsAbout(about), after, limit)) as readonly unknown[];
      const [last, count, ...found] = reply as [number?, number?, ...(readonly [string, readonly string[]])[]];
      if (last !== undefined && count !== undefined) return { events: found.map(readEvent), last, count };
    }
  }
  return {
    events: async (world, after, limit) => {
      const found = await connection.idempotently((client) =>
        client.xrange(`${keys.world(world)}:events`, `(${after}-0`, '+', 'COUNT', limit),
      );
      return found.map(readEvent);
    },
    eventsAbout: find,
    newestEventsAbout: async (world, about, limit) => (await find(world, about, '', limit)).events,
  };
}
