import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { checkServer } from '../../shared/store/redis/server-check.ts';
import { createRedisStore } from '../../shared/store/redis/store.ts';
import { type RedisServer, startRedis, whyNoRedis } from './redis-server.ts';
import { skipWithoutRedis } from './without-redis.ts';

describe('requirements on Redis', () => {
  const info = (fields: Readonly<Record<string, string>>) => (field: string) => fields[field] ?? '';
  const fit = { redis_version: '7.0.15', maxmemory_policy: 'noeviction', role: 'master' };

  test.each(['7.0.15', '8.0.2', '10.1.0'])('version %s is accepted', (redis_version) => {
    expect(() => checkServer(info({ ...fit, redis_version }), 'here:1')).not.toThrow();
  });

  test.each(['6.2.14', '2.8.0', ''])('version "%s" is refused', (redis_version) => {
    expect(() => checkServer(info({ ...fit, redis_version }), 'here:1')).toThrow(
      /^The Redis at here:1 is version .*; 7\.0 or newer is needed\.$/,
    );
  });

  test.each(['redis.example:6379', 'http://redis:6379', 'redis://', ''])('"%s" is no address', async (url) => {
    await expect(createRedisStore({ url })).rejects.toThrow(/give it as redis:\/\//);
  });

  test('a prefix with braces is refused, because it would move keys to another slot', async () => {
    await expect(createRedisStore({ url: 'redis://127.0.0.1:1', prefix: '{a}' })).rejects.toThrow(
      'The prefix of the keys must not contain braces',
    );
  });

  test('an address without a listener is reported within the time limit of the start', async () => {
    const trying = createRedisStore({ url: 'redis://127.0.0.1:1', startTimeoutMs: 100 });
    await expect(trying).rejects.toThrow(/^No Redis can be reached at 127\.0\.0\.1:1: nothing listens there\.$/);
  });
});

if (whyNoRedis) {
  skipWithoutRedis('the start with a Redis that cannot be used');
} else {
  describe('the start', () => {
    let server: RedisServer;
    let admin: Redis;
    beforeAll(async () => {
      server = await startRedis({ requirepass: 'secret', databases: '2' });
      admin = new Redis(server.port, { password: 'secret' });
    });
    afterAll(async () => {
      admin.disconnect();
      await server.stop();
    });
    const at = (userInfo: string): string => server.url.replace('//', `//${userInfo}`);

    test('succeeds with the right password', async () => {
      await (await createRedisStore({ url: at(':secret@') })).close();
    });

    test('reports a wrong password at once and without repeating it', async () => {
      const refused = createRedisStore({ url: at(':wrong@') });
      await expect(refused).rejects.toThrow(`The Redis at 127.0.0.1:${server.port} refuses the user name or password of its address.`);
    });

    test('reports a missing password', async () => {
      await expect(createRedisStore({ url: server.url })).rejects.toThrow('requires a password: add it to its address');
    });

    test('reports a missing database', async () => {
      await expect(createRedisStore({ url: `${at(':secret@')}/7` })).rejects.toThrow('does not have this database');
    });

    test('refuses a Redis that evicts data', async () => {
      await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
      try {
        await expect(createRedisStore({ url: at(':secret@') })).rejects.toThrow(
          'discards data when its memory is full (maxmemory-policy allkeys-lru): set it to noeviction.',
        );
      } finally {
        await admin.config('SET', 'maxmemory-policy', 'noeviction');
      }
    });

    test('refuses a replica', async () => {
      await admin.replicaof('127.0.0.1', 1);
      try {
        await expect(createRedisStore({ url: at(':secret@') })).rejects.toThrow('is a replica: give the address of its primary');
      } finally {
        await admin.replicaof('NO', 'ONE');
      }
    });

    test('refuses to treat a single Redis as a cluster', async () => {
      await expect(createRedisStore({ url: `cluster:${at(':secret@')}` })).rejects.toThrow('is not a cluster: give a single address');
    });

    test('waits for a Redis that starts later', async () => {
      const port = server.port;
      await server.stop();
      const waiting = createRedisStore({ url: `redis://127.0.0.1:${port}` });
      server = await startRedis({ port: String(port) });
      await (await waiting).close();
    });
  });
}
