import type { Application } from '../../catalog/applications.ts';
import { type JournalLimits, journalLimits } from '../journal-limits.ts';
import type { StoreAdapter } from '../ports/estate-store.ts';
import { OUTBOX_LIMIT } from '../ports/outbox.ts';
import { WORLD_BYTES } from '../ports/plan.ts';
import { createAnnouncements } from './announcements.ts';
import { createApplicationStore } from './application-store.ts';
import { createChanges } from './changes.ts';
import { connectRedis, type RedisConnectionOptions } from './connection.ts';
import { createRedisFaults } from './faults.ts';
import { createJanitor } from './janitor.ts';
import { createJournal } from './journal.ts';
import { redisKeys } from './keys.ts';
import { createRedisLifetimes } from './lifetimes.ts';
import { createRedisWorlds } from './worlds.ts';

/** Wall time of a relay's lease on the outbox of one application and world. */
const RELAY_LEASE_MS = 10_000;
/** Wall time after which a replaced or removed world is dropped. */
const DROP_AFTER_MS = 60_000;
/** Longest pause between two searches for such worlds, in wall time. */
const SWEEP_MS = 5_000;
const PREFIX = 'estate:';

export interface RedisStoreOptions extends RedisConnectionOptions {
  /** Prefix of every key and of the channels, so that several installations can share a Redis. Without braces. */
  readonly prefix?: string | undefined;
  /** Limits of each journal; `off` records no hops. */
  readonly journal?: JournalLimits | 'off' | undefined;
  readonly relayLeaseMs?: number | undefined;
  /** Limit of the unpublished events of one application in one world. Beyond it, requests are refused. */
  readonly outboxLimit?: number | undefined;
  /** Limit of the text of a world. */
  readonly worldBytes?: number | undefined;
  readonly dropAfterMs?: number | undefined;
}

/** The estate's state in Redis, for any number of processes. @throws RedisRefused when this Redis is not usable */
export async function createRedisStore(options: RedisStoreOptions): Promise<StoreAdapter> {
  const { prefix = PREFIX, journal: limits = journalLimits(), dropAfterMs = DROP_AFTER_MS } = options;
  const { relayLeaseMs = RELAY_LEASE_MS, outboxLimit = OUTBOX_LIMIT, worldBytes = WORLD_BYTES, onError = () => undefined } = options;
  if (/[{}]/.test(prefix)) throw new Error(`The prefix of the keys must not contain braces: ${prefix}`);
  const keys = redisKeys(prefix);
  const connection = await connectRedis(options, keys.changed);
  const announcements = createAnnouncements({ connection, keys });
  const journal = createJournal({ connection, keys, limits: limits === 'off' ? journalLimits() : limits, onError });
  const changes = createChanges({ connection, keys, onError });
  const lifetimes = createRedisLifetimes({ connection, keys });
  const janitor = createJanitor({ connection, keys, lifetimes, sweepMs: Math.min(SWEEP_MS, dropAfterMs), onError });
  const store = (application: Application) =>
    createApplicationStore(application, { connection, keys, announcements, relayLeaseMs, outboxLimit, worldBytes });
  return {
    store,
    control: {
      ...createRedisFaults({ connection, keys }),
      journal: limits !== 'off' ? (world, entry) => journal.add(world, entry) : () => undefined,
      expectHops: journal.expect,
    },
    worlds: createRedisWorlds({ connection, keys, journal, changes, lifetimes, store, dropAfterMs }),
    state: connection.state,
    close: async () => {
      janitor.stop();
      changes.stop();
      await journal.stop();
      await connection.close();
    },
  };
}
