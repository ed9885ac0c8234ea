import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe } from '@jest/globals';
import type { StoreAdapter } from '../../shared/store/ports/estate-store.ts';
import { createRedisStore } from '../../shared/store/redis/store.ts';
import { type RedisServer, startRedis, whyNoRedis } from './redis-server.ts';
import { storeSuite } from './store-suite.ts';
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

    storeSuite('redis', async (options) => {
      const adapter = await createRedisStore({ ...options, url: server.url, prefix: `${randomUUID()}:` });
      adapters.push(adapter);
      return adapter;
    });
  });
}
