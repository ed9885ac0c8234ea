import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import type { StoreAdapter } from '../../shared/store/ports/estate-store.ts';
import { createRedisStore } from '../../shared/store/redis/store.ts';
import { type CreateStore, storeSuite } from '../ports/store-suite.ts';
import { type RedisServer, startCluster, whyNoRedis } from './redis-server.ts';
import { skipWithoutRedis } from './without-redis.ts';

async function keysAt(port: number): Promise<number> {
  const node = new Redis(port);
  const size = await node.dbsize();
  node.disconnect();
  return size;
}

if (whyNoRedis) {
  skipWithoutRedis('the Redis adapter on a Redis Cluster');
} else {
  describe('on a Redis Cluster', () => {
    let server: RedisServer;
    const adapters: StoreAdapter[] = [];
    const create: CreateStore = async (options) => {
      const adapter = await createRedisStore({ ...options, url: server.url, prefix: `${randomUUID()}:` });
      adapters.push(adapter);
      return adapter;
    };

    beforeAll(async () => {
      server = await startCluster();
    });
    afterEach(async () => {
      await Promise.all(adapters.splice(0).map((adapter) => adapter.close()));
    });
    afterAll(() => server.stop());

    storeSuite('redis cluster', create);

    test('rehearsals are spread over its nodes, and all are listed', async () => {
      const adapter = await create();
      const names = Array.from({ length: 8 }, (_, n) => `rehearsal-${n}`);
      for (const name of names) {
        await adapter.worlds.open(name, { now: 0, applications: {}, due: [] }, { bearer: '', apiKey: '', webhookSecret: '' });
      }
      for (const port of server.ports) expect(await keysAt(port)).toBeGreaterThan(0);
      expect((await adapter.worlds.list()).map(({ rehearsal }) => rehearsal)).toEqual(names);
    });

    test('a node of it is not treated as a single Redis', async () => {
      await expect(createRedisStore({ url: `redis://127.0.0.1:${server.port}` })).rejects.toThrow('is a node of a cluster');
    });
  });
}
