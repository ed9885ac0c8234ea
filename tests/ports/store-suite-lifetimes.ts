import { describe, expect, test } from '@jest/globals';
import type { World } from '../../shared/domain/world.ts';
import { CLAIM_KEPT_MS } from '../../shared/store/ports/plan.ts';
import type { NewRehearsal } from '../../shared/store/ports/rehearsals.ts';
import { eventually } from '../support/eventually.ts';
import { aHop } from './a-hop.ts';
import { CREDENTIALS, EMPTY, type Opened, times } from './open-store.ts';

const HOUR = 3_600_000;
const KIB = 1_024;
const text = (size: number) => JSON.stringify('x'.repeat(size));

export function lifetimeSuite(openedStore: Opened): void {
  /** A store with one rehearsal, `r`, which is kept, and the calls that create and read rehearsals. */
  async function opened(...how: Parameters<Opened>) {
    const open = await openedStore(...how);
    const { worlds } = open;
    const listed = async (name: string) => {
      const found = (await worlds.list()).find(({ rehearsal }) => rehearsal === name);
      if (!found) throw new Error(`${name} is not listed.`);
      return found;
    };
    return {
      ...open,
      create: (name: string, options: Partial<NewRehearsal> = {}) =>
        worlds.create(name, { from: () => EMPTY, credentials: CREDENTIALS, idleMs: HOUR, most: 100, ...options }),
      names: async () => (await worlds.list()).map(({ rehearsal }) => rehearsal),
      listed,
      contents: async () => {
        const { current } = await listed('r');
        return current?.contents ?? { objects: 0, events: 0, journal: 0, bytes: 0 };
      },
      /** Waits until the wall clock is later than the last use of a rehearsal. */
      later: async (name: string) => eventually('time passes', async () => Date.now() > (await listed(name)).lastUsedAt),
      /** Names of the rehearsals that end next. */
      ended: () =>
        eventually('a rehearsal ends', async () => {
          const ended = await worlds.expire();
          return ended.length > 0 && ended;
        }),
    };
  }

  describe('the record of a rehearsal', () => {
    test('The record of a rehearsal equals its entry in the list, reading it does not count as use, and it ends with the rehearsal', async () => {
      const { worlds, create, listed, later } = await opened();
      await create('other');
      const { lastUsedAt } = await listed('other');
      await later('other');
      const record = await worlds.record('other');
      expect(record).toMatchObject({ rehearsal: 'other', lastUsedAt, endsAt: lastUsedAt + HOUR });
      expect(record?.current?.contents).toEqual((await listed('other')).current?.contents);
      expect((await worlds.record('r'))?.endsAt).toBeNull();
      await worlds.remove('other');
      expect([await worlds.record('other'), await worlds.record('none')]).toEqual([undefined, undefined]);
    });
  });

  describe('the limit of rehearsals', () => {
    test('Of many concurrent creations of one rehearsal, one succeeds', async () => {
      const { worlds, create, names } = await opened();
      const outcomes = await Promise.all(times(5, (n) => create('new', { credentials: { ...CREDENTIALS, bearer: `b${n}` } })));
      const winner = outcomes.findIndex(({ is }) => is === 'created');
      expect(outcomes.filter(({ is }) => is === 'exists')).toHaveLength(4);
      const { world, credentials } = (await worlds.resolve('new')) ?? {};
      expect(outcomes[winner]).toEqual({ is: 'created', world });
      expect(credentials?.bearer).toBe(`b${winner}`);
      expect(await names()).toEqual(['r', 'new']);
    });

    test('A creation above the limit is refused, names the longest idle rehearsal, and seeds nothing', async () => {
      const { worlds, create, names, listed, later } = await opened();
      for (const name of ['first', 'second']) {
        await create(name);
        await later(name);
      }
      await worlds.use('first');
      const from = () => {
        throw new Error('It was seeded.');
      };
      const { lastUsedAt, endsAt } = await listed('second');
      expect(await create('third', { most: 3, from })).toEqual({
        is: 'too-many',
        longestIdle: { rehearsal: 'second', lastUsedAt, endsAt },
      });
      expect(endsAt).toBe(lastUsedAt + HOUR);
      expect(await names()).toEqual(['r', 'first', 'second']);
    });

    test('Kept rehearsals count towards the limit and are not named', async () => {
      const { create } = await opened();
      await create('kept', { idleMs: null });
      expect(await create('third', { most: 2 })).toEqual({ is: 'too-many' });
      await create('third');
      expect(await create('fourth', { most: 3 })).toMatchObject({ is: 'too-many', longestIdle: { rehearsal: 'third' } });
    });

    test('Concurrent creations never exceed the limit', async () => {
      const { create, names } = await opened();
      const outcomes = await Promise.all(times(20, (n) => create(`n${n}`, { most: 5 })));
      expect(outcomes.filter(({ is }) => is === 'created')).toHaveLength(4);
      expect(await names()).toHaveLength(5);
    });

    test('An existing rehearsal is opened at the limit, and removing one permits a new one', async () => {
      const { worlds, create } = await opened();
      expect(await create('new', { most: 2 })).toMatchObject({ is: 'created' });
      expect(await create('new', { most: 1 })).toEqual({ is: 'exists' });
      await worlds.remove('new');
      expect(await create('other', { most: 2 })).toMatchObject({ is: 'created' });
    });

    test('A reset does not recreate a rehearsal that was deleted during the reset', async () => {
      const { worlds, world, names } = await opened();
      expect(await worlds.replace('r', EMPTY)).not.toBe(world);
      await worlds.remove('r');
      expect([await worlds.replace('r', EMPTY), await worlds.resolve('r'), await names()]).toEqual([undefined, undefined, []]);
    });
  });

  describe('replacing the world of a rehearsal', () => {
    test('Replacing a world leaves a rehearsal with other credentials', async () => {
      const { worlds, create } = await opened();
      const created = await create('new', { credentials: { ...CREDENTIALS, bearer: 'new' } });
      expect(await worlds.replace('new', EMPTY, CREDENTIALS)).toBeUndefined();
      const { world, credentials } = (await worlds.resolve('new')) ?? {};
      expect(created).toEqual({ is: 'created', world });
      const fresh = await worlds.replace('new', EMPTY, credentials);
      expect([fresh === undefined, (await worlds.resolve('new'))?.world]).toEqual([false, fresh]);
    });
  });

  describe('ending a rehearsal', () => {
    test('An unused rehearsal ends after its idle time, while used and kept rehearsals stay', async () => {
      const { worlds, create, names, ended } = await opened();
      await create('brief', { idleMs: 20 });
      await create('long');
      expect(await ended()).toEqual(['brief']);
      expect(await names()).toEqual(['r', 'long']);
      expect([await worlds.resolve('brief'), await worlds.remove('brief'), await worlds.expire()]).toEqual([undefined, false, []]);
      expect(await create('brief')).toMatchObject({ is: 'created' });
    });

    test('Removing a world of a rehearsal leaves a later rehearsal of the same name, and a reset one', async () => {
      const { worlds, world, create, names } = await opened();
      await worlds.replace('r', EMPTY);
      expect(await worlds.remove('r', world)).toBe(false);
      const first = await create('again');
      await worlds.remove('again');
      const { world: later } = { world: undefined, ...(await create('again')) };
      expect(await worlds.remove('again', first.is === 'created' ? first.world : world)).toBe(false);
      expect([(await worlds.resolve('again'))?.world, await names()]).toEqual([later, ['r', 'again']]);
      expect([await worlds.remove('again', later), await worlds.resolve('again')]).toEqual([true, undefined]);
      expect(await worlds.remove('again', later)).toBe(false);
    });

    test('Using a rehearsal postpones its end', async () => {
      const { worlds, create, names, listed } = await opened();
      await create('used', { idleMs: 1_000 });
      const { endsAt } = await listed('used');
      await eventually('its end is later', async () => {
        expect(await worlds.use('used')).toBe(1_000);
        return Number((await listed('used')).endsAt) > Number(endsAt);
      });
      expect([await worlds.use('r'), await worlds.use('nobody')]).toEqual([null, null]);
      expect(await names()).toEqual(['r', 'used']);
    });

    test('A reset counts as use and keeps the idle time', async () => {
      const { worlds, create, listed, ended } = await opened();
      await create('reset', { idleMs: 20 });
      await worlds.replace('reset', EMPTY);
      const { lastUsedAt, endsAt } = await listed('reset');
      expect(endsAt).toBe(lastUsedAt + 20);
      expect(await ended()).toEqual(['reset']);
    });

    test('Watchers are notified when a world ends with its rehearsal, after a deletion and after a reset', async () => {
      const { worlds, world, create, ended } = await opened();
      await create('brief', { idleMs: 20 });
      const ending = (await worlds.resolve('brief'))?.world;
      const notified = new Set<World | undefined>();
      worlds.watch((changed) => notified.add(changed));
      await create('other');
      await eventually('the watcher is notified', async () => {
        await worlds.replace('other', EMPTY);
        return notified.size > 0;
      });
      const fresh = await worlds.replace('r', EMPTY);
      await eventually('the world before the reset is named', async () => notified.has(world));
      await worlds.remove('r');
      await eventually('the deleted world is named', async () => notified.has(fresh));
      await ended();
      await eventually('the idle world is named', async () => ending !== undefined && notified.has(ending));
      for (const one of [world, fresh, ending]) expect(one && (await worlds.status(one))).toBeUndefined();
    });

    test('An ended world is dropped soon, even among many worlds', async () => {
      const { worlds, store, create } = await opened(EMPTY, { dropAfterMs: 10 });
      const dropped: World[] = [];
      for (const name of times(25, (n) => `n${n}`)) {
        const one = await create(name);
        if (one.is === 'created') dropped.push(one.world);
        await worlds.remove(name);
      }
      expect(dropped).toHaveLength(25);
      for (const world of dropped) {
        const reading = () => store.object(world, 'c', 'i').then(String, ({ name }: Error) => name);
        await eventually('it is gone', async () => (await reading()) === 'WorldGone');
      }
    });
  });

  describe('the content of a world', () => {
    test('The content of a world is listed by counts: objects, events, journal records and roughly their bytes', async () => {
      const { control, worlds, world, commit, drain, contents } = await opened();
      const before = await contents();
      expect(before).toMatchObject({ objects: 0, events: 0, journal: 0 });
      const put = (id: string, read: number, size: number) => ({ collection: 'things', id, read, version: read + 1, json: text(size) });
      const event = { id: 'e1', topic: 't', key: 'k', json: text(20 * KIB), subscribers: [] };
      await commit({ put: [put('a', 0, 100 * KIB), put('b', 0, 10 * KIB)], events: [event] });
      await commit({ put: [put('a', 1, KIB)] });
      await drain('relay');
      await drain('relay', { sent: ['e1'] });
      control.journal(world, aHop({ bodies: text(30 * KIB) }));
      await worlds.journalOf(world);
      const after = await contents();
      expect(after).toMatchObject({ objects: 2, events: 1, journal: 1 });
      expect(after.bytes - before.bytes).toBeGreaterThan(60 * KIB);
      expect(after.bytes - before.bytes).toBeLessThan(70 * KIB);
    });

    test('The content of a world includes its seed', async () => {
      const objects = { things: [{ id: 'a', version: 1, json: text(10 * KIB) }] };
      const { contents } = await opened({ ...EMPTY, applications: { oms: { objects, unique: {}, index: {}, counters: {} } } });
      const { objects: count, bytes } = await contents();
      expect(count).toBe(1);
      expect(bytes).toBeGreaterThan(10 * KIB);
    });
  });

  describe('the lifetime of claims', () => {
    test('Claims are removed after they expire, some with each new claim, even after a long jump of time', async () => {
      const { commit, claim, claimed, contents } = await opened();
      const { bytes: before } = await contents();
      const grown = async () => (await contents()).bytes - before;
      const expiry = 1_000 + CLAIM_KEPT_MS;
      for (const key of times(150, (n) => `k${n}`)) {
        const { token } = await claimed({ key, leaseMs: -CLAIM_KEPT_MS });
        await commit({ fence: { kind: 'claim', key, token }, outcome: { json: text(KIB), keepUntil: expiry } });
      }
      expect(await grown()).toBeGreaterThan(150 * KIB);
      expect(await claim({ key: 'k0', now: expiry - 1 })).toMatchObject({ is: 'done' });
      for (const key of ['late-1', 'late-2']) await claim({ key, now: expiry });
      expect(await grown()).toBeLessThan(KIB);
      expect(await claim({ key: 'k0', fingerprint: 'another', now: expiry })).toMatchObject({ is: 'ours', since: expiry });
    });

    test('A claim of a running request stays when the clock is advanced past its expiry', async () => {
      const { store, world, commit, claim, claimed } = await opened();
      await store.release(world, 'released', (await claimed({ key: 'released', leaseMs: -CLAIM_KEPT_MS })).token);
      const held = await claimed({ key: 'held', now: 1_001 });
      const later = 1_000 + 2 * CLAIM_KEPT_MS;
      await claim({ key: 'other', now: later });
      expect(await claim({ key: 'held', now: later })).toMatchObject({ is: 'running' });
      expect(await claim({ key: 'released', now: later })).toMatchObject({ is: 'ours', since: later });
      const fence = { kind: 'claim', key: 'held', token: held.token } as const;
      expect(await commit({ fence, outcome: { json: '"x"', keepUntil: later + 1 } })).toMatchObject({ ok: true });
    });
  });
}
