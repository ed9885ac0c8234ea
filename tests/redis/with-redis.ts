import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe } from '@jest/globals';
import { Redis } from 'ioredis';
import type { StoreAdapter } from '../../shared/store/ports/estate-store.ts';
import { createRedisStore, type RedisStoreOptions } from '../../shared/store/redis/store.ts';
import { type RedisServer, startRedis, whyNoRedis } from '../support/redis-server.ts';
import { skipWithoutRedis } from './without-redis.ts';

export const EMPTY = { now: 1_000, applications: {}, due: [] };
export const CREDENTIALS = { bearer: 'b', apiKey: 'k', webhookSecret: 'w' };

export type Settings = Readonly<Record<string, string>>;

/** Describes tests on one Redis. Without `redis-server` they are skipped. */
export function describeWithRedis(title: string, body: (redis: TestRedis) => void, settings: Settings = {}, start = startRedis): void {
  if (whyNoRedis !== undefined) skipWithoutRedis(title);
  else
    describe(title, () => {
      const closing: (() => Promise<unknown>)[] = [];
      const redis = {
        ...storesOn(
          () => redis.server.url,
          () => redis.admin,
          closing,
        ),
      } as TestRedis;
      beforeAll(async () => {
        redis.server = await start(settings);
        redis.admin = new Redis({ port: redis.server.port, ...(settings['requirepass'] && { password: settings['requirepass'] }) });
        redis.admin.on('error', () => undefined);
      });
      afterEach(async () => {
        for (const close of closing.splice(0).toReversed()) await close();
      });
      afterAll(async () => {
        redis.admin?.disconnect();
        await redis.server?.stop();
      });
      body(redis);
    });
}

export interface TestRedis extends ReturnType<typeof storesOn> {
  server: RedisServer;
  admin: Redis;
}

function storesOn(url: () => string, admin: () => Redis, closing: (() => Promise<unknown>)[]) {
  /** A store with its own prefix, which is closed after the test. */
  async function store(options: Partial<RedisStoreOptions> = {}): Promise<StoreAdapter> {
    const adapter = await createRedisStore({ url: url(), prefix: `${randomUUID()}:`, ...options });
    closing.push(() => adapter.close());
    return adapter;
  }
  return {
    store,
    /** Keys that match, without the results of operations, which expire. */
    async keysThatStay(pattern: string): Promise<readonly string[]> {
      const found = await admin().keys(pattern);
      const ends = await Promise.all(found.map((key) => admin().pttl(key)));
      return found.filter((key, position) => !(key.includes(':op:') && (ends[position] ?? 0) !== -1));
    },
    /** Runs at the end of the test, after what the test opens later was closed. */
    atEnd: (close: () => Promise<unknown>): void => void closing.push(close),
    /** A store with the rehearsal "r", and the key of its world. */
    async opened(options: Partial<RedisStoreOptions> = {}) {
      const prefix = options.prefix ?? `${randomUUID()}:`;
      const adapter = await store({ ...options, prefix });
      const world = await adapter.worlds.open('r', EMPTY, CREDENTIALS);
      return { adapter, worlds: adapter.worlds, store: adapter.store('oms'), world, prefix, key: `${prefix}{r}~${world.slice(2)}` };
    },
  };
}
