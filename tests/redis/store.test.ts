import { expect, test } from '@jest/globals';
import { storeSuite } from '../ports/store-suite.ts';
import { CREDENTIALS, describeWithRedis, EMPTY } from './with-redis.ts';

describeWithRedis('The store in a Redis', (redis) => {
  storeSuite('redis', (options) => redis.store(options));

  test('Rehearsals of the same millisecond are listed as they were created, whatever their idle times', async () => {
    const { worlds } = await redis.store();
    const completed: string[] = [];
    const create = async (n: number) => {
      const idleMs = n % 3 === 0 ? null : 3_600_000 / n;
      await worlds.create(`n${n}`, { credentials: CREDENTIALS, most: 100, idleMs, from: () => EMPTY });
      completed.push(`n${n}`);
    };
    // One connection creates them as they complete.
    await Promise.all(Array.from({ length: 12 }, (_, n) => create(n)));
    expect((await worlds.list()).map(({ rehearsal }) => rehearsal)).toEqual(completed);
  });
});
