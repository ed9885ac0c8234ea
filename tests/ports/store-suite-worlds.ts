import { describe, expect, test } from '@jest/globals';
import { MOST_STRUCK } from '../../shared/catalog/control/faults.ts';
import { DEFAULT_PROGRESSION } from '../../shared/catalog/control/progression.ts';
import { MOST_FAULTS } from '../../shared/store/ports/faults.ts';
import { CLAIM_KEPT_MS } from '../../shared/store/ports/plan.ts';
import { dueFence, event, moving, OK, PAGE, putting, timer } from './a-plan.ts';
import { CREDENTIALS, EMPTY, type Opened, times } from './open-store.ts';

export function worldSuite(opened: Opened): void {
  describe('worlds', () => {
    test('A reset switches to a fresh world and keeps the credentials; late commits write to the old one, which has no clock', async () => {
      const { worlds, store, world, commit } = await opened();
      await commit({ put: [putting('a')] });
      const fresh = await worlds.open('r', EMPTY, { bearer: 'x', apiKey: 'x', webhookSecret: 'x' });
      expect(await worlds.resolve('r')).toMatchObject({ world: fresh, credentials: CREDENTIALS });
      expect([await worlds.current(world), await worlds.status(world)]).toEqual([undefined, undefined]);
      await commit({ put: [putting('late')] });
      expect(await store.all(fresh, 'things', PAGE)).toEqual([]);
    });

    test('A world keeps its own data, and neither its seed nor what is read from it has the data', async () => {
      const { worlds, world } = await opened();
      const data = { products: [{ sku: 'kettle' }] };
      const own = await worlds.open('r', { ...EMPTY, data }, CREDENTIALS);
      expect([await worlds.ownData(own), await worlds.ownData(world)]).toEqual([data, undefined]);
      expect([await worlds.seed(own), await worlds.data(own)]).not.toContainEqual(expect.objectContaining({ data }));
      const fresh = await worlds.replace('r', EMPTY);
      expect(fresh && (await worlds.ownData(fresh))).toBeUndefined();
    });

    test('A world with a seed and a start stands at the start, and keeps both; another world has neither and flows', async () => {
      const { worlds, world } = await opened();
      const beginning = { seed: 'ä “\n~ ', startsAt: 5_000 };
      await worlds.open('begun', { ...EMPTY, now: 5_000, beginning }, CREDENTIALS);
      expect(await worlds.resolve('begun')).toMatchObject({ ...beginning, now: 5_000, flowing: false });
      const view = await worlds.current(world);
      expect([view?.seed, view?.startsAt, view?.flowing]).toEqual([undefined, undefined, true]);
    });

    test('The view of a world names the last commit that changed reference data, and neither a refused one nor a commit of other data', async () => {
      const { worlds, world, commit } = await opened();
      const named = async () => (await worlds.current(world))?.reference;
      expect(await named()).toBeUndefined();
      await commit({ operation: 'first', put: [putting('a')], changesReference: true });
      await commit({ operation: 'other', put: [putting('b')], changesReference: false });
      expect(await named()).toBe('first');
      expect(await commit({ operation: 'stale', put: [putting('a')], changesReference: true })).toMatchObject({
        ok: false,
        why: 'version',
      });
      expect(await named()).toBe('first');
      await commit({ operation: 'second', put: [putting('a', 1)], changesReference: true });
      expect((await worlds.resolve('r'))?.reference).toBe('second');
      await worlds.open('r', EMPTY, CREDENTIALS);
      expect((await worlds.resolve('r'))?.reference).toBeUndefined();
    });

    test('Numbers count each name of a world from 1, and concurrent calls never get the same', async () => {
      const { worlds, world } = await opened();
      const other = await worlds.open('other', EMPTY, CREDENTIALS);
      const found = await Promise.all(times(20, () => worlds.nextNumber(world, 'a')));
      expect(found.toSorted((a, b) => a - b)).toEqual(times(20, (n) => n + 1));
      expect([await worlds.nextNumber(world, 'b'), await worlds.nextNumber(other, 'a')]).toEqual([1, 1]);
    });

    test('A revoked token stays revoked until its end, in its world alone', async () => {
      const { worlds, world, standAt } = await opened();
      await standAt(1_000);
      const token = { world, id: 'revoked', endsAt: 5_000 };
      for (let time = 0; time < 2; time++) await worlds.revokeToken(token);
      expect([await worlds.isTokenRevoked(token), await worlds.isTokenRevoked({ world, id: 'another' })]).toEqual([true, false]);
      const fresh = await worlds.open('r', EMPTY, CREDENTIALS);
      expect(await worlds.isTokenRevoked({ world: fresh, id: 'revoked' })).toBe(false);
      await worlds.revokeToken({ world: 'r~01ARZ3NDEKTSV4RRFFQ69G5FAV', id: 'late', endsAt: 5_000 });
      expect(await worlds.isTokenRevoked({ world: 'r~01ARZ3NDEKTSV4RRFFQ69G5FAV', id: 'late' })).toBe(false);
    });

    test('A revocation is forgotten when the token has expired', async () => {
      const { worlds, world, standAt } = await opened();
      await standAt(1_000);
      await worlds.revokeToken({ world, id: 'early', endsAt: 5_000 });
      await standAt(5_000);
      await worlds.revokeToken({ world, id: 'later', endsAt: 9_000 });
      expect([await worlds.isTokenRevoked({ world, id: 'early' }), await worlds.isTokenRevoked({ world, id: 'later' })]).toEqual([
        false,
        true,
      ]);
    });

    test('A generation of tokens begins once, in its world alone', async () => {
      const { worlds, world } = await opened();
      const expiryOf = async () => (await worlds.resolve('r'))?.tokenExpiry;
      expect(await expiryOf()).toBeUndefined();
      await worlds.expireTokens(world, { generation: 1, at: 1_000 });
      await worlds.expireTokens(world, { generation: 1, at: 2_000 });
      expect(await expiryOf()).toEqual({ generation: 1, at: 1_000 });
      await worlds.expireTokens(world, { generation: 2, at: 3_000 });
      expect(await expiryOf()).toEqual({ generation: 2, at: 3_000 });
      await worlds.open('r', EMPTY, CREDENTIALS);
      expect(await expiryOf()).toBeUndefined();
      await worlds.expireTokens('r~01ARZ3NDEKTSV4RRFFQ69G5FAV', { generation: 1, at: 1_000 });
    });

    test('A token can be revoked in a world beyond its size', async () => {
      const { worlds, world, commit } = await opened(EMPTY, { worldBytes: 1_000 });
      await commit({ put: [putting('a', 0, 'x'.repeat(1_300))] });
      expect(await commit({ put: [putting('b')] })).toMatchObject({ ok: false, why: 'space' });
      await worlds.revokeToken({ world, id: 'revoked', endsAt: 900_000 });
      expect(await worlds.isTokenRevoked({ world, id: 'revoked' })).toBe(true);
    });

    test('A concurrent change of one member of a progression does not affect the other members', async () => {
      const { worlds, world } = await opened();
      const set = (members: Parameters<typeof worlds.setProgression>[1]) => worlds.setProgression(world, members);
      await Promise.all([set({ carrier: 'manual' }), set({ returns: 'immediate' }), set({})]);
      const progression = { ...DEFAULT_PROGRESSION, carrier: 'manual', returns: 'immediate' };
      expect(await set({})).toEqual(progression);
      expect((await worlds.current(world))?.progression).toEqual(progression);
    });
  });

  describe('the size of a world', () => {
    test('A world beyond its size and the reserve for started work refuses commits that enlarge it, and still ends work', async () => {
      const { worlds, commit, object, lease } = await opened(EMPTY, { worldBytes: 1_000 });
      await commit({ put: [putting('a', 0, 'x'.repeat(1_300))], due: [timer('x', 10)] });
      const size = (await worlds.resolve('r'))?.bytes ?? 0;
      expect(size).toBeGreaterThan(1_250);
      const refused = { ok: false, why: 'space', at: String(size) };
      expect(await commit({ put: [putting('b')] })).toEqual(refused);
      expect(await commit({ events: [event('e1')] })).toEqual(refused);
      expect(await object('b')).toBeUndefined();
      await lease(10);
      expect(await commit({ fence: dueFence('x'), events: [{ ...event('e2'), struck: true }] })).toMatchObject(OK);
      expect(await commit({ move: [moving(1)] })).toMatchObject(OK);
    });

    test('Ended claims count towards the size of a world until they are removed, and a renewed claim counts once', async () => {
      const { worlds, store, world, commit, claimed } = await opened();
      const bytes = async () => (await worlds.resolve('r'))?.bytes ?? 0;
      const before = await bytes();
      const grown = async () => (await bytes()) - before;
      const { token } = await claimed();
      expect(await grown()).toBe(0);
      await store.release(world, 'k', token);
      expect(await grown()).toBe(200);
      await store.release(world, 'k', (await claimed()).token);
      expect(await grown()).toBe(200);
      const fence = { kind: 'claim', key: 'k', token: (await claimed({ leaseMs: -CLAIM_KEPT_MS })).token } as const;
      await commit({ fence, outcome: { json: '12345', keepUntil: 2_000 } });
      expect(await grown()).toBe(205);
      await store.release(world, 'other', (await claimed({ key: 'other', now: 3_000 })).token);
      expect(await grown()).toBe(200);
    });
  });

  describe('faults', () => {
    test('A fault strikes at most its configured number of concurrent requests', async () => {
      const { control, world, setFault } = await opened();
      await setFault();
      const hits = await Promise.all(times(20, () => control.hit(world, 'f', 'requestId req_1', 3)));
      expect(hits.filter((hit) => hit !== undefined)).toHaveLength(3);
      expect((await control.faults(world)).rules).toMatchObject([{ name: 'f', hits: 3 }]);
    });

    test('A fault lists its last hits, oldest first, until it is set anew', async () => {
      const { control, world, setFault } = await opened();
      await setFault();
      for (let n = 1; n <= MOST_STRUCK + 5; n++) await control.hit(world, 'f', `eventId evt_${n}`);
      await control.hit(world, 'f', 'eventId evt_none', 1);
      const [found] = (await control.faults(world)).rules;
      expect(found?.struck).toEqual(times(MOST_STRUCK, (n) => `eventId evt_${n + 6}`));
      await setFault();
      expect((await control.faults(world)).rules).toMatchObject([{ hits: 0, struck: [] }]);
    });

    test('The matches of a fault are counted separately from its hits', async () => {
      const { control, world, setFault } = await opened();
      await setFault();
      const chances = await Promise.all(times(5, () => control.chance(world, 'f')));
      expect(chances.toSorted()).toEqual([1, 2, 3, 4, 5]);
      expect((await control.faults(world)).rules).toMatchObject([{ name: 'f', hits: 0 }]);
      await setFault();
      expect(await control.chance(world, 'f')).toBe(1);
    });

    test('A world has a limited number of faults, and at the limit a fault can be replaced', async () => {
      const { worlds, control, world, setFault } = await opened();
      expect(new Set(await Promise.all(times(MOST_FAULTS, (n) => setFault(`f${n}`))))).toEqual(new Set([true]));
      const { revision } = await control.faults(world);
      expect(await setFault('another')).toBe(false);
      expect((await control.faults(world)).revision).toBe(revision);
      expect(await setFault('f0')).toBe(true);
      await worlds.removeFault(world, 'f1');
      expect([await setFault('another'), await setFault('f1')]).toEqual([true, false]);
    });

    test('The revision of the faults is 0 without faults and rises with every change', async () => {
      const { worlds, world, setFault, faults } = await opened();
      expect(await faults()).toBe(0);
      await setFault('f');
      const first = await faults();
      await setFault('g');
      expect(await faults()).toBeGreaterThan(first);
      expect([await worlds.removeFault(world, 'f'), await worlds.removeFault(world, 'f')]).toEqual([true, false]);
      await worlds.removeFault(world);
      expect(await faults()).toBe(0);
    });
  });
}
