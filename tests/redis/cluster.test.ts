import { expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { createRedisStore } from '../../shared/store/redis/store.ts';
import { storeSuite } from '../ports/store-suite.ts';
import { startCluster } from '../support/redis-server.ts';
import { CREDENTIALS, describeWithRedis, EMPTY } from './with-redis.ts';

async function keysAt(port: number): Promise<number> {
  const node = new Redis(port);
  const size = await node.dbsize();
  node.disconnect();
  return size;
}

describeWithRedis(
  'The store in a Redis Cluster',
  (redis) => {
    storeSuite('redis cluster', (options) => redis.store(options));

    test('Rehearsals are spread over the nodes of a cluster, and all are listed', async () => {
      const { worlds } = await redis.store();
      const names = Array.from({ length: 8 }, (_, n) => `rehearsal-${n}`);
      for (const name of names) await worlds.open(name, EMPTY, CREDENTIALS);
      for (const port of redis.server.ports) expect(await keysAt(port)).toBeGreaterThan(0);
      expect((await worlds.list()).map(({ rehearsal }) => rehearsal)).toEqual(names);
    });

    test('A node of a cluster is refused as a single Redis', async () =>
      expect(createRedisStore({ url: `redis://127.0.0.1:${redis.server.port}` })).rejects.toThrow('is a node of a cluster'));
  },
  {},
  startCluster,
);
