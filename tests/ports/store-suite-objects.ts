import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { STATE_INDEX } from '../../shared/store/collections.ts';
import type { Plan } from '../../shared/store/ports/plan.ts';
import { WorldGone } from '../../shared/store/ports/rehearsals.ts';
import { aPlan, indexed, moving, OK, PAGE, putting, STALE } from './a-plan.ts';
import { idsOf, type Opened, times } from './open-store.ts';

export function objectSuite(opened: Opened): void {
  describe('objects', () => {
    test('A stored object is read back exactly, including empty arrays and 16-digit integers, by its application only', async () => {
      const { adapter, world, commit, object } = await opened();
      const json = '{"id":"a","list":[],"n":9007199254740991}';
      expect(await commit({ put: [putting('a', 0, json)] })).toMatchObject(OK);
      expect(await object('a')).toMatchObject({ id: 'a', version: 1, json });
      expect(await adapter.store('sim').object(world, 'things', 'a')).toBeUndefined();
    });

    test('A commit with an outdated version, of an object that it puts or only reads, is refused and changes nothing', async () => {
      const { commit, object, counter } = await opened();
      for (const read of [0, 1]) await commit({ put: [putting('a', read)] });
      const outdated = { collection: 'things', id: 'a', version: 1 };
      expect(await commit({ expect: [outdated], put: [putting('b')] })).toMatchObject(STALE);
      const refused = await commit({ put: [putting('b'), putting('a')], move: [moving(1)] });
      expect(refused).toEqual({ ...STALE, at: 'things/a' });
      expect([await object('b'), await counter('c', 'k')]).toEqual([undefined, {}]);
    });

    test('A repeated operation returns its first result and takes effect once', async () => {
      const { store, world, counter } = await opened();
      const plan = aPlan({ put: [putting('a')], move: [moving(5)] });
      const first = await store.commit(world, plan);
      expect(await store.commit(world, plan)).toEqual(first);
      expect(await counter('c', 'k')).toEqual({ f: 5 });
    });

    test.each([
      ['in order of creation', false, ['c', 'a'], ['b']],
      ['in reverse order of creation when the newest come first', true, ['b', 'a'], ['c']],
    ])('all objects are paged %s, regardless of later changes', async (_order, newestFirst, firstPage, secondPage) => {
      const { store, world, commit } = await opened();
      for (const id of ['c', 'a', 'b']) await commit({ put: [putting(id)] });
      await commit({ put: [putting('c', 1)] });
      const first = await store.all(world, 'things', { after: 0, limit: 2, newestFirst });
      const rest = await store.all(world, 'things', { after: first[1]?.order ?? 0, limit: 2, newestFirst });
      expect([idsOf(first), idsOf(rest)]).toEqual([firstPage, secondPage]);
    });

    test('The estate-wide view reads pages and counters as the application does', async () => {
      const { worlds, store, world, commit } = await opened();
      await commit({ put: [putting('a')], move: [moving(5)] });
      expect(await worlds.all(world, 'oms', 'things', PAGE)).toEqual(await store.all(world, 'things', PAGE));
      expect(await worlds.counters(world, 'oms', 'c', ['k', 'other'])).toEqual([{ f: 5 }, {}]);
    });
  });

  describe('uniques, indexes and states', () => {
    const THINGS = { application: 'oms', collection: 'things' } as const;

    test('A unique value belongs to one object until it is released; a second owner is refused and changes nothing', async () => {
      const { store, worlds, world, commit, object } = await opened();
      const owner = async (value: string) => (await store.unique(world, 'things', 'mail', value))?.id;
      const secondOwner = { put: [putting('b')], unique: [indexed('mail', 'b', 'x')] };
      await commit({ put: [putting('a')], unique: [indexed('mail', 'a', 'x')] });
      expect(await commit(secondOwner)).toMatchObject({ ok: false, why: 'unique' });
      expect([await object('b'), await owner('x')]).toEqual([undefined, 'a']);
      await commit({ put: [putting('a', 1)], unique: [indexed('mail', 'a', 'y', 'x')] });
      expect(await owner('x')).toBeUndefined();
      expect(await commit(secondOwner)).toMatchObject(OK);
      expect([await owner('x'), await owner('y')]).toEqual(['b', 'a']);
      expect((await worlds.unique(world, { ...THINGS, name: 'mail' }, 'x'))?.id).toBe('b');
    });

    test('An index is paged in both directions in order of creation, without objects that moved to another value', async () => {
      const { store, world, commit } = await opened();
      const page = (value: string, after = 0, limit = 5, newestFirst = false) =>
        store.index(world, 'things', 'kind', value, { after, limit, newestFirst });
      for (const id of ['b', 'a', 'c', 'd']) await commit({ put: [putting(id)], index: [indexed('kind', id, 'k')] });
      await commit({ put: [putting('a', 1)], index: [indexed('kind', 'a', 'other', 'k')] });
      expect([idsOf(await page('k')), idsOf(await page('other')), await page('nothing')]).toEqual([['b', 'c', 'd'], ['a'], []]);
      await commit({ put: [putting('a', 2)], index: [indexed('kind', 'a', 'k', 'other')] });
      const first = await page('k', 0, 2);
      expect([idsOf(first), idsOf(await page('k', first[1]?.order))]).toEqual([
        ['b', 'a'],
        ['c', 'd'],
      ]);
      const newest = await page('k', 0, 3, true);
      expect([idsOf(newest), idsOf(await page('k', newest[2]?.order, 3, true))]).toEqual([['d', 'c', 'a'], ['b']]);
      expect(await page('other', 0, 3, true)).toEqual([]);
      expect(await store.count(world, 'things', 'kind', ['k', 'other', 'nothing'])).toEqual([4, 0, 0]);
    });

    test('Objects are counted by state and listed newest first, and a changed object counts once, in its current state', async () => {
      const { worlds, world, commit } = await opened();
      for (const id of ['b', 'a', 'c']) await commit({ put: [putting(id)], index: [indexed(STATE_INDEX, id, 'open')] });
      await commit({ put: [putting('b', 1)], index: [indexed(STATE_INDEX, 'b', 'closed', 'open')] });
      const counted = { ...THINGS, states: ['open', 'closed', 'lost'] };
      const elsewhere = { application: 'sim', collection: 'others', states: ['open'] } as const;
      expect(await worlds.countObjects(world, [counted, { ...THINGS, states: [] }, elsewhere])).toEqual([
        { count: 3, states: [2, 1, 0] },
        { count: 3, states: [] },
        { count: 0, states: [0] },
      ]);
      const page = { after: 0, limit: 10, newestFirst: true };
      const open = await worlds.indexed(world, { ...THINGS, name: STATE_INDEX }, 'open', page);
      expect(idsOf(open)).toEqual(['c', 'a']);
      expect(await worlds.indexed(world, { ...THINGS, name: STATE_INDEX }, 'open', { ...page, after: open[0]?.order ?? 0 })).toEqual(
        open.slice(1),
      );
      expect(await worlds.indexed(world, { ...THINGS, name: STATE_INDEX }, 'lost', page)).toEqual([]);
    });

    test('Objects and counters of a dropped world can be neither counted nor read', async () => {
      const { worlds, store } = await opened();
      await expect(worlds.countObjects('gone~1', [{ ...THINGS, states: ['open'] }])).rejects.toThrow(WorldGone);
      await expect(store.object('gone~1', 'things', 'a')).rejects.toThrow(WorldGone);
      for (const keys of [[], ['k']]) await expect(store.counters('gone~1', 'c', keys)).rejects.toThrow(WorldGone);
    });
  });

  describe('counters', () => {
    const taking = (by: number): Partial<Plan> => ({
      move: [moving(by, 'reserved')],
      guard: [{ counter: 'c', key: 'k', terms: { onHand: 1, reserved: -1 } }],
    });
    const VIOLATED = { ok: false, why: 'guard' };

    test('The guard checks the sum of all moves of one key', async () => {
      const { commit, counter } = await opened();
      await commit({ move: [moving(2, 'onHand')] });
      expect(await commit({ ...taking(1), move: [moving(1, 'reserved'), moving(2, 'reserved')] })).toMatchObject(VIOLATED);
      expect(await counter('c', 'k')).toEqual({ onHand: 2 });
    });

    test('A violated guard does not block a move that improves the counter', async () => {
      const { commit } = await opened();
      await commit({ move: [moving(3, 'reserved')] });
      expect(await commit(taking(-1))).toMatchObject(OK);
      expect(await commit(taking(1))).toMatchObject(VIOLATED);
    });

    test('Of a hundred concurrent takes of the last unit, one succeeds', async () => {
      const { commit } = await opened();
      await commit({ move: [moving(1, 'onHand')] });
      const results = await Promise.all(times(100, () => commit(taking(1))));
      expect(results.filter(({ ok }) => ok)).toHaveLength(1);
    });

    test('Random takes and returns never violate the guard, and the counter is the sum of the accepted moves', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.integer({ min: -3, max: 5 }), { minLength: 1, maxLength: 40 }), async (amounts) => {
          const { commit, counter } = await opened();
          await commit({ move: [moving(7, 'onHand')] });
          let reserved = 0;
          for (const by of amounts) if ((await commit(taking(by))).ok) reserved += by;
          expect((await counter('c', 'k'))?.['reserved'] ?? 0).toBe(reserved);
          expect(reserved).toBeLessThanOrEqual(7);
        }),
        { numRuns: 50 },
      );
    });
  });
}
