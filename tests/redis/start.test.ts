import { expect, test } from '@jest/globals';
import { checkServer } from '../../shared/store/redis/connection.ts';
import { createRedisStore } from '../../shared/store/redis/store.ts';
import { startRedis } from '../support/redis-server.ts';
import { describeWithRedis } from './with-redis.ts';

const fit = { redis_version: '7.0.15', maxmemory_policy: 'noeviction', role: 'master' };
const check = (redis_version: string) => () =>
  checkServer((field) => (({ ...fit, redis_version }) as Record<string, string>)[field] ?? '', 'here:1');

test.each(['7.0.15', '8.0.2', '10.1.0'])('A Redis of version %s is accepted', (version) => expect(check(version)).not.toThrow());

test.each(['6.2.14', '2.8.0', ''])('A Redis of version "%s" is refused', (version) =>
  expect(check(version)).toThrow(/^The Redis at here:1 is version .*; 7\.0 or newer is needed\.$/),
);

test.each(['redis.example:6379', 'http://redis:6379', 'redis://', ''])('The address "%s" of Redis is refused', async (url) =>
  expect(createRedisStore({ url })).rejects.toThrow(/give it as redis:\/\//),
);

test('A prefix with braces is refused, because it would move keys to another slot', async () => {
  const refused = createRedisStore({ url: 'redis://127.0.0.1:1', prefix: '{a}' });
  await expect(refused).rejects.toThrow('The prefix of the keys must not contain braces');
});

test('An address without a listener is reported within the time limit of the start', async () => {
  const trying = createRedisStore({ url: 'redis://127.0.0.1:1', startTimeoutMs: 100 });
  await expect(trying).rejects.toThrow(/^No Redis can be reached at 127\.0\.0\.1:1: nothing listens there\.$/);
});

describeWithRedis(
  'The start with a Redis',
  (redis) => {
    const at = (userInfo: string): string => redis.server.url.replace('//', `//${userInfo}`);

    test.each<[string, () => string, string]>([
      ['a wrong password', () => at(':wrong@'), 'refuses the user name or password of its address.'],
      ['a missing password', () => redis.server.url, 'requires a password: set REDIS_PASSWORD_FILE, or add it to its address'],
      ['a missing database', () => `${at(':secret@')}/7`, 'does not have this database'],
      ['a cluster that is a single Redis', () => `cluster:${at(':secret@')}`, 'is not a cluster: give a single address'],
    ])('A start with %s is refused', async (_what, url, sentence) => expect(createRedisStore({ url: url() })).rejects.toThrow(sentence));

    test('A start with a Redis that evicts data is refused', async () => {
      await redis.admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
      const sentence = 'discards data when its memory is full (maxmemory-policy allkeys-lru): set it to noeviction.';
      await expect(createRedisStore({ url: at(':secret@') })).rejects.toThrow(sentence);
      await redis.admin.config('SET', 'maxmemory-policy', 'noeviction');
    });

    test('A start with a replica is refused', async () => {
      await redis.admin.replicaof('127.0.0.1', 1);
      await expect(createRedisStore({ url: at(':secret@') })).rejects.toThrow('is a replica: give the address of its primary');
      await redis.admin.replicaof('NO', 'ONE');
    });

    test('A start accepts the right password, and waits for a Redis that starts later', async () => {
      await (await createRedisStore({ url: at(':secret@') })).close();
      const { port } = redis.server;
      await redis.server.stop();
      const waiting = createRedisStore({ url: `redis://127.0.0.1:${port}` });
      redis.server = await startRedis({ port: String(port) });
      await (await waiting).close();
    });
  },
  { requirepass: 'secret', databases: '2' },
);
