import { describe, expect, test } from '@jest/globals';
import type { World } from '../../shared/domain/world.ts';
import { CLAIM_KEPT_MS } from '../../shared/store/ports/claims.ts';
import type { Store, StoreAdapter } from '../../shared/store/ports/estate-store.ts';
import type { NewRehearsal } from '../../shared/store/ports/rehearsals.ts';
import type { Snapshot } from '../../shared/store/ports/snapshots.ts';
import { eventually } from '../support/eventually.ts';
import { aHop } from './a-hop.ts';
import { aPlan } from './a-plan.ts';

const CREDENTIALS = { bearer: 'b', apiKey: 'k', webhookSecret: 'w' };
const EMPTY: Snapshot = { now: 1_000, applications: {}, due: [] };
const HOUR = 3_600_000;
const KIB = 1_024;

type Opened = (
  from?: Snapshot,
  options?: { readonly dropAfterMs?: number },
) => Promise<{ readonly adapter: StoreAdapter; readonly store: Store; readonly world: World }>;

const times = <T>(count: number, each: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => each(n));

/** Contract of the lifetimes of stored data. `opened` has one rehearsal, `r`, which is kept. */
export function lifetimeSuite(opened: Opened): void {
  const created = (adapter: StoreAdapter, name: string, options: Partial<NewRehearsal> = {}) =>
    adapter.worlds.create(name, { from: () => EMPTY, credentials: CREDENTIALS, idleMs: HOUR, most: 100, ...options });
  const names = async ({ worlds }: StoreAdapter) => (await worlds.list()).map(({ rehearsal }) => rehearsal);
  const listed = async ({ worlds }: StoreAdapter, name: string) => {
    const found = (await worlds.list()).find(({ rehearsal }) => rehearsal === name);
    if (!found) throw new Error(`${name} is not listed.`);
    return found;
  };

  describe('the record of one rehearsal', () => {
    test('is the one that the list has, and reading it is no use of the rehearsal', async () => {
      const { adapter } = await opened();
      await created(adapter, 'other');
      const { lastUsedAt } = await listed(adapter, 'other');
      await eventually('time passes', async () => Date.now() > lastUsedAt);
      const record = await adapter.worlds.record('other');
      expect(record).toMatchObject({ rehearsal: 'other', lastUsedAt, endsAt: lastUsedAt + HOUR });
      expect(record?.current?.contents).toEqual((await listed(adapter, 'other')).current?.contents);
      expect((await adapter.worlds.record('r'))?.endsAt).toBeNull();
    });

    test('is missing when the rehearsal does not exist or was removed', async () => {
      const { adapter } = await opened();
      expect(await adapter.worlds.record('none')).toBeUndefined();
      await created(adapter, 'other');
      await adapter.worlds.remove('other');
      expect(await adapter.worlds.record('other')).toBeUndefined();
    });
  });

  describe('the limit of rehearsals', () => {
    test('of many concurrent creations of one rehearsal, one succeeds', async () => {
      const { adapter } = await opened();
      const outcomes = await Promise.all(times(5, (n) => created(adapter, 'new', { credentials: { ...CREDENTIALS, bearer: `b${n}` } })));
      const winner = outcomes.findIndex(({ is }) => is === 'created');
      expect(outcomes.filter(({ is }) => is === 'exists')).toHaveLength(4);
      const { world, credentials } = (await adapter.worlds.resolve('new')) ?? {};
      expect(outcomes[winner]).toEqual({ is: 'created', world });
      expect(credentials?.bearer).toBe(`b${winner}`);
      expect(await names(adapter)).toEqual(['r', 'new']);
    });

    test('a creation above the limit is refused, names the longest idle rehearsal, and seeds nothing', async () => {
      const { adapter } = await opened();
      await created(adapter, 'first');
      await eventually('time passes', async () => Date.now() > (await listed(adapter, 'first')).lastUsedAt);
      await created(adapter, 'second');
      await eventually('time passes', async () => Date.now() > (await listed(adapter, 'second')).lastUsedAt);
      await adapter.worlds.use('first');
      const refused = await created(adapter, 'third', {
        most: 3,
        from: () => {
          throw new Error('It was seeded.');
        },
      });
      const { lastUsedAt, endsAt } = await listed(adapter, 'second');
      expect(refused).toEqual({ is: 'too-many', longestIdle: { rehearsal: 'second', lastUsedAt, endsAt } });
      expect(endsAt).toBe(lastUsedAt + HOUR);
      expect(await names(adapter)).toEqual(['r', 'first', 'second']);
    });

    test('kept rehearsals count towards the limit and are not named', async () => {
      const { adapter } = await opened();
      await created(adapter, 'kept', { idleMs: null });
      expect(await created(adapter, 'third', { most: 2 })).toEqual({ is: 'too-many' });
      await created(adapter, 'third');
      expect(await created(adapter, 'fourth', { most: 3 })).toMatchObject({ is: 'too-many', longestIdle: { rehearsal: 'third' } });
    });

    test('concurrent creations never exceed the limit', async () => {
      const { adapter } = await opened();
      const outcomes = await Promise.all(times(20, (n) => created(adapter, `n${n}`, { most: 5 })));
      expect(outcomes.filter(({ is }) => is === 'created')).toHaveLength(4);
      expect(await names(adapter)).toHaveLength(5);
    });

    test('an existing rehearsal needs no room, and a removed one makes room', async () => {
      const { adapter } = await opened();
      expect(await created(adapter, 'new', { most: 2 })).toMatchObject({ is: 'created' });
      expect(await created(adapter, 'new', { most: 1 })).toEqual({ is: 'exists' });
      await adapter.worlds.remove('new');
      expect(await created(adapter, 'other', { most: 2 })).toMatchObject({ is: 'created' });
    });

    test('a reset does not recreate a rehearsal that was deleted meanwhile', async () => {
      const { adapter, world } = await opened();
      const reset = () => adapter.worlds.replace('r', EMPTY);
      expect(await reset()).not.toBe(world);
      await adapter.worlds.remove('r');
      expect(await reset()).toBeUndefined();
      expect(await adapter.worlds.resolve('r')).toBeUndefined();
      expect(await names(adapter)).toEqual([]);
    });
  });

  describe('the end of a rehearsal', () => {
    const over = async (adapter: StoreAdapter): Promise<readonly string[]> =>
      eventually('a rehearsal ends', async () => {
        const ended = await adapter.worlds.expire();
        return ended.length > 0 && ended;
      });

    test('after its idle time an unused rehearsal is gone, while others and kept ones stay', async () => {
      const { adapter } = await opened();
      await created(adapter, 'brief', { idleMs: 20 });
      await created(adapter, 'long');
      expect(await over(adapter)).toEqual(['brief']);
      expect(await names(adapter)).toEqual(['r', 'long']);
      expect(await adapter.worlds.resolve('brief')).toBeUndefined();
      expect(await adapter.worlds.remove('brief')).toBe(false);
      expect(await adapter.worlds.expire()).toEqual([]);
      expect(await created(adapter, 'brief')).toMatchObject({ is: 'created' });
    });

    test('use postpones the end', async () => {
      const { adapter } = await opened();
      await created(adapter, 'used', { idleMs: 1_000 });
      const { endsAt } = await listed(adapter, 'used');
      await eventually('its end is later', async () => {
        expect(await adapter.worlds.use('used')).toBe(1_000);
        return Number((await listed(adapter, 'used')).endsAt) > Number(endsAt);
      });
      expect(await adapter.worlds.use('r')).toBeNull();
      expect(await adapter.worlds.use('nobody')).toBeNull();
      expect(await names(adapter)).toEqual(['r', 'used']);
    });

    test('a reset counts as use and keeps the idle time', async () => {
      const { adapter } = await opened();
      await created(adapter, 'reset', { idleMs: 20 });
      await adapter.worlds.replace('reset', EMPTY);
      const { lastUsedAt, endsAt } = await listed(adapter, 'reset');
      expect(endsAt).toBe(lastUsedAt + 20);
      expect(await over(adapter)).toEqual(['reset']);
    });

    test('watchers are notified of the end of its world, also after a deletion or a reset', async () => {
      const { adapter, world } = await opened();
      await created(adapter, 'brief', { idleMs: 20 });
      const ending = (await adapter.worlds.resolve('brief'))?.world;
      const heard = new Set<World>();
      adapter.worlds.watch((changed) => heard.add(changed));
      await created(adapter, 'other');
      await eventually('the listener hears', async () => {
        await adapter.worlds.replace('other', EMPTY);
        return heard.size > 0;
      });
      const fresh = (await adapter.worlds.replace('r', EMPTY)) as World;
      await eventually('it hears of the old world', async () => heard.has(world));
      await adapter.worlds.remove('r');
      await eventually('it hears of the new one', async () => heard.has(fresh));
      await over(adapter);
      await eventually('it hears of the one that ended', async () => ending !== undefined && heard.has(ending));
      for (const one of [world, fresh, ending]) expect(one && (await adapter.worlds.status(one))).toBeUndefined();
    });

    test('an ended world is dropped soon, also among many', async () => {
      const { adapter, store } = await opened(EMPTY, { dropAfterMs: 10 });
      const worlds: World[] = [];
      for (const name of times(25, (n) => `n${n}`)) {
        const one = await created(adapter, name);
        if (one.is === 'created') worlds.push(one.world);
        await adapter.worlds.remove(name);
      }
      for (const world of worlds)
        await eventually('it is gone', () =>
          store.object(world, 'c', 'i').then(
            () => false,
            (error: Error) => error.name === 'WorldGone',
          ),
        );
      expect(worlds).toHaveLength(25);
    });
  });

  describe('the content of a world', () => {
    test('is listed by counts: objects, events, journal records and roughly their bytes', async () => {
      const { adapter, store, world } = await opened();
      const before = (await listed(adapter, 'r')).current?.contents;
      expect(before).toMatchObject({ objects: 0, events: 0, journal: 0 });
      const put = (id: string, read: number, size: number) => ({
        ...{ collection: 'things', id, read, version: read + 1 },
        json: JSON.stringify('x'.repeat(size)),
      });
      const event = { id: 'e1', topic: 't', key: 'k', json: JSON.stringify('x'.repeat(20 * KIB)), subscribers: [] };
      await store.commit(world, aPlan({ put: [put('a', 0, 100 * KIB), put('b', 0, 10 * KIB)], events: [event] }));
      await store.commit(world, aPlan({ put: [put('a', 1, KIB)] }));
      await store.drain(world, { token: 'relay' });
      await store.drain(world, { token: 'relay', sent: ['e1'] });
      adapter.control.journal(world, aHop({ bodies: JSON.stringify('x'.repeat(30 * KIB)) }));
      await adapter.worlds.journalOf(world);
      const after = (await listed(adapter, 'r')).current?.contents;
      expect(after).toMatchObject({ objects: 2, events: 1, journal: 1 });
      const grown = Number(after?.bytes) - Number(before?.bytes);
      expect(grown).toBeGreaterThan(60 * KIB);
      expect(grown).toBeLessThan(70 * KIB);
    });

    test('includes its seed', async () => {
      const objects = { things: [{ id: 'a', version: 1, json: JSON.stringify('x'.repeat(10 * KIB)) }] };
      const { adapter } = await opened({ ...EMPTY, applications: { oms: { objects, unique: {}, index: {}, counters: {} } } });
      const contents = (await listed(adapter, 'r')).current?.contents;
      expect(contents?.objects).toBe(1);
      expect(contents?.bytes).toBeGreaterThan(10 * KIB);
    });
  });

  describe('claims', () => {
    const ANSWER = JSON.stringify('x'.repeat(KIB));
    const bytes = async (adapter: StoreAdapter) => Number((await listed(adapter, 'r')).current?.contents.bytes);

    async function finished(store: Store, world: World, key: string, now: number): Promise<void> {
      const claim = await store.claim(world, { key, fingerprint: 'f', now, leaseMs: 1_000 });
      if (claim.is !== 'ours') throw new Error(`${key} is ${claim.is}.`);
      const outcome = { json: ANSWER, keepUntil: now + CLAIM_KEPT_MS };
      await store.commit(world, aPlan({ fence: { kind: 'claim', key, token: claim.token }, outcome }));
    }

    test('are removed after they expire, some with each new claim, even after a long jump of time', async () => {
      const { adapter, store, world } = await opened();
      const before = await bytes(adapter);
      for (const key of times(150, (n) => `k${n}`)) await finished(store, world, key, 1_000);
      expect((await bytes(adapter)) - before).toBeGreaterThan(150 * KIB);
      expect(await store.claim(world, { key: 'k0', fingerprint: 'f', now: 1_000 + CLAIM_KEPT_MS - 1, leaseMs: 1_000 })).toMatchObject({
        is: 'done',
      });
      for (const key of ['late-1', 'late-2'])
        await store.claim(world, { key, fingerprint: 'f', now: 1_000 + CLAIM_KEPT_MS, leaseMs: 1_000 });
      expect((await bytes(adapter)) - before).toBeLessThan(KIB);
      expect(await store.claim(world, { key: 'k0', fingerprint: 'another', now: 1_000 + CLAIM_KEPT_MS, leaseMs: 1_000 })).toMatchObject({
        is: 'ours',
        since: 1_000 + CLAIM_KEPT_MS,
      });
    });

    test('that are still held stay, although the clock was advanced past their end', async () => {
      const { store, world } = await opened();
      const held = await store.claim(world, { key: 'held', fingerprint: 'f', now: 1_000, leaseMs: 60_000 });
      const released = await store.claim(world, { key: 'released', fingerprint: 'f', now: 1_000, leaseMs: 60_000 });
      if (held.is !== 'ours' || released.is !== 'ours') throw new Error('The claims have another holder.');
      await store.release(world, 'released', released.token);
      const later = 1_000 + 2 * CLAIM_KEPT_MS;
      await store.claim(world, { key: 'other', fingerprint: 'f', now: later, leaseMs: 1_000 });
      expect(await store.claim(world, { key: 'held', fingerprint: 'f', now: later, leaseMs: 1_000 })).toMatchObject({ is: 'running' });
      expect(await store.claim(world, { key: 'released', fingerprint: 'f', now: later, leaseMs: 1_000 })).toMatchObject({
        is: 'ours',
        since: later,
      });
      const commit = aPlan({ fence: { kind: 'claim', key: 'held', token: held.token }, outcome: { json: '"x"', keepUntil: later + 1 } });
      expect(await store.commit(world, commit)).toMatchObject({ ok: true });
    });
  });
}
