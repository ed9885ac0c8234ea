import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { Problem } from '../../shared/catalog/problems.ts';
import type { StoreAdapter } from '../../shared/store/ports/estate-store.ts';
import type { Snapshot } from '../../shared/store/ports/snapshots.ts';
import { createRedisStore } from '../../shared/store/redis/store.ts';
import { anObservedEstate, placeAnOrder } from '../observability/observed-estate.ts';
import { aPlan } from '../ports/a-plan.ts';
import { eventually } from '../support/eventually.ts';
import { type RedisServer, startRedis, whyNoRedis } from './redis-server.ts';
import { skipWithoutRedis } from './without-redis.ts';

const CREDENTIALS = { bearer: 'b', apiKey: 'k', webhookSecret: 'w' };
const EMPTY: Snapshot = { now: 1_000, applications: {}, due: [] };
const HOUR = 3_600_000;
const MIB = 1_048_576;

if (whyNoRedis) {
  skipWithoutRedis('a Redis that is full');
} else {
  describe('On a Redis that is full', () => {
    let server: RedisServer;
    let admin: Redis;
    const adapters: StoreAdapter[] = [];
    beforeAll(async () => {
      server = await startRedis();
      admin = new Redis(server.port);
    });
    afterEach(async () => {
      await admin.config('SET', 'maxmemory', '0');
      await Promise.all(adapters.splice(0).map((adapter) => adapter.close()));
      await admin.flushall();
    });
    afterAll(async () => {
      admin.disconnect();
      await server.stop();
    });

    /** A store with rehearsals, one with several MiB, and no room left. */
    async function aFullStore({ idleMs = HOUR }: { readonly idleMs?: number } = {}) {
      const prefix = `${randomUUID()}:`;
      const adapter = await createRedisStore({ url: server.url, prefix, dropAfterMs: 20 });
      adapters.push(adapter);
      const { worlds } = adapter;
      const store = adapter.store('oms');
      const kept = await worlds.open('kept', EMPTY, CREDENTIALS);
      const full = await worlds.create('large', { from: () => EMPTY, credentials: CREDENTIALS, idleMs, most: 100 });
      if (full.is !== 'created') throw new Error(`It ${full.is}.`);
      // In small pieces, because the memory of a running command counts as used, too.
      const json = JSON.stringify('x'.repeat(MIB / 16));
      for (let n = 0; n < 8 * 16; n++) {
        await store.commit(full.world, aPlan({ put: [{ collection: 'things', id: `t${n}`, read: 0, version: 1, json }] }));
      }
      const event = { id: 'e1', topic: 't', key: 'k', json: '{}', subscribers: [] };
      await store.commit(kept, aPlan({ events: [event] }));
      const claim = await store.claim(kept, { key: 'key', fingerprint: 'f', now: 1_000, leaseMs: 60_000 });
      const used = Number(/used_memory:(\d+)/.exec(await admin.info('memory'))?.[1]);
      await admin.config('SET', 'maxmemory', String(used - 2 * MIB));
      const refusalOf = async (doing: Promise<unknown>) => {
        const error = await doing.then(
          () => undefined,
          (refused: unknown) => refused,
        );
        return error instanceof Problem ? [error.code, error.status, error.retryable, Number(error.context.retryAfter) > 0] : error;
      };
      return { prefix, adapter, worlds, store, kept, large: full.world, claim, refusalOf };
    }
    const REFUSED = ['store_full', 503, true, true];

    test('an operation that adds data is refused as a whole with 503 store_full', async () => {
      const { worlds, store, kept, refusalOf } = await aFullStore();
      const put = aPlan({
        put: [{ collection: 'things', id: 'a', read: 0, version: 1, json: '{}' }],
        move: [{ counter: 'c', key: 'k', field: 'f', by: 1 }],
      });
      expect(await refusalOf(store.commit(kept, put))).toEqual(REFUSED);
      expect(await refusalOf(store.claim(kept, { key: 'another', fingerprint: 'f', now: 1_000, leaseMs: 1_000 }))).toEqual(REFUSED);
      expect(await refusalOf(worlds.replace('kept', EMPTY))).toEqual(REFUSED);
      expect(await refusalOf(worlds.setFault(kept, 'f', '{}'))).toEqual(REFUSED);
      const created = worlds.create('new', { from: () => EMPTY, credentials: CREDENTIALS, idleMs: HOUR, most: 100 });
      expect(await refusalOf(created)).toEqual(REFUSED);
      expect(await store.object(kept, 'things', 'a')).toBeUndefined();
      expect(await store.counters(kept, 'c', ['k'])).toEqual([{}]);
      expect(await worlds.current(kept)).toMatchObject({ world: kept });
      expect((await worlds.list()).map(({ rehearsal }) => rehearsal)).toEqual(['kept', 'large']);
    });

    test('running work completes: claims are released, events are sent, and rehearsals in use do not expire', async () => {
      const { worlds, store, kept, claim } = await aFullStore();
      if (claim.is !== 'ours') throw new Error(`The claim is ${claim.is}.`);
      await store.release(kept, 'key', claim.token);
      expect((await store.drain(kept, { token: 'relay' }))?.entries).toHaveLength(1);
      expect(await store.drain(kept, { token: 'relay', sent: ['e1'] })).toBeUndefined();
      expect(await worlds.events(kept, 0, 10)).toHaveLength(1);
      expect(await worlds.use('large')).toBe(HOUR);
    });

    const roomAgain = ({ store, kept }: Awaited<ReturnType<typeof aFullStore>>) =>
      eventually('there is room again', () =>
        store.commit(kept, aPlan({ put: [{ collection: 'things', id: 'a', read: 0, version: 1, json: '{}' }] })).then(
          ({ ok }) => ok,
          () => false,
        ),
      );

    test('a rehearsal can be deleted, which makes room', async () => {
      const scene = await aFullStore();
      expect(await scene.worlds.remove('large')).toBe(true);
      await roomAgain(scene);
      expect(await admin.keys(`${scene.prefix}*large*`)).toEqual([]);
      expect((await scene.worlds.list()).map(({ rehearsal }) => rehearsal)).toEqual(['kept']);
    });

    test('an expired rehearsal ends, which makes room', async () => {
      const scene = await aFullStore({ idleMs: 300 });
      await eventually('it ends', async () => (await scene.worlds.expire()).includes('large'));
      await roomAgain(scene);
      expect(await admin.keys(`${scene.prefix}*large*`)).toEqual([]);
    });

    test('ended worlds are dropped, even among many current ones', async () => {
      const scene = await aFullStore();
      // As an older version has left it: current worlds, too, are among those to be looked at.
      const id = scene.kept.slice('kept~'.length);
      await admin.config('SET', 'maxmemory', '0');
      for (let n = 0; n < 30; n++) await scene.worlds.open(`living-${n}`, EMPTY, CREDENTIALS);
      const asItWas = admin.multi().del(`${scene.prefix}{large}`);
      for (const world of await admin.zrange(`${scene.prefix}worlds`, '0', '-1')) asItWas.zadd(`${scene.prefix}worlds`, 1, world);
      await asItWas.config('SET', 'maxmemory', String(2 * MIB)).exec();
      await eventually('its keys are gone', async () => (await admin.keys(`${scene.prefix}{large}~*`)).length === 0);
      await eventually('nothing is looked at any more', async () => (await admin.zcount(`${scene.prefix}worlds`, '-inf', '(inf')) === 0);
      expect(await admin.exists(`${scene.prefix}{kept}~${id}`)).toBe(1);
    });

    test('the estate reports it to clients, still answers reads, and recovers after a rehearsal is deleted', async () => {
      await using estate = await anObservedEstate({ REDIS_URL: server.url });
      const { client, running } = estate;
      await client.control('create-rehearsal', { body: { name: 'large' } });
      const body = { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 1 }] };
      const orderId = await placeAnOrder(running.gateway);
      expect(await client.control('settle')).toMatchObject({ settled: true });
      const [world] = (await client.control('list-rehearsals')).items.filter(({ name }) => name === 'large').map((one) => one.world ?? '');
      const key = `estate:{large}~${world?.slice('large~'.length)}`;
      for (let n = 0; n < 8 * 16; n++) await admin.hset(`${key}:large`, String(n), 'x'.repeat(MIB / 16));
      await admin.sadd(`${key}:keys`, 'large');
      const used = Number(/used_memory:(\d+)/.exec(await admin.info('memory'))?.[1]);
      await admin.config('SET', 'maxmemory', String(used - 4 * MIB));

      const refused = await client.call('POST', '/baskets', body);
      expect(refused).toMatchObject({ status: 503, body: { code: 'store_full', retryable: true } });
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect(await client.call('POST', '/baskets', body, { headers: { 'idempotency-key': 'full' } })).toMatchObject({
        status: 503,
        body: { code: 'store_full' },
      });
      expect(await client.call('POST', '/_control/reset', {}, { as: 'admin' })).toMatchObject({
        status: 503,
        body: { code: 'store_full' },
      });
      expect((await client.call('GET', `/orders/${orderId}`)).status).toBe(200);
      expect((await client.control('list-rehearsals')).items).toHaveLength(2);

      await client.control('delete-rehearsal', { params: { name: 'large' } });
      // Its world is dropped a minute later; to wait for that would take too long here.
      const sooner = "#!lua flags=allow-oom\nreturn redis.call('ZADD', KEYS[1], 1, ARGV[1])";
      await admin.eval(sooner, 1, 'estate:worlds', String(world));
      const again = await eventually('there is room again', async () => {
        const reply = await client.call('POST', '/baskets', body, { headers: { 'idempotency-key': 'full' } });
        return reply.status !== 503 && reply;
      });
      expect(again.status).toBe(201);
      expect((await client.control('verify')).holds).toBe(true);
    });
  });
}
