import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import type { World } from '../../shared/domain/world.ts';
import { WorldGone } from '../../shared/store/ports/directory.ts';
import { PUBLISH_WITHHELD_EVENT } from '../../shared/store/ports/due-work.ts';
import type { Store, StoreAdapter } from '../../shared/store/ports/estate-store.ts';
import { WORLD_KEYS } from '../../shared/store/redis/keys.ts';
import { scripts } from '../../shared/store/redis/scripts.ts';
import { createRedisStore, type RedisStoreOptions } from '../../shared/store/redis/store.ts';
import { aHop } from '../ports/a-hop.ts';
import { aPlan } from '../ports/a-plan.ts';
import { eventually } from '../support/eventually.ts';
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
  skipWithoutRedis('the Redis adapter during failures of Redis');
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
    /** The next operation has its effect, and its answer is lost once. */
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

    test('commit: the stock decreases by one, and the commit reports success', async () => {
      await store.commit(world, aPlan({ move: [move(5)] }));
      expect(await losing(() => store.commit(world, aPlan({ move: [move(-1)], guard: [notNegative], events: [event('e1')] })))).toEqual({
        ok: true,
        seq: 2,
      });
      expect(await store.counters(world, 'stock', ['sku'])).toEqual([{ onHand: 4 }]);
      expect((await store.drain(world, { token: 'relay' }))?.entries.map(({ id }) => id)).toEqual(['e1']);
    });

    test('claim: it is ours, and is not reported as running elsewhere', async () => {
      expect(await losing(() => store.claim(world, { key: 'k', fingerprint: 'f', now: 1_000, leaseMs: 60_000 }))).toMatchObject({
        is: 'ours',
        since: 1_000,
      });
      expect(await store.claim(world, { key: 'k', fingerprint: 'f', now: 1_000, leaseMs: 60_000 })).toMatchObject({ is: 'running' });
    });

    test('due work: the leased item is the returned one', async () => {
      await store.commit(world, aPlan({ due: [dueItem('a'), dueItem('b')] }));
      expect(await losing(() => adapter.worlds.leaseNext(world, { upTo: 10, token: 'mine', leaseMs: 60_000 }))).toMatchObject({ key: 'a' });
      expect((await adapter.worlds.ledger(world)).running).toEqual(['oms|timer|a']);
    });

    test('the clock: it is leased, set and released, and is not reported as leased elsewhere', async () => {
      const { worlds } = adapter;
      expect(await losing(() => worlds.leaseClock(world, 'mine', 60_000))).toBe(true);
      expect(await losing(() => worlds.setClock(world, { now: 50_000, flowing: false }, 'mine'))).toBe(true);
      expect(await losing(() => worlds.setClock(world, { now: 60_000, flowing: false }))).toBe(false);
      await losing(() => worlds.releaseClock(world, 'mine'));
      expect(await worlds.status(world)).toMatchObject({ flowing: true, advancing: false });
    });

    test('redrive: parked work is reported as redriven, and is pending once', async () => {
      const stored = { id: 'e1', topic: 't', key: 'k', json: '{"correlationid":"c"}' };
      await store.commit(world, aPlan({ events: [event('e1')] }));
      await adapter.store('crm').park(world, 'crm|e1', 'poison');
      const again = { what: 'delivery', key: 'crm|e1', event: stored } as const;
      expect(await losing(() => adapter.worlds.redrive(world, [again]))).toEqual([again]);
      expect(await adapter.worlds.ledger(world)).toMatchObject({ parked: [], pending: ['crm|e1'], next: { key: 'e1' } });
    });

    test('drain: sent events, including withheld ones, are listed once, and the next batch is returned', async () => {
      await store.commit(world, aPlan({ events: [event('e1'), event('e2')] }));
      await store.drain(world, { token: 'relay' });
      const before = { id: 'e0', topic: 't', key: 'k', json: '{}' };
      expect((await losing(() => store.drain(world, { token: 'relay', sent: ['e1', before] })))?.entries.map(({ id }) => id)).toEqual([
        'e2',
      ]);
      expect((await adapter.worlds.events(world, 0, 10)).map(({ id }) => id)).toEqual(['e1', 'e0']);
    });

    test('drain: a withheld event is withheld once', async () => {
      await adapter.worlds.setFault(world, 'f', '{}');
      await store.commit(world, aPlan({ events: [event('e1')] }));
      await store.drain(world, { token: 'relay' });
      const due = { kind: PUBLISH_WITHHELD_EVENT, key: 'e1', at: 9_000, payload: '{}', correlationId: 'c', withheldBy: 'f' };
      await losing(() => store.drain(world, { token: 'relay', withheld: [{ id: 'e1', due }] }));
      expect((await adapter.worlds.ledger(world)).withheld).toMatchObject([{ key: 'e1', withheldBy: 'f' }]);
    });

    test('faults: one strike counts as one hit, and a removal reports that the fault existed', async () => {
      await adapter.worlds.setFault(world, 'f', '{}');
      expect(await losing(() => adapter.control.hit(world, 'f', 3))).toBe(1);
      expect(await adapter.control.hits(world, 'f')).toBe(1);
      expect(await losing(() => adapter.control.chance(world, 'f'))).toBe(1);
      expect(await losing(() => adapter.worlds.removeFault(world, 'f'))).toBe(true);
    });

    test('rehearsals: a creation reports a new rehearsal, although the repeat finds it', async () => {
      const created = await losing(() =>
        adapter.worlds.create('new', { from: () => EMPTY, credentials: CREDENTIALS, idleMs: null, most: 5 }),
      );
      const { world } = (await adapter.worlds.resolve('new')) ?? {};
      expect(created).toEqual({ is: 'created', world });
    });

    test('rehearsals: a removal reports that the rehearsal existed, and a reset succeeds', async () => {
      const fresh = await losing(() => adapter.worlds.open('r', EMPTY, CREDENTIALS));
      expect(await adapter.worlds.resolve('r')).toMatchObject({ world: fresh });
      expect(await losing(() => adapter.worlds.remove('r'))).toBe(true);
    });
  });

  describe('late requests', () => {
    test('a refused operation stays refused when it is repeated, although it would succeed now', async () => {
      const { store, world } = await opened();
      const plan = aPlan({ move: [move(-1)], guard: [notNegative] });
      expect(await store.commit(world, plan)).toMatchObject({ ok: false, why: 'guard' });
      await store.commit(world, aPlan({ move: [move(1)] }));
      expect(await store.commit(world, plan)).toMatchObject({ ok: false, why: 'guard' });
      expect(await store.counters(world, 'stock', ['sku'])).toEqual([{ onHand: 1 }]);
    });
  });

  test('A commit accepts NUL and half a surrogate pair in its texts', async () => {
    const { store, world } = await opened();
    const value = 'a\0b\ud800';
    const put = [{ collection: 'things', id: 'a', read: 0, version: 1, json: '{}' }];
    const index = [{ collection: 'things', name: 'kind', id: 'a', value, was: null }];
    expect(await store.commit(world, aPlan({ put, index }))).toMatchObject({ ok: true });
    const page = { after: 0, limit: 10, newestFirst: false };
    expect(await store.index(world, 'things', 'kind', value, page)).toMatchObject([{ id: 'a' }]);
  });

  describe('Redis', () => {
    test('may forget its scripts', async () => {
      const { store, world } = await opened();
      await store.commit(world, aPlan({ move: [move(1)] }));
      await admin.script('FLUSH');
      expect(await store.commit(world, aPlan({ move: [move(1)] }))).toMatchObject({ ok: true });
      expect(await store.counters(world, 'stock', ['sku'])).toEqual([{ onHand: 2 }]);
    });

    test('may hang: the caller soon gets a store-unavailable error, and the abandoned operation has one effect or none', async () => {
      const { store, world } = await opened({ commandTimeoutMs: 50 });
      process.kill(server.pid, 'SIGSTOP');
      try {
        await expect(store.commit(world, aPlan({ move: [move(1)] }))).rejects.toMatchObject({
          code: 'dependency_unavailable',
          retryable: true,
          context: { dependency: 'store', retryAfter: 1 },
        });
      } finally {
        process.kill(server.pid, 'SIGCONT');
      }
      await eventually('the sent commit arrives', async () => (await store.counters(world, 'stock', ['sku']))[0]?.['onHand'] === 1);
      await store.commit(world, aPlan({ move: [move(1)] }));
      expect(await store.counters(world, 'stock', ['sku'])).toEqual([{ onHand: 2 }]);
    });

    test('may be full: the operation is refused as a whole', async () => {
      const { store, world } = await opened();
      await admin.config('SET', 'maxmemory', '1mb');
      try {
        const full = store.commit(world, aPlan({ move: [move(1)], events: [event('e1')] }));
        await expect(full).rejects.toMatchObject({ code: 'store_full', message: expect.stringContaining('no memory left') });
      } finally {
        await admin.config('SET', 'maxmemory', '0');
      }
      expect(await store.counters(world, 'stock', ['sku'])).toEqual([{}]);
      expect(await store.drain(world, { token: 'relay' })).toBeUndefined();
    });

    test('may be killed and restarted: acknowledged data is kept, and the store recovers by itself', async () => {
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
    test('are notified of changes of other processes', async () => {
      const { adapter, prefix, world } = await opened();
      const other = await createRedisStore({ url: server.url, prefix });
      adapters.push(other);
      const heard: World[] = [];
      adapter.worlds.watch((changed) => heard.push(changed));
      await other.store('crm').commit(world, aPlan({ due: [dueItem('a')] }));
      await eventually('the listener hears', async () => heard.includes(world));
    });

    test('are notified by the sweep of a change whose message was lost', async () => {
      const { adapter, prefix, world } = await opened();
      const heard: World[] = [];
      adapter.worlds.watch((changed) => heard.push(changed));
      await eventually('the listener has heard of the opening', async () => heard.includes(world));
      heard.length = 0;
      // Simulates a lost message: the counter records a change without a notification.
      await admin.hincrby(`${prefix}{r}~${world.slice(2)}`, 'changes', 1);
      await eventually('the sweep finds it', async () => heard.includes(world));
    });
  });

  describe('a rehearsal that cannot be read', () => {
    test('is listed with its known members, and does not hide other rehearsals', async () => {
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

  describe('rehearsals opened by an older version', () => {
    test('are listed, counted and given a lifetime on first sight; the default one is kept', async () => {
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
    test('are withdrawn only when no event is left to send', async () => {
      const { store, world, prefix } = await opened();
      await store.commit(world, aPlan({ events: [event('e1')] }));
      const announced = () => admin.zrange(`${prefix}unsent:oms`, '0', '-1');
      await admin.zadd(`${prefix}unsent:oms`, 1, world);
      expect(await store.unsent()).toEqual([world]);
      expect(await announced()).toEqual([world]);
      await store.drain(world, { token: 'relay' });
      await store.drain(world, { token: 'relay', sent: ['e1'] });
      expect(await store.unsent()).toEqual([]);
      expect(await announced()).toEqual([]);
    });
  });

  describe('an outbox that a commit has handed over to a relay that died', () => {
    test('is found by others soon, after a lease that is shorter than that of a relay', async () => {
      const { store, world } = await opened({ relayLeaseMs: 600_000 });
      expect(await store.commit(world, aPlan({ events: [event('e1')], relay: 'dead' }))).toMatchObject({
        batch: { entries: [{ id: 'e1' }] },
      });
      expect(await store.unsent()).toEqual([]);
      await eventually('the outbox is free', async () => (await store.unsent()).includes(world));
      expect((await store.drain(world, { token: 'heir' }))?.entries.map(({ id }) => id)).toEqual(['e1']);
    });
  });

  describe('worlds that are no longer current', () => {
    test('are dropped without leaving a key behind, and are reported as gone', async () => {
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
      await store.claim(world, { key: 'k', fingerprint: 'f', now: 1_000, leaseMs: 1_000 });
      await adapter.worlds.setFault(world, 'f', '{}');
      await adapter.control.hit(world, 'f');
      adapter.control.journal(world, aHop());
      await adapter.worlds.journalOf(world);
      const fresh = await adapter.worlds.open('r', EMPTY, CREDENTIALS);
      await eventually('the old world is dropped', async () => (await admin.keys(`${prefix}*${world.slice(2)}*`)).length === 0);
      await expect(store.object(world, 'things', 'a')).rejects.toThrow(WorldGone);
      expect(await store.commit(world, aPlan())).toEqual({ ok: false, why: 'world', at: world });
      expect(await admin.keys(`${prefix}*${world.slice(2)}*`)).toEqual([]);
      expect(await adapter.worlds.current(fresh)).toMatchObject({ world: fresh });
      expect(await store.commit(fresh, aPlan())).toMatchObject({ ok: true });
    });

    test('lose all their keys in one step, so that a read finds either the world or nothing of it', async () => {
      const { store, world, prefix } = await opened();
      const put = [{ collection: 'things', id: 'a', read: 0, version: 1, json: '{}' }];
      await store.commit(world, aPlan({ put, move: [move(1)], due: [dueItem('a')], events: [event('e1')] }));
      const { counter, key } = move(1);
      expect([await store.object(world, 'things', 'a'), await store.counters(world, counter, [key])]).toMatchObject([{ id: 'a' }, [{}]]);
      const drop = (id: string) => admin.eval(scripts.drop.source, 1, `${prefix}{r}`, 'channel', id, ...WORLD_KEYS);
      expect(await drop(world.slice(2))).toBe(0);
      expect(await store.object(world, 'things', 'a')).toMatchObject({ id: 'a' });
      await admin.del(`${prefix}{r}`);
      expect(await drop(world.slice(2))).toBe(1);
      expect(await admin.keys(`${prefix}{r}~*`)).toEqual([]);
      await expect(store.object(world, 'things', 'a')).rejects.toThrow(WorldGone);
      await expect(store.counters(world, counter, [key])).rejects.toThrow(WorldGone);
    });

    test('of an older release are there, although no field of their objects says so', async () => {
      const { store, world, prefix } = await opened();
      await store.commit(world, aPlan({ put: [{ collection: 'things', id: 'a', read: 0, version: 1, json: '{}' }] }));
      await admin.hdel(`${prefix}{r}~${world.slice(2)}:oms:o:things`, '');
      expect(await store.object(world, 'things', 'b')).toBeUndefined();
      expect(await store.object(world, 'things', 'a')).toMatchObject({ id: 'a', version: 1 });
    });

    test('a current world is not dropped when it is checked', async () => {
      const { adapter, world, prefix } = await opened({ dropAfterMs: 20 });
      await admin.zadd(`${prefix}worlds`, 1, world);
      await eventually('it was looked at', async () => (await admin.zscore(`${prefix}worlds`, world)) === 'inf');
      expect(await adapter.worlds.resolve('r')).toMatchObject({ world });
    });
  });
}
