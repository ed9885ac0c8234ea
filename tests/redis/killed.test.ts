import { expect, test } from '@jest/globals';
import { killedAgain } from '../processes/killed-again.ts';
import { describeWithRedis } from './with-redis.ts';

const LIMIT_MS = 900_000;

describeWithRedis('An estate in one process, with its state in Redis and its events in memory', (redis) => {
  test.each([
    ['alone', 20, false],
    ['beside another process', 5, true],
  ])(
    'An estate that is killed under orders, %s, continues where it stopped, %d times',
    async (_where, kills, hasPeer) => {
      const { orders, left } = await killedAgain({ kills, hasPeer, environment: { REDIS_URL: redis.server.url } });
      expect(left).toEqual([]);
      expect(new Set(orders).size).toBe(orders.length);
    },
    LIMIT_MS,
  );
});
