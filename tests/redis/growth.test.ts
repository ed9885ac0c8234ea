import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { recordOf } from '../../shared/control/journal.ts';
import { WorldGone } from '../../shared/store/ports/directory.ts';
import type { StoreAdapter } from '../../shared/store/ports/estate-store.ts';
import type { OutboxEntry } from '../../shared/store/ports/outbox.ts';
import { createRedisStore } from '../../shared/store/redis/store.ts';
import { aHop } from '../ports/a-hop.ts';
import { aPlan } from '../ports/a-plan.ts';
import { eventually } from '../support/eventually.ts';
import { type RedisServer, startRedis, whyNoRedis } from './redis-server.ts';
import { skipWithoutRedis } from './without-redis.ts';

const EMPTY = { now: 1_000, applications: {}, due: [] };
const CREDENTIALS = { bearer: 'b', apiKey: 'k', webhookSecret: 'w' };

if (whyNoRedis) {
  skipWithoutRedis('the cost of the Redis adapter in a grown estate');
} else {
  describe('the Redis adapter', () => {
    let server: RedisServer;
    let admin: Redis;
    const adapters: StoreAdapter[] = [];

    beforeAll(async () => {
      server = await startRedis();
      admin = new Redis(server.port);
    });
    afterEach(async () => {
      await Promise.all(adapters.splice(0).map((adapter) => adapter.close()));
    });
    afterAll(async () => {
      admin.disconnect();
      await server.stop();
    });

    async function opened() {
      const prefix = `${randomUUID()}:`;
      const adapter = await createRedisStore({ url: server.url, prefix });
      adapters.push(adapter);
      const world = await adapter.worlds.open('r', EMPTY, CREDENTIALS);
      return { adapter, store: adapter.store('oms'), world, prefix, key: `${prefix}{r}~${world.slice(2)}` };
    }

    /** Commands that Redis has run so far, by name, also those within scripts. */
    async function commands(): Promise<ReadonlyMap<string, number>> {
      const found = (await admin.info('commandstats')).matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm);
      return new Map([...found].map(([, name = '', calls]) => [name, Number(calls)]));
    }

    describe('with any number of idle worlds', () => {
      test('checks a few of them per second, and still finds a change whose message was lost', async () => {
        const { adapter, prefix } = await opened();
        await Promise.all(Array.from({ length: 40 }, (_, n) => adapter.worlds.open(`idle-${n}`, EMPTY, CREDENTIALS)));
        const heard = new Set<string>();
        adapter.worlds.watch((world) => heard.add(world));
        await eventually('it has heard of all of them once', async () => heard.size >= 41);
        const pulses = async () => (await commands()).get('publish') ?? 0;
        const started = await pulses();
        await eventually('messages are known to arrive', async () => (await pulses()) >= started + 2);
        const [before, since] = [(await commands()).get('hget') ?? 0, await pulses()];
        await eventually('three looks more were taken', async () => (await pulses()) >= since + 3);
        const looks = (await pulses()) - since;
        // The janitor asks once of each world whether an older release has left it.
        const adopted = 41;
        expect(((await commands()).get('hget') ?? 0) - before).toBeLessThanOrEqual(5 * (looks + 1) + adopted);
        const [last = ''] = await admin.zrange(`${prefix}worlds`, '0', '0');
        const [rehearsal, id] = last.split('~');
        heard.clear();
        await admin.hincrby(`${prefix}{${rehearsal}}~${id}`, 'changes', 1);
        await eventually('the look finds it', async () => heard.has(last));
      });
    });

    test('checks all worlds at once after its connection for messages was cut', async () => {
      const { adapter, world, prefix } = await opened();
      const heard: string[] = [];
      adapter.worlds.watch((changed) => heard.push(changed));
      for (let n = 0; n < 30; n++) await adapter.worlds.open(`other-${n}`, EMPTY, CREDENTIALS);
      await eventually('it has heard of them', async () => new Set(heard).size >= 31);
      const pulses = async () => (await commands()).get('publish') ?? 0;
      const started = await pulses();
      await eventually('messages are known to arrive', async () => (await pulses()) >= started + 2);
      const looked = await commands();
      await admin.client('KILL', 'TYPE', 'PUBSUB');
      await admin.hincrby(`${prefix}{r}~${world.slice(2)}`, 'changes', 1);
      await eventually(
        'it finds the change',
        async () => heard.lastIndexOf(world) > 0 && ((await commands()).get('hget') ?? 0) - (looked.get('hget') ?? 0) >= 31,
      );
    });

    describe('in a world of an older release, whose objects have no entry for their state', () => {
      test('enters the states in pieces, once, and leaves objects that have changed since as they are', async () => {
        const { adapter, world } = await opened();
        const store = adapter.store('oms');
        const stored = (n: number, state: string) => ({ collection: 'things', id: `t${n}`, json: JSON.stringify({ id: `t${n}`, state }) });
        const numbers = Array.from({ length: 500 }, (_, n) => n);
        const put = numbers.map((n) => ({ ...stored(n, n % 2 === 0 ? 'open' : 'closed'), read: 0, version: 1 }));
        await store.commit(world, aPlan({ put }));
        const index = { collection: 'things', name: 'state', id: 't0', value: 'closed', was: 'open' };
        await store.commit(world, aPlan({ put: [{ ...stored(0, 'closed'), read: 1, version: 2 }], index: [index] }));
        const things = { application: 'oms', collection: 'things', states: ['open', 'closed'] } as const;
        expect(await adapter.worlds.countObjects(world, [things])).toEqual([{ count: 500, states: [249, 251] }]);
        const newest = await adapter.worlds.inState(world, things, 'open', { after: 0, limit: 2, newestFirst: true });
        expect(newest.map(({ id }) => id)).toEqual(['t498', 't496']);
        const before = await commands();
        await adapter.worlds.countObjects(world, [things]);
        expect(((await commands()).get('hget') ?? 0) - (before.get('hget') ?? 0)).toBe(0);
      });
    });

    describe('in a world of thousands of events', () => {
      const entry = (n: number): OutboxEntry => {
        const about = { type: 'com.unified-commerce.order-created', subject: `order/${n}`, correlationid: `c${n % 1_000}` };
        return { id: `e${n}`, topic: 't', key: 'k', json: JSON.stringify(about) };
      };

      test('of an older release finds them all, and from then on reads only the events that it returns', async () => {
        const { adapter, key, world } = await opened();
        const pipeline = admin.pipeline();
        for (let n = 1; n <= 3_000; n++) pipeline.xadd(`${key}:events`, `${n}-0`, 'e', JSON.stringify(entry(n)));
        await pipeline.exec();
        await admin.hset(key, 'eventsEntered', 3_000);
        expect((await adapter.worlds.eventsAbout(world, { by: 'id', value: 'e2007' }, 0, 10)).events).toMatchObject([{ order: 2_007 }]);
        const about = () => adapter.worlds.eventsAbout(world, { by: 'correlation', value: 'c7' }, 0, 10);
        expect((await about()).events.map(({ order }) => order)).toEqual([7, 1_007, 2_007]);
        const before = await commands();
        expect(await about()).toMatchObject({ last: 3_000 });
        expect(((await commands()).get('xrange') ?? 0) - (before.get('xrange') ?? 0)).toBe(4);
      });

      test('deletes all of them when the world is dropped', async () => {
        const prefix = `${randomUUID()}:`;
        const adapter = await createRedisStore({ url: server.url, prefix, dropAfterMs: 20 });
        adapters.push(adapter);
        const world = await adapter.worlds.open('r', EMPTY, CREDENTIALS);
        const store = adapter.store('oms');
        await store.commit(world, aPlan({ events: [{ ...entry(1), subscribers: [] }] }));
        await store.drain(world, { token: 'relay' });
        await store.drain(world, { token: 'relay', sent: ['e1'] });
        adapter.control.journal(world, aHop());
        adapter.control.journal(world, aHop({ requestId: 'r2', anonymous: true }));
        expect((await adapter.worlds.journalOf(world)).entries).toHaveLength(2);
        expect((await admin.keys(`${prefix}*eventsabout`)).length).toBe(1);
        await adapter.worlds.remove('r');
        const left = async () => (await admin.keys(`${prefix}*`)).filter((name) => !name.includes(':removed:'));
        await eventually('nothing is left', async () =>
          (await left()).every((name) => name.includes(':unsent:') || name.endsWith(':worlds')),
        );
        await expect(store.object(world, 'things', 'a')).rejects.toThrow(WorldGone);
      });
    });

    test('reads an object of an empty collection with one command from the second time on', async () => {
      const { adapter, store, world, key } = await opened();
      expect(await store.object(world, 'things', 'a')).toBeUndefined();
      expect(await store.counters(world, 'stock', ['sku'])).toEqual([{}]);
      const before = (await commands()).get('exists') ?? 0;
      expect(await store.object(world, 'things', 'b')).toBeUndefined();
      expect(await store.counters(world, 'stock', ['sku'])).toEqual([{}]);
      expect((await commands()).get('exists') ?? 0).toBe(before);
      expect((await adapter.worlds.snapshot(world)).applications).toEqual({ oms: { objects: {}, unique: {}, index: {}, counters: {} } });
      await admin.del(key, `${key}:oms:o:things`);
      await expect(store.object(world, 'things', 'b')).rejects.toThrow(WorldGone);
    });

    describe('in a world of thousands of hops', () => {
      test('reads only those of the correlation id', async () => {
        const { adapter, world } = await opened();
        for (let n = 1; n <= 4_000; n++) adapter.control.journal(world, aHop({ requestId: `r${n}`, correlationId: `c${n % 1_000}` }));
        await eventually(
          'they are written',
          async () =>
            (await adapter.worlds.journaled(world, ['r4000'])).size === 1 ||
            (await adapter.worlds.journalOf(world, { limit: 1 })).entries[0]?.requestId === 'r4000',
        );
        const before = await commands();
        expect((await adapter.worlds.journalOf(world, { correlationId: 'c7' })).entries).toHaveLength(4);
        const after = await commands();
        const more = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
        expect([more('xrange'), more('xrevrange'), more('lrange')]).toEqual([4, 0, 0]);
      });
    });
  });
}
