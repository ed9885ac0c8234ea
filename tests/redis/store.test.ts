import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { StoreAdapter } from '../../shared/store/ports/estate-store.ts';
import { createRedisStore } from '../../shared/store/redis/store.ts';
import { storeSuite } from '../ports/store-suite.ts';
import { type RedisServer, startRedis, whyNoRedis } from './redis-server.ts';
import { skipWithoutRedis } from './without-redis.ts';

if (whyNoRedis) {
  skipWithoutRedis('the Redis adapter against the suite of all stores');
} else {
  describe('on a separate Redis', () => {
    let server: RedisServer;
    const adapters: StoreAdapter[] = [];

    beforeAll(async () => {
      server = await startRedis();
    });
    afterEach(async () => {
      await Promise.all(adapters.splice(0).map((adapter) => adapter.close()));
    });
    afterAll(() => server.stop());

    const opened = async (options: object = {}): Promise<StoreAdapter> => {
      const adapter = await createRedisStore({ ...options, url: server.url, prefix: `${randomUUID()}:` });
      adapters.push(adapter);
      return adapter;
    };

    storeSuite('redis', opened);

    test('rehearsals of the same millisecond are listed in the order of creation, whatever their idle times', async () => {
      const { worlds } = await opened();
      const terms = { credentials: { bearer: 'b', apiKey: 'k', webhookSecret: 'w' }, most: 100 };
      const completed: string[] = [];
      const create = async (n: number) => {
        const idleMs = n % 3 === 0 ? null : 3_600_000 / n;
        await worlds.create(`n${n}`, { ...terms, idleMs, from: () => ({ now: 1_000, applications: {}, due: [] }) });
        completed.push(`n${n}`);
      };
      // Over one connection they are created in the order in which they complete.
      await Promise.all(Array.from({ length: 12 }, (_, n) => create(n)));
      expect((await worlds.list()).map(({ rehearsal }) => rehearsal)).toEqual(completed);
    });
  });
}
