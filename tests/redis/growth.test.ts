import { expect, test } from '@jest/globals';
import type { OutboxEntry } from '../../shared/store/ports/outbox.ts';
import { WorldGone } from '../../shared/store/ports/rehearsals.ts';
import { aHop } from '../ports/a-hop.ts';
import { eventually } from '../support/eventually.ts';
import { CREDENTIALS, describeWithRedis, EMPTY } from './with-redis.ts';

describeWithRedis('The cost of the Redis adapter', (redis) => {
  const { opened } = redis;

  /** Commands that Redis has run so far, by name, including commands within scripts. */
  async function commands() {
    const found = (await redis.admin.info('commandstats')).matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm);
    const counts = new Map([...found].map(([, name = '', calls]) => [name, Number(calls)]));
    return (name: string): number => counts.get(name) ?? 0;
  }
  const messages = async () => (await commands())('publish');
  /** Messages of the sweep arrive. */
  async function pulsed(times: number): Promise<void> {
    const since = await messages();
    await eventually('messages arrive', async () => (await messages()) >= since + times);
  }

  test('The sweep checks a few of many idle worlds per second, and finds a change whose message was lost', async () => {
    const { worlds, prefix } = await opened();
    await Promise.all(Array.from({ length: 40 }, (_, n) => worlds.open(`idle-${n}`, EMPTY, CREDENTIALS)));
    const notified = new Set<string>();
    worlds.watch((world) => notified.add(world));
    await eventually('all worlds are notified once', async () => notified.size >= 41);
    await pulsed(2);
    const [before, since] = [(await commands())('hget'), await messages()];
    await pulsed(3);
    const looks = (await messages()) - since;
    expect((await commands())('hget') - before).toBeLessThanOrEqual(5 * (looks + 1));
    const [last = ''] = await redis.admin.zrange(`${prefix}worlds`, '0', '0');
    const [rehearsal, id] = last.split('~');
    notified.clear();
    await redis.admin.hincrby(`${prefix}{${rehearsal}}~${id}`, 'changes', 1);
    await eventually('the look finds it', async () => notified.has(last));
  });

  test('The sweep checks all worlds after the connection for messages was cut', async () => {
    const { worlds, world, key } = await opened();
    const notified: string[] = [];
    worlds.watch((changed) => notified.push(changed));
    for (let n = 0; n < 30; n++) await worlds.open(`other-${n}`, EMPTY, CREDENTIALS);
    await eventually('all worlds are notified', async () => new Set(notified).size >= 31);
    await pulsed(2);
    const looked = await commands();
    await redis.admin.client('KILL', 'TYPE', 'PUBSUB');
    await redis.admin.hincrby(key, 'changes', 1);
    await eventually(
      'it finds the change',
      async () => notified.lastIndexOf(world) > 0 && (await commands())('hget') - looked('hget') >= 31,
    );
  });

  const entry = (n: number): OutboxEntry => {
    const about = { type: 'com.unified-commerce.order-created', subject: `order/${n}`, correlationid: `c${n % 1_000}` };
    return { id: `e${n}`, topic: 't', key: 'k', json: JSON.stringify(about) };
  };

  test('Events whose index is lost are all found, and later queries read only the events that they return', async () => {
    const { worlds, key, world } = await opened();
    const pipeline = redis.admin.pipeline();
    for (let n = 1; n <= 3_000; n++) pipeline.xadd(`${key}:events`, `${n}-0`, 'e', JSON.stringify(entry(n)));
    await pipeline.exec();
    await redis.admin.hset(key, 'eventsEntered', 3_000);
    expect((await worlds.eventsAbout(world, { by: 'id', value: 'e2007' }, 0, 10)).events).toMatchObject([{ order: 2_007 }]);
    const about = () => worlds.eventsAbout(world, { by: 'correlation', value: 'c7' }, 0, 10);
    expect((await about()).events.map(({ order }) => order)).toEqual([7, 1_007, 2_007]);
    const before = await commands();
    expect(await about()).toMatchObject({ last: 3_000 });
    expect((await commands())('xrange') - before('xrange')).toBe(4);
  });

  test('The second read in an empty collection takes one command', async () => {
    const { worlds, store, world, key } = await opened();
    expect(await store.object(world, 'things', 'a')).toBeUndefined();
    expect(await store.counters(world, 'stock', ['sku'])).toEqual([{}]);
    const before = (await commands())('exists');
    expect(await store.object(world, 'things', 'b')).toBeUndefined();
    expect(await store.counters(world, 'stock', ['sku'])).toEqual([{}]);
    expect((await commands())('exists')).toBe(before);
    expect((await worlds.data(world)).applications).toEqual({ oms: { objects: {}, unique: {}, index: {}, counters: {} } });
    await redis.admin.del(key, `${key}:oms:o:things`);
    await expect(store.object(world, 'things', 'b')).rejects.toThrow(WorldGone);
  });

  test('A query for a correlation id reads only its hops', async () => {
    const { adapter, worlds, world } = await opened();
    for (let n = 1; n <= 4_000; n++) adapter.control.journal(world, aHop({ requestId: `r${n}`, correlationId: `c${n % 1_000}` }));
    await eventually(
      'they are written',
      async () =>
        (await worlds.journaled(world, ['r4000'])).size === 1 ||
        (await worlds.journalOf(world, { limit: 1 })).entries[0]?.requestId === 'r4000',
    );
    const before = await commands();
    expect((await worlds.journalOf(world, { correlationId: 'c7' })).entries).toHaveLength(4);
    const after = await commands();
    const more = (name: string) => after(name) - before(name);
    expect([more('xrange'), more('xrevrange'), more('lrange')]).toEqual([4, 0, 0]);
  });
});
