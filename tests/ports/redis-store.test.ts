import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, test } from '@jest/globals';
import type { StoreAdapter } from '../../shared/store/ports.ts';
import { createRedisStore } from '../../shared/store/redis-store.ts';
import { type RedisServer, startRedis, whyNoRedis } from './redis-server.ts';
import { storeSuite } from './store-suite.ts';

if (whyNoRedis) {
  // biome-ignore lint/suspicious/noConsole: a skipped test is said loudly
  console.warn(`SKIPPED: the Redis adapter against the suite of all stores, because ${whyNoRedis}.`);
  test.skip('the Redis adapter needs redis-server', () => undefined);
} else {
  describe('on a Redis of its own', () => {
    let server: RedisServer;
    const adapters: StoreAdapter[] = [];

    beforeAll(async () => {
      server = await startRedis();
    });
    afterEach(async () => {
      await Promise.all(adapters.splice(0).map((adapter) => adapter.close()));
    });
    afterAll(() => server.stop());

    storeSuite('redis', async () => {
      const adapter = await createRedisStore({ url: server.url, prefix: `${randomUUID()}:` });
      adapters.push(adapter);
      return adapter;
    });
  });
}
