import { randomUUID } from 'node:crypto';
import type { Application } from '../../catalog/applications.ts';
import type { World } from '../../domain/world.ts';
import type { Claim } from '../ports/claims.ts';
import { dueKey } from '../ports/due-work.ts';
import type { Store, StoreAdapter } from '../ports/estate-store.ts';
import type { Found } from '../ports/objects.ts';
import { OUTBOX_LIMIT, type SentEvent } from '../ports/outbox.ts';
import { createAnnouncements, type RedisAnnouncements } from './announcements.ts';
import { outboxBacklog } from './backlog.ts';
import { createChanges } from './changes.ts';
import { commitArguments, listed, readCommitted } from './commit.ts';
import { connectRedis, type RedisConnection, type RedisConnectionOptions } from './connection.ts';
import {
  dueArguments,
  indexValue,
  outboxEntry,
  parkedError,
  type RedisKeys,
  readCounter,
  readDue,
  readEntry,
  readObject,
  redisKeys,
  word,
} from './formats.ts';
import { createJanitor } from './janitor.ts';
import { createJournal } from './journal.ts';
import { redisLifetimes } from './lifetimes.ts';
import type { ScriptName } from './scripts.ts';
import { redisSimulation, redisWorlds } from './worlds.ts';

/** How long a relay may hold the outbox of one application and world, in wall time. */
const RELAY_LEASE_MS = 10_000;
const BATCH = 100;
/** Wall time after which a world that nobody sees any more is dropped. */
const DROP_AFTER_MS = 60_000;
/** How often such worlds are looked for, at most. */
const LOOK_MS = 5_000;
/** How many values one command asks for at most. */
const MANY = 1_000;
const PREFIX = 'estate:';

export interface RedisStoreOptions extends RedisConnectionOptions {
  /** Begins every key and the channel, so that several installations can share a Redis. Without braces. */
  readonly prefix?: string | undefined;
  /** Whether hops are recorded; load tests may do without. */
  readonly journal?: boolean | undefined;
  readonly relayLeaseMs?: number | undefined;
  /** How many events of one application and world may wait for the bus before its requests are refused. */
  readonly outboxLimit?: number | undefined;
  readonly dropAfterMs?: number | undefined;
}

/**
 * The estate's state in Redis, for any number of processes.
 * @throws RedisRefused with a sentence when the Redis cannot be used as it is
 */
export async function createRedisStore(options: RedisStoreOptions): Promise<StoreAdapter> {
  const { prefix = PREFIX, journal: recording = true, relayLeaseMs = RELAY_LEASE_MS, dropAfterMs = DROP_AFTER_MS } = options;
  const { outboxLimit = OUTBOX_LIMIT } = options;
  if (/[{}]/.test(prefix)) throw new Error(`A prefix has no braces, but this one has: ${prefix}`);
  const keys = redisKeys(prefix);
  const onError = options.onError ?? (() => undefined);
  const connection = await connectRedis(options, keys.changed);
  const announcements = createAnnouncements({ connection, keys });
  const journal = createJournal({ connection, keys, onError });
  const changes = createChanges({ connection, keys, onError });
  const lifetimes = redisLifetimes({ connection, keys });
  const janitor = createJanitor({ connection, keys, lifetimes, lookMs: Math.min(LOOK_MS, dropAfterMs), onError });
  const simulation = redisSimulation({ connection, keys, journal });
  const store = (application: Application) => bind(application, { connection, keys, announcements, relayLeaseMs, outboxLimit });
  return {
    store,
    simulation: recording ? simulation : { ...simulation, journal: () => undefined },
    worlds: redisWorlds({ connection, keys, journal, changes, lifetimes, store, dropAfterMs }),
    state: connection.state,
    close: async () => {
      janitor.stop();
      changes.stop();
      await journal.stop();
      await connection.close();
    },
  };
}

interface Binding {
  readonly connection: RedisConnection;
  readonly keys: RedisKeys;
  readonly announcements: RedisAnnouncements;
  readonly relayLeaseMs: number;
  readonly outboxLimit: number;
}

function bind(application: Application, { connection, keys, announcements, relayLeaseMs, outboxLimit }: Binding): Store {
  const run = (name: ScriptName, world: World, ...args: readonly (string | number)[]): Promise<unknown> =>
    connection.run(name, keys.world(world), args);
  return {
    application,
    object: async (world, collection, id) => (await run('object', world, application, collection, id).then(readPage))[0],
    unique: async (world, collection, name, value) => (await run('unique', world, application, collection, name, value).then(readPage))[0],
    index: (world, collection, name, value, { after, limit, newestFirst }) =>
      run('index', world, application, collection, name, indexValue(value), after, limit, newestFirst ? 1 : 0).then(readPage),
    count: async (world, collection, name, values) =>
      (await run('count', world, application, collection, name, ...values.map(indexValue))) as number[],
    all: (world, collection, { after, limit, newestFirst }) =>
      run('all', world, application, collection, after, limit, newestFirst ? 1 : 0).then(readPage),
    counters: async (world, counter, asked) => {
      const parts = Array.from({ length: Math.max(1, Math.ceil(asked.length / MANY)) }, (_, n) => asked.slice(n * MANY, (n + 1) * MANY));
      const found = await Promise.all(parts.map((part) => run('counters', world, application, counter, ...part)));
      return (found.flat() as (string | null)[]).map(readCounter);
    },
    claim: async (world, key, fingerprint, now, leaseMs) => {
      // The same token for every try: one whose answer was lost has taken the claim for us.
      const token = randomUUID();
      return readClaim(await run('claim', world, application, key, word(fingerprint), now, leaseMs, token), token);
    },
    release: async (world, key, token) => {
      await run('release', world, application, key, word(token));
    },
    due: async (world, kind, key, token) => {
      const record = (await run('due', world, dueKey(application, kind, key), word(token))) as string | null;
      return record === null ? undefined : readDue(record);
    },
    releaseDue: async (world, kind, key, token) => {
      await run('releaseDue', world, dueKey(application, kind, key), word(token));
    },
    commit: async (world, plan) => {
      if (plan.events.length > 0) await announcements.announce(application, world);
      return readCommitted(await run('commit', world, ...commitArguments(application, plan, outboxLimit)), world);
    },
    drain: async (world, token, sent, held = [], goOn = true) => {
      const carried = [...listed(sent, sentArguments), ...listed(held, ({ id, due }) => [id, ...dueArguments(application, due)])];
      const batch = await run('drain', world, application, randomUUID(), word(token), relayLeaseMs, goOn ? BATCH : 0, ...carried);
      return (batch as string[]).map(readEntry);
    },
    held: async (world, fault) => ((await run('held', world, application, word(fault))) as string[]).map(readDue),
    unsent: () => announcements.unsent(application),
    outbox: () => outboxBacklog(application, { connection, keys, announcements }),
    isPending: async (world, delivery) =>
      (await connection.idempotently((client) => client.zscore(`${keys.world(world)}:pending`, delivery))) !== null,
    park: async (world, delivery, error) => {
      await run('parkDelivery', world, delivery, parkedError(error));
    },
  };
}

const sentArguments = (one: SentEvent): readonly string[] => (typeof one === 'string' ? [one, ''] : [one.id, outboxEntry(one)]);

/** `[id, record, id, record, …]` */
function readPage(reply: unknown): readonly Found[] {
  const parts = reply as readonly string[];
  return Array.from({ length: parts.length / 2 }, (_, n) => readObject(parts[2 * n] ?? '', parts[2 * n + 1] ?? ''));
}

function readClaim(reply: unknown, token: string): Claim {
  const [is, first = '', second = ''] = reply as readonly string[];
  if (is === 'done') return { is, json: first };
  if (is === 'running' || is === 'other-body') return { is };
  return { is: 'ours', token, since: Number(first), preconditionHeld: second === '1' };
}
