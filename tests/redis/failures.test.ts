import { beforeEach, describe, expect, test } from '@jest/globals';
import type { World } from '../../shared/domain/world.ts';
import { PUBLISH_WITHHELD_EVENT } from '../../shared/store/ports/due-work.ts';
import type { Store, StoreAdapter } from '../../shared/store/ports/estate-store.ts';
import { WorldGone } from '../../shared/store/ports/rehearsals.ts';
import { WORLD_KEYS } from '../../shared/store/redis/keys.ts';
import { scripts } from '../../shared/store/redis/scripts.ts';
import { aHop } from '../ports/a-hop.ts';
import { aPlan } from '../ports/a-plan.ts';
import { eventually, succeeds } from '../support/eventually.ts';
import { startWay, type Way } from '../support/way.ts';
import { CREDENTIALS, describeWithRedis, EMPTY, type TestRedis } from './with-redis.ts';

const move = (by: number) => ({ counter: 'stock', key: 'sku', field: 'onHand', by });
const notNegative = { counter: 'stock', key: 'sku', terms: { onHand: 1 } as const };
const dueItem = (key: string) => ({ kind: 'timer', key, at: 10, payload: '1', correlationId: 'c' });
const event = (id: string) => ({ id, topic: 't', key: 'k', json: '{}', subscribers: ['crm'] as const });

const aThing = { collection: 'things', id: 'a', read: 0, version: 1, json: '{}' };
const idsOf = (drained: { entries: readonly { id: string }[] } | undefined) => drained?.entries.map(({ id }) => id);

describeWithRedis('Failures of Redis', failures, { appendonly: 'yes', appendfsync: 'always' });

function failures(redis: TestRedis): void {
  const { opened } = redis;

  describe.each(['cut', 'muting'] as const)('An answer lost by %s', (how) => {
    let way: Way;
    let adapter: StoreAdapter;
    let worlds: StoreAdapter['worlds'];
    let store: Store;
    let world: World;
    /** The next operation has its effect, and its answer is lost once. */
    async function losing<T>(act: () => Promise<T>): Promise<T> {
      // Only scripts: a client whose greeting is cut never starts.
      const struck = way.strike({ lose: 'answer', when: (sent) => sent.includes('evalsha'), by: how });
      const result = await act();
      await struck;
      return result;
    }
    beforeEach(async () => {
      way = await startWay([redis.server.port]);
      redis.atEnd(way.close);
      ({ adapter, worlds, store, world } = await opened({ url: `redis://127.0.0.1:${way.port}`, commandTimeoutMs: 100 }));
    });

    test('A commit with a lost answer has one effect, and reports success', async () => {
      await store.commit(world, aPlan({ move: [move(5)] }));
      const plan = aPlan({ move: [move(-1)], guard: [notNegative], events: [event('e1')] });
      expect(await losing(() => store.commit(world, plan))).toEqual({ ok: true, seq: 2 });
      expect(await store.counters(world, 'stock', ['sku'])).toEqual([{ onHand: 4 }]);
      expect(idsOf(await store.drain(world, { token: 'relay' }))).toEqual(['e1']);
    });

    test('A claim with a lost answer belongs to its caller', async () => {
      const claim = () => store.claim(world, { key: 'k', fingerprint: 'f', now: 1_000, leaseMs: 60_000 });
      expect(await losing(claim)).toMatchObject({ is: 'ours', since: 1_000 });
      expect(await claim()).toMatchObject({ is: 'running' });
    });

    test('Leasing due work with a lost answer leases it once', async () => {
      await store.commit(world, aPlan({ due: [dueItem('a'), dueItem('b')] }));
      expect(await losing(() => worlds.leaseNext(world, { upTo: 10, token: 'mine', leaseMs: 60_000 }))).toMatchObject({ key: 'a' });
      expect((await worlds.ledger(world)).running).toEqual(['oms|timer|a']);
    });

    test('A clock is leased, set and released even if the answers are lost', async () => {
      expect(await losing(() => worlds.leaseClock(world, 'mine', 60_000))).toBe(true);
      expect(await losing(() => worlds.setClock(world, { now: 50_000, flowing: false }, 'mine'))).toBe(true);
      expect(await losing(() => worlds.setClock(world, { now: 60_000, flowing: false }))).toBe(false);
      await losing(() => worlds.releaseClock(world, 'mine'));
      expect(await worlds.status(world)).toMatchObject({ flowing: true, advancing: false });
    });

    test('Redriving parked work with a lost answer reports it as redriven, and makes it pending once', async () => {
      await store.commit(world, aPlan({ events: [event('e1')] }));
      await adapter.store('crm').park(world, 'crm|e1', 'poison');
      const stored = { id: 'e1', topic: 't', key: 'k', json: '{"correlationid":"c"}' };
      const again = { what: 'delivery', key: 'crm|e1', event: stored } as const;
      expect(await losing(() => worlds.redrive(world, [again]))).toEqual([again]);
      expect(await worlds.ledger(world)).toMatchObject({ parked: [], pending: ['crm|e1'], next: { key: 'e1' } });
    });

    test('Draining the outbox with a lost answer lists each sent event once, and returns the next batch', async () => {
      await store.commit(world, aPlan({ events: [event('e1'), event('e2')] }));
      await store.drain(world, { token: 'relay' });
      const before = { id: 'e0', topic: 't', key: 'k', json: '{}' };
      expect(idsOf(await losing(() => store.drain(world, { token: 'relay', sent: ['e1', before] })))).toEqual(['e2']);
      expect((await worlds.events(world, 0, 10)).map(({ id }) => id)).toEqual(['e1', 'e0']);
    });

    test('Draining the outbox with a lost answer withholds an event once', async () => {
      await worlds.setFault(world, 'f', '{}');
      await store.commit(world, aPlan({ events: [event('e1')] }));
      await store.drain(world, { token: 'relay' });
      const due = { kind: PUBLISH_WITHHELD_EVENT, key: 'e1', at: 9_000, payload: '{}', correlationId: 'c', withheldBy: 'f' };
      await losing(() => store.drain(world, { token: 'relay', withheld: [{ id: 'e1', due }] }));
      expect((await worlds.ledger(world)).withheld).toMatchObject([{ key: 'e1', withheldBy: 'f' }]);
    });

    test('A strike of a fault with a lost answer counts once, and removing the fault reports that it existed', async () => {
      await worlds.setFault(world, 'f', '{}');
      expect(await losing(() => adapter.control.hit(world, 'f', 'requestId req_1', 3))).toBe(1);
      expect(await adapter.control.hits(world, 'f')).toBe(1);
      expect(await losing(() => adapter.control.chance(world, 'f'))).toBe(1);
      expect(await losing(() => worlds.removeFault(world, 'f'))).toBe(true);
    });

    test('A rehearsal is created, reset and removed with the right outcome even if the answers are lost', async () => {
      const created = await losing(() => worlds.create('new', { from: () => EMPTY, credentials: CREDENTIALS, idleMs: null, most: 5 }));
      expect(created).toEqual({ is: 'created', world: (await worlds.resolve('new'))?.world });
      const fresh = await losing(() => worlds.open('r', EMPTY, CREDENTIALS));
      expect(await worlds.resolve('r')).toMatchObject({ world: fresh });
      expect(await losing(() => worlds.remove('r'))).toBe(true);
    });
  });

  test('A refused commit stays refused when it is repeated, although it would succeed now', async () => {
    const { store, world } = await opened();
    const plan = aPlan({ move: [move(-1)], guard: [notNegative] });
    expect(await store.commit(world, plan)).toMatchObject({ ok: false, why: 'guard' });
    await store.commit(world, aPlan({ move: [move(1)] }));
    expect(await store.commit(world, plan)).toMatchObject({ ok: false, why: 'guard' });
    expect(await store.counters(world, 'stock', ['sku'])).toEqual([{ onHand: 1 }]);
  });

  test('A commit accepts NUL and half a surrogate pair in its texts', async () => {
    const { store, world } = await opened();
    const value = 'a\0b\ud800';
    const index = [{ collection: 'things', name: 'kind', id: 'a', value, was: null }];
    expect(await store.commit(world, aPlan({ put: [aThing], index }))).toMatchObject({ ok: true });
    const page = { after: 0, limit: 10, newestFirst: false };
    expect(await store.index(world, 'things', 'kind', value, page)).toMatchObject([{ id: 'a' }]);
  });

  test('A Redis that has lost its scripts gets them again', async () => {
    const { store, world } = await opened();
    await store.commit(world, aPlan({ move: [move(1)] }));
    await redis.admin.script('FLUSH');
    expect(await store.commit(world, aPlan({ move: [move(1)] }))).toMatchObject({ ok: true });
    expect(await store.counters(world, 'stock', ['sku'])).toEqual([{ onHand: 2 }]);
  });

  test('A commit on a Redis that hangs fails soon with dependency_unavailable, and has at most one effect', async () => {
    const { store, world } = await opened({ commandTimeoutMs: 50 });
    process.kill(redis.server.pid, 'SIGSTOP');
    try {
      const context = { dependency: 'store', retryAfter: 1 };
      const refused = { code: 'dependency_unavailable', retryable: true, context };
      await expect(store.commit(world, aPlan({ move: [move(1)] }))).rejects.toMatchObject(refused);
    } finally {
      process.kill(redis.server.pid, 'SIGCONT');
    }
    await eventually('the sent commit arrives', async () => (await store.counters(world, 'stock', ['sku']))[0]?.['onHand'] === 1);
    await store.commit(world, aPlan({ move: [move(1)] }));
    expect(await store.counters(world, 'stock', ['sku'])).toEqual([{ onHand: 2 }]);
  });

  test('A Redis that was killed and restarted notifies listeners again', async () => {
    const { worlds, store, world } = await opened();
    const notified: World[] = [];
    worlds.watch((changed) => notified.push(changed));
    redis.server = await redis.server.restart();
    await eventually('commits flow again', () => succeeds(store.commit(world, aPlan({ move: [move(1)] }))));
    notified.length = 0;
    await store.commit(world, aPlan({ due: [dueItem('a')] }));
    await eventually('the listener is notified again', async () => notified.includes(world));
  });

  test('A listener is notified of changes by other processes', async () => {
    const { worlds, prefix, world } = await opened();
    const notified: World[] = [];
    worlds.watch((changed) => notified.push(changed));
    await (await redis.store({ prefix })).store('crm').commit(world, aPlan({ due: [dueItem('a')] }));
    await eventually('the listener is notified', async () => notified.includes(world));
  });

  test('A rehearsal that cannot be read is listed with its known members, and hides no other', async () => {
    const { worlds, key } = await opened();
    await worlds.open('sound', EMPTY, CREDENTIALS);
    await redis.admin.hset(key, 'clock', 'never');
    expect(await worlds.list()).toMatchObject([
      { rehearsal: 'sound', current: expect.anything() },
      { rehearsal: 'r', trouble: expect.any(String), lastUsedAt: expect.any(Number) },
    ]);
    expect(await worlds.remove('r')).toBe(true);
  });

  test('The announcement of unsent events is withdrawn only when no event is left to send', async () => {
    const { store, world, prefix } = await opened();
    await store.commit(world, aPlan({ events: [event('e1')] }));
    const announced = () => redis.admin.zrange(`${prefix}unsent:oms`, '0', '-1');
    await redis.admin.zadd(`${prefix}unsent:oms`, 1, world);
    expect([await store.unsent(), await announced()]).toEqual([[world], [world]]);
    await store.drain(world, { token: 'relay' });
    await store.drain(world, { token: 'relay', sent: ['e1'] });
    expect([await store.unsent(), await announced()]).toEqual([[], []]);
  });

  test('An outbox that a commit handed over to a dead relay is free after a short lease', async () => {
    const { store, world } = await opened({ relayLeaseMs: 600_000 });
    const handedOver = await store.commit(world, aPlan({ events: [event('e1')], relay: { token: 'dead' } }));
    expect(handedOver).toMatchObject({ batch: { entries: [{ id: 'e1' }] } });
    expect(await store.unsent()).toEqual([]);
    await eventually('the outbox is free', async () => (await store.unsent()).includes(world));
    expect(idsOf(await store.drain(world, { token: 'heir' }))).toEqual(['e1']);
  });

  test('A replaced world is dropped without a key left, and is reported as gone', async () => {
    const { adapter, worlds, store, world, prefix } = await opened({ dropAfterMs: 50 });
    const entry = { collection: 'things', id: 'a', value: 'x', was: null };
    const [unique, index] = [[{ ...entry, name: 'mail' }], [{ ...entry, name: 'kind' }]];
    await store.commit(
      world,
      aPlan({ put: [aThing], unique, index, move: [move(1)], events: [event('e1'), event('e2')], due: [dueItem('a')] }),
    );
    await store.drain(world, { token: 'relay' });
    await store.drain(world, { token: 'relay', sent: ['e1'] });
    await store.claim(world, { key: 'k', fingerprint: 'f', now: 1_000, leaseMs: 1_000 });
    await worlds.setFault(world, 'f', '{}');
    await adapter.control.hit(world, 'f', 'requestId req_1');
    adapter.control.journal(world, aHop());
    adapter.control.journal(world, aHop({ requestId: 'r2', anonymous: true }));
    expect((await worlds.journalOf(world)).entries).toHaveLength(2);
    const left = () => redis.admin.keys(`${prefix}*${world.slice(2)}*`);
    expect(await left()).toContainEqual(expect.stringMatching(/eventsabout$/));
    const fresh = await worlds.open('r', EMPTY, CREDENTIALS);
    await eventually('the old world is dropped', async () => (await left()).length === 0);
    await expect(store.object(world, 'things', 'a')).rejects.toThrow(WorldGone);
    expect(await store.commit(world, aPlan())).toEqual({ ok: false, why: 'world', at: world });
    expect(await left()).toEqual([]);
    expect(await worlds.current(fresh)).toMatchObject({ world: fresh });
    expect(await store.commit(fresh, aPlan())).toMatchObject({ ok: true });
  });

  test('A world loses all its keys in one step, so that a read finds the world or nothing', async () => {
    const { store, world, prefix } = await opened();
    await store.commit(world, aPlan({ put: [aThing], move: [move(1)], due: [dueItem('a')], events: [event('e1')] }));
    const drop = () => redis.admin.eval(scripts.drop.source, 1, `${prefix}{r}`, 'channel', world.slice(2), ...WORLD_KEYS);
    expect(await drop()).toBe(0);
    expect(await store.object(world, 'things', 'a')).toMatchObject({ id: 'a' });
    await redis.admin.del(`${prefix}{r}`);
    expect(await drop()).toBe(1);
    expect(await redis.keysThatStay(`${prefix}{r}~*`)).toEqual([]);
    await expect(store.object(world, 'things', 'a')).rejects.toThrow(WorldGone);
    await expect(store.counters(world, 'stock', ['sku'])).rejects.toThrow(WorldGone);
  });

  test('A current world is not dropped when it is checked', async () => {
    const { worlds, world, prefix } = await opened({ dropAfterMs: 20 });
    await redis.admin.zadd(`${prefix}worlds`, 1, world);
    await eventually('it was checked', async () => (await redis.admin.zscore(`${prefix}worlds`, world)) === 'inf');
    expect(await worlds.resolve('r')).toMatchObject({ world });
  });
}
