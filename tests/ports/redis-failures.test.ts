import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import type { World } from '../../shared/domain/world.ts';
import { WorldGone } from '../../shared/store/ports/directory.ts';
import { PUBLISH_WITHHELD_EVENT } from '../../shared/store/ports/due-work.ts';
import type { Store, StoreAdapter } from '../../shared/store/ports/estate-store.ts';
import { createRedisStore, type RedisStoreOptions } from '../../shared/store/redis/store.ts';
import { eventually } from '../support/eventually.ts';
import { aPlan } from './a-plan.ts';
import { type LosingProxy, startLosingProxy } from './losing-proxy.ts';
import { type RedisServer, startRedis, whyNoRedis } from './redis-server.ts';
import { skipWithoutRedis } from './without-redis.ts';

const EMPTY = { now: 1_000, applications: {}, due: [] };
const CREDENTIALS = { bearer: 'b', apiKey: 'k', webhookSecret: 'w' };
const move = (by: number) => ({ counter: 'stock', key: 'sku', field: 'onHand', by });
const notNegative = { counter: 'stock', key: 'sku', terms: { onHand: 1 } as const };
const dueItem = (key: string) => ({ kind: 'timer', key, at: 10, payload: '1', correlationId: 'c' });
const event = (id: string) => ({ id, topic: 't', key: 'k', json: '{}', subscribers: ['crm'] as const });

if (whyNoRedis) {
  skipWithoutRedis('what the Redis adapter does when Redis fails');
} else {
  let server: RedisServer;
  let admin: Redis;
  const adapters: StoreAdapter[] = [];
  const stops: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    server = await startRedis({ appendonly: 'yes', appendfsync: 'always' });
    admin = new Redis(server.port);
    admin.on('error', () => undefined);
  });
  afterEach(async () => {
    await Promise.all(adapters.splice(0).map((adapter) => adapter.close()));
    await Promise.all(stops.splice(0).map((stop) => stop()));
  });
  afterAll(async () => {
    admin.disconnect();
    await server.stop();
  });

  async function opened(
    options: Partial<RedisStoreOptions> = {},
  ): Promise<{ adapter: StoreAdapter; store: Store; world: World; prefix: string }> {
    const prefix = options.prefix ?? `${randomUUID()}:`;
    const adapter = await createRedisStore({ url: server.url, ...options, prefix });
    adapters.push(adapter);
    const world = await adapter.worlds.open('r', EMPTY, CREDENTIALS);
    return { adapter, store: adapter.store('oms'), world, prefix };
  }

  describe.each(['cut', 'silence'] as const)('an answer that is lost (%s) after its effect', (how) => {
    let proxy: LosingProxy;
    let adapter: StoreAdapter;
    let store: Store;
    let world: World;
    /** Whatever is done next has its effect, and the answer is lost once. */
    async function losing<T>(act: () => Promise<T>): Promise<T> {
      const before = proxy.lost();
      proxy.loseNextAnswer(how);
      const result = await act();
      expect(proxy.lost()).toBe(before + 1);
      return result;
    }
    beforeEach(async () => {
      proxy = await startLosingProxy(server.port);
      stops.push(() => proxy.stop());
      ({ adapter, store, world } = await opened({ url: `redis://127.0.0.1:${proxy.port}`, commandTimeoutMs: 100 }));
    });

    test('commit: the stock goes down by one, and the commit says so', async () => {
      await store.commit(world, aPlan({ move: [move(5)] }));
      expect(await losing(() => store.commit(world, aPlan({ move: [move(-1)], guard: [notNegative], events: [event('e1')] })))).toEqual({
        ok: true,
        seq: 2,
      });
      expect(await store.counters(world, 'stock', ['sku'])).toEqual([{ onHand: 4 }]);
      expect((await store.drain(world, 'relay', [])).map(({ id }) => id)).toEqual(['e1']);
    });

    test('claim: it is ours, and does not look as if somebody else were at it', async () => {
      expect(await losing(() => store.claim(world, 'k', 'f', 1_000, 60_000))).toMatchObject({ is: 'ours', since: 1_000 });
      expect(await store.claim(world, 'k', 'f', 1_000, 60_000)).toEqual({ is: 'running' });
    });

    test('due work: the one that was taken is the one that is given', async () => {
      await store.commit(world, aPlan({ due: [dueItem('a'), dueItem('b')] }));
      expect(await losing(() => adapter.worlds.leaseNext(world, 10, 'mine', 60_000))).toMatchObject({ key: 'a' });
      expect((await adapter.worlds.ledger(world)).running).toEqual(['oms|timer|a']);
    });

    test('the clock: it is ours, is set, and goes back; it is not taken for somebody else’s', async () => {
      const { worlds } = adapter;
      expect(await losing(() => worlds.leaseClock(world, 'mine', 60_000))).toBe(true);
      expect(await losing(() => worlds.setClock(world, { now: 50_000, flowing: false }, 'mine'))).toBe(true);
      expect(await losing(() => worlds.setClock(world, { now: 60_000, flowing: false }))).toBe(false);
      await losing(() => worlds.releaseClock(world, 'mine'));
      expect(await worlds.status(world)).toMatchObject({ flowing: true, advancing: false });
    });

    test('what was parked and is driven again says so, and is there once', async () => {
      const stored = { id: 'e1', topic: 't', key: 'k', json: '{"correlationid":"c"}' };
      await store.commit(world, aPlan({ events: [event('e1')] }));
      await adapter.store('crm').park(world, 'crm|e1', 'poison');
      const again = { what: 'delivery', key: 'crm|e1', event: stored } as const;
      expect(await losing(() => adapter.worlds.redrive(world, [again]))).toEqual([again]);
      expect(await adapter.worlds.ledger(world)).toMatchObject({ parked: [], pending: ['crm|e1'], next: { key: 'e1' } });
    });

    test('drain: what was sent is listed once, also what a fault had held, and the batch that follows comes', async () => {
      await store.commit(world, aPlan({ events: [event('e1'), event('e2')] }));
      await store.drain(world, 'relay', []);
      const before = { id: 'e0', topic: 't', key: 'k', json: '{}' };
      expect((await losing(() => store.drain(world, 'relay', ['e1', before]))).map(({ id }) => id)).toEqual(['e2']);
      expect((await adapter.worlds.events(world, 0, 10)).map(({ id }) => id)).toEqual(['e1', 'e0']);
    });

    test('drain: what is held is held once', async () => {
      await adapter.worlds.setFault(world, 'f', '{}');
      await store.commit(world, aPlan({ events: [event('e1')] }));
      await store.drain(world, 'relay', []);
      const due = { kind: PUBLISH_WITHHELD_EVENT, key: 'e1', at: 9_000, payload: '{}', correlationId: 'c', withheldBy: 'f' };
      await losing(() => store.drain(world, 'relay', [], [{ id: 'e1', due }]));
      expect((await adapter.worlds.ledger(world)).withheld).toMatchObject([{ key: 'e1', withheldBy: 'f' }]);
    });

    test('faults: one strike is one hit, and a fault that was removed was there', async () => {
      await adapter.worlds.setFault(world, 'f', '{}');
      expect(await losing(() => adapter.simulation.hit(world, 'f', 3))).toBe(1);
      expect(await adapter.simulation.hits(world, 'f')).toBe(1);
      expect(await losing(() => adapter.simulation.chance(world, 'f'))).toBe(1);
      expect(await losing(() => adapter.worlds.removeFault(world, 'f'))).toBe(true);
    });

    test('rehearsals: one that was created is new, although it is there when it is asked again', async () => {
      const created = await losing(() =>
        adapter.worlds.create('new', { from: () => EMPTY, credentials: CREDENTIALS, idleMs: null, most: 5 }),
      );
      const { world } = (await adapter.worlds.resolve('new')) ?? {};
      expect(created).toEqual({ is: 'created', world });
    });

    test('rehearsals: one that was removed was there, one that is reset is reset', async () => {
      const fresh = await losing(() => adapter.worlds.open('r', EMPTY, CREDENTIALS));
      expect(await adapter.worlds.resolve('r')).toMatchObject({ world: fresh });
      expect(await losing(() => adapter.worlds.remove('r'))).toBe(true);
    });
  });

  describe('requests that come late', () => {
    test('what was refused stays refused when the same operation comes again, although it would succeed now', async () => {
      const { store, world } = await opened();
      const plan = aPlan({ move: [move(-1)], guard: [notNegative] });
      expect(await store.commit(world, plan)).toMatchObject({ ok: false, why: 'guard' });
      await store.commit(world, aPlan({ move: [move(1)] }));
      expect(await store.commit(world, plan)).toMatchObject({ ok: false, why: 'guard' });
      expect(await store.counters(world, 'stock', ['sku'])).toEqual([{ onHand: 1 }]);
    });
  });

  describe('Redis', () => {
    test('may forget its scripts', async () => {
      const { store, world } = await opened();
      await store.commit(world, aPlan({ move: [move(1)] }));
      await admin.script('FLUSH');
      expect(await store.commit(world, aPlan({ move: [move(1)] }))).toMatchObject({ ok: true });
      expect(await store.counters(world, 'stock', ['sku'])).toEqual([{ onHand: 2 }]);
    });

    test('may stand still: the caller hears soon that the store is not available, and what it gave up has one effect or none', async () => {
      const { store, world } = await opened({ commandTimeoutMs: 50 });
      process.kill(server.pid, 'SIGSTOP');
      try {
        await expect(store.commit(world, aPlan({ move: [move(1)] }))).rejects.toMatchObject({
          code: 'dependency_unavailable',
          retryable: true,
          context: { retryAfter: 1 },
        });
      } finally {
        process.kill(server.pid, 'SIGCONT');
      }
      await eventually('what was sent arrives', async () => (await store.counters(world, 'stock', ['sku']))[0]?.['onHand'] === 1);
      await store.commit(world, aPlan({ move: [move(1)] }));
      expect(await store.counters(world, 'stock', ['sku'])).toEqual([{ onHand: 2 }]);
    });

    test('may be full: it is said, and nothing is half done', async () => {
      const { store, world } = await opened();
      await admin.config('SET', 'maxmemory', '1mb');
      try {
        const full = store.commit(world, aPlan({ move: [move(1)], events: [event('e1')] }));
        await expect(full).rejects.toMatchObject({ code: 'store_full', message: expect.stringContaining('no memory left') });
      } finally {
        await admin.config('SET', 'maxmemory', '0');
      }
      expect(await store.counters(world, 'stock', ['sku'])).toEqual([{}]);
      expect(await store.drain(world, 'relay', [])).toEqual([]);
    });

    test('may be killed and started again: what was acknowledged is there, and the store goes on by itself', async () => {
      const { adapter, store, world } = await opened();
      const heard: World[] = [];
      adapter.worlds.watch((changed) => heard.push(changed));
      const results: boolean[] = [];
      let going = true;
      const loading = (async () => {
        while (going) results.push((await store.commit(world, aPlan({ move: [move(1)] })).catch(() => ({ ok: false }))).ok);
      })();
      await eventually('commits flow', async () => results.length > 20);
      server = await server.restart();
      await eventually('commits flow again', async () => results.slice(-5).every(Boolean));
      going = false;
      await loading;
      const acknowledged = results.filter(Boolean).length;
      const [counted] = await store.counters(world, 'stock', ['sku']);
      expect(counted?.['onHand'] ?? 0).toBeGreaterThanOrEqual(acknowledged);
      expect(counted?.['onHand'] ?? 0).toBeLessThanOrEqual(results.length);
      heard.length = 0;
      await store.commit(world, aPlan({ due: [dueItem('a')] }));
      await eventually('the listener hears again', async () => heard.includes(world));
    });
  });

  describe('listeners', () => {
    test('hear of changes of other processes', async () => {
      const { adapter, prefix, world } = await opened();
      const other = await createRedisStore({ url: server.url, prefix });
      adapters.push(other);
      const heard: World[] = [];
      adapter.worlds.watch((changed) => heard.push(changed));
      await other.store('crm').commit(world, aPlan({ due: [dueItem('a')] }));
      await eventually('the listener hears', async () => heard.includes(world));
    });

    test('hear of a change whose message was lost, by the sweep', async () => {
      const { adapter, prefix, world } = await opened();
      const heard: World[] = [];
      adapter.worlds.watch((changed) => heard.push(changed));
      await eventually('the listener has heard of the opening', async () => heard.includes(world));
      heard.length = 0;
      // As if a message had been lost: the count says that there was a change, and nobody was told.
      await admin.hincrby(`${prefix}{r}~${world.slice(2)}`, 'changes', 1);
      await eventually('the sweep finds it', async () => heard.includes(world));
    });
  });

  describe('a rehearsal that cannot be read', () => {
    test('is listed with what is known of it, and keeps no other from being listed', async () => {
      const { adapter, prefix, world } = await opened();
      await adapter.worlds.open('sound', EMPTY, CREDENTIALS);
      await admin.hset(`${prefix}{r}~${world.slice(2)}`, 'clock', 'never');
      const listed = await adapter.worlds.list();
      expect(listed.map(({ rehearsal, current, trouble }) => [rehearsal, current !== undefined, typeof trouble])).toEqual([
        ['sound', true, 'undefined'],
        ['r', false, 'string'],
      ]);
      expect(listed[1]?.lastUsedAt).toBeGreaterThan(0);
      expect(await adapter.worlds.remove('r')).toBe(true);
    });
  });

  describe('rehearsals that an older version has opened', () => {
    test('are listed, counted and given a lifetime when they are met; the default one is kept', async () => {
      const { adapter, prefix } = await opened();
      await adapter.worlds.open('default', EMPTY, CREDENTIALS);
      await admin.del(`${prefix}{.rehearsals}:ends`, `${prefix}{.rehearsals}:used`, `${prefix}{.rehearsals}:idle`);
      expect(await adapter.worlds.list()).toEqual([]);
      const newer = await createRedisStore({ url: server.url, prefix, dropAfterMs: 20 });
      adapters.push(newer);
      const listed = await eventually('they are listed', async () => {
        const found = await newer.worlds.list();
        return found.length === 2 && found;
      });
      const ends = Object.fromEntries(listed.map(({ rehearsal, endsAt, lastUsedAt }) => [rehearsal, endsAt && endsAt - lastUsedAt]));
      expect(ends).toEqual({ default: null, r: 86_400_000 });
    });
  });

  describe('announcements of unsent events', () => {
    test('are withdrawn when there is nothing to send any more, and not before', async () => {
      const { store, world, prefix } = await opened();
      await store.commit(world, aPlan({ events: [event('e1')] }));
      const announced = () => admin.zrange(`${prefix}unsent:oms`, '0', '-1');
      await admin.zadd(`${prefix}unsent:oms`, 1, world);
      expect(await store.unsent()).toEqual([world]);
      expect(await announced()).toEqual([world]);
      await store.drain(world, 'relay', []);
      await store.drain(world, 'relay', ['e1']);
      expect(await store.unsent()).toEqual([]);
      expect(await announced()).toEqual([]);
    });
  });

  describe('worlds that nobody sees any more', () => {
    test('are dropped without leaving a key behind, and say that they are gone', async () => {
      const { adapter, store, world, prefix } = await opened({ dropAfterMs: 50 });
      await store.commit(
        world,
        aPlan({
          put: [{ collection: 'things', id: 'a', read: 0, version: 1, json: '{}' }],
          unique: [{ collection: 'things', name: 'mail', id: 'a', value: 'x', was: null }],
          index: [{ collection: 'things', name: 'kind', id: 'a', value: 'x', was: null }],
          move: [move(1)],
          events: [event('e1')],
          due: [dueItem('a')],
        }),
      );
      await store.claim(world, 'k', 'f', 1_000, 1_000);
      await adapter.worlds.setFault(world, 'f', '{}');
      await adapter.simulation.hit(world, 'f');
      adapter.simulation.journal(world, { requestId: 'r', correlationId: 'c', json: '{}' });
      await adapter.worlds.journalOf(world);
      const fresh = await adapter.worlds.open('r', EMPTY, CREDENTIALS);
      await eventually('the old world is dropped', async () => (await admin.keys(`${prefix}*${world.slice(2)}*`)).length === 0);
      await expect(store.object(world, 'things', 'a')).rejects.toThrow(WorldGone);
      expect(await store.commit(world, aPlan())).toEqual({ ok: false, why: 'world', at: world });
      expect(await admin.keys(`${prefix}*${world.slice(2)}*`)).toEqual([]);
      expect(await adapter.worlds.current(fresh)).toMatchObject({ world: fresh });
      expect(await store.commit(fresh, aPlan())).toMatchObject({ ok: true });
    });

    test('a world that is current is not dropped, although its time to be looked at has come', async () => {
      const { adapter, world, prefix } = await opened({ dropAfterMs: 20 });
      await admin.zadd(`${prefix}worlds`, 1, world);
      await eventually('it was looked at', async () => (await admin.zscore(`${prefix}worlds`, world)) === 'inf');
      expect(await adapter.worlds.resolve('r')).toMatchObject({ world });
    });
  });
}
