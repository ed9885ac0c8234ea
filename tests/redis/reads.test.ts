import { expect, test } from '@jest/globals';
import { countCommands, sum } from '../../bench/redis.ts';
import { WorldGone } from '../../shared/store/ports/rehearsals.ts';
import { aPlan } from '../ports/a-plan.ts';
import { describeWithRedis } from './with-redis.ts';

const PAGE = { after: 0, limit: 10 };

describeWithRedis('Reads of objects in Redis', (redis) => {
  /** A world with two things of one maker, and a counter. */
  async function aWorld() {
    const { worlds, store, world } = await redis.opened({ dropAfterMs: 20 });
    const thing = (id: string) => ({ collection: 'things', id, read: 0, version: 1, json: `{"id":"${id}","tags":[]}` });
    const indexed = (id: string) => ({ collection: 'things', name: 'maker', value: 'm', was: null, id });
    await store.commit(
      world,
      aPlan({
        put: [thing('a'), thing('b')],
        unique: [{ collection: 'things', name: 'name', value: 'first', was: null, id: 'a' }],
        index: [indexed('a'), indexed('b')],
        move: [{ counter: 'stock', key: 'sku', field: 'onHand', by: 3 }],
      }),
    );
    const readings = [
      () => store.object(world, 'things', 'b'),
      () => store.object(world, 'things', 'c'),
      () => store.unique(world, 'things', 'name', 'first'),
      () => store.unique(world, 'things', 'name', 'second'),
      () => store.index(world, 'things', 'maker', 'm', PAGE),
      () => store.index(world, 'things', 'maker', 'm', { ...PAGE, after: 2, newestFirst: true }),
      () => store.all(world, 'things', { after: 1, limit: 10 }),
      () => store.all(world, 'things', { ...PAGE, limit: 1, newestFirst: true }),
      () => store.counters(world, 'stock', ['sku', 'other']),
    ];
    return { worlds, world, store, readings };
  }

  test('Reads that begin together return what they return one by one, as one script', async () => {
    const { readings } = await aWorld();
    const alone: unknown[] = [];
    for (const read of readings) alone.push(await read());
    const together: unknown[] = [];
    const { scripts, plain } = await countCommands(redis.server.url, async () => {
      together.push(...(await Promise.all(readings.map((read) => read()))));
    });
    expect(together).toEqual(alone);
    expect(alone).toMatchObject([
      { id: 'b' },
      undefined,
      { id: 'a' },
      undefined,
      { length: 2 },
      [{ id: 'a' }],
      [{ id: 'b' }],
      [{ id: 'b' }],
      [{ onHand: 3 }, {}],
    ]);
    expect([sum(scripts), scripts.get('read'), sum(plain)]).toEqual([1, 1, 0]);
  });

  test('A single read of an object is a plain command', async () => {
    const { store, world } = await aWorld();
    const { scripts, plain } = await countCommands(redis.server.url, async () => {
      await store.object(world, 'things', 'a');
    });
    expect([sum(scripts), plain.get('hmget')]).toEqual([0, 1]);
  });

  test('Reads that begin together are all refused when their world is gone', async () => {
    const { worlds, world, readings } = await aWorld();
    await worlds.remove('r');
    const [rehearsal = '', id = ''] = world.split('~');
    for (const key of await redis.admin.keys(`*{${rehearsal}}~${id}*`)) await redis.admin.del(key);
    const outcomes = await Promise.allSettled(readings.map((read) => read()));
    expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason instanceof WorldGone)).toEqual(
      readings.map(() => true),
    );
  });
});
