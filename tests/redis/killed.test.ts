import { expect, test } from '@jest/globals';
import { killedAgain } from '../processes/killed-again.ts';
import { eventually } from '../support/eventually.ts';
import { describeWithRedis } from './with-redis.ts';

const LIMIT_MS = 900_000;
/** Shorter than the patience of a buyer. */
const SOON_MS = 10_000;

const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

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

  test('A killed estate that does not start again fails with its exit code, and its buyers give up', async () => {
    const before = timers();
    const urls = [redis.server.url, 'nowhere'];
    const environment = {
      get REDIS_URL() {
        return urls.shift() ?? '';
      },
    };
    await expect(killedAgain({ kills: 1, environment })).rejects.toThrow(/^It ended \(78\) before its banner: .*REDIS_URL/s);
    await eventually('the buyers give up', async () => timers() <= before, SOON_MS);
  });
});
