import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Application } from '../../shared/catalog/applications.ts';
import type { World } from '../../shared/domain/world.ts';
import { BACKOFF_MS, DELIVER_AGAIN, PROBE_MS, type RequeuedAt, type RequeuedParked } from '../../shared/store/ports/due-work.ts';
import type { Plan } from '../../shared/store/ports/plan.ts';
import { eventually } from '../support/eventually.ts';
import { keysOf, type Opened } from './open-store.ts';

const NOW = 1_000;
const EVENT = { id: 'e1', topic: 't', key: 'k', json: '{"id":"e1","correlationid":"story"}' };
const CONSUMING = { fence: { kind: 'delivery', key: 'crm|e1' } } as const;

const timer = (key: string, more: { readonly at?: number | null; readonly awaits?: Application; readonly attempts?: number } = {}) => ({
  kind: 'timer',
  key,
  at: NOW,
  payload: '1',
  correlationId: 'c',
  ...more,
});

export function awaitingSuite(opened: Opened): void {
  /** A settled world whose clock shows 1,000, with this due work. */
  async function resting(...due: readonly ReturnType<typeof timer>[]) {
    const open = await opened();
    const { worlds, world, commit, leased, ledger } = open;
    await open.standAt(NOW);
    if (due.length > 0) await commit({ due });
    const next = async (upTo = NOW, token: string = randomUUID()) => ({ item: await leased(upTo, token), token });
    return {
      ...open,
      next,
      /** The lowest item runs and fails. */
      fail: async (then: RequeuedAt | RequeuedParked, upTo?: number) => {
        const { item, token } = await next(upTo);
        await worlds.requeue(world, item, token, then);
      },
      /** The lowest item runs and ends. */
      run: async (plan: Partial<Plan> = {}, upTo?: number) => {
        const { item, token } = await next(upTo);
        const key = `${item.application}|${item.kind}|${item.key}`;
        expect(await commit({ fence: { kind: 'due', key, token }, ...plan })).toMatchObject({ ok: true });
        return item;
      },
      awaiting: async () => (await ledger()).awaiting.map(({ key, at, attempts, awaits }) => ({ key, at, attempts, awaits })),
      redrive: async (again: Parameters<typeof worlds.redrive>[1][number]) => expect(await worlds.redrive(world, [again])).toEqual([again]),
    };
  }

  describe('work that awaits an application', () => {
    test('Awaiting work is listed with its application and its next attempt, and keeps both while it is leased and released', async () => {
      const { world, store, worlds, fail, next, awaiting } = await resting(timer('a'), timer('b', { at: 9_000, awaits: 'fms' }));
      await fail({ at: 5_000, attempts: 3, awaits: 'sim' });
      const listed = [
        { key: 'a', at: 5_000, attempts: 3, awaits: 'sim' },
        { key: 'b', at: 9_000, attempts: 0, awaits: 'fms' },
      ];
      expect(await awaiting()).toEqual(listed);
      const { item, token } = await next(5_000);
      expect(item).toMatchObject(listed[0] ?? {});
      await store.releaseDue(world, { kind: 'timer', key: 'a', token });
      expect(await awaiting()).toEqual(listed);
      expect((await worlds.data(world)).due.filter((one) => 'awaits' in one)).toEqual([]);
    });

    test('Awaiting work is due immediately, in order and from its first attempt, when work for the same application ends', async () => {
      const { fail, run, awaiting, next } = await resting(timer('a'), timer('b'), timer('c'), timer('other'));
      for (const awaits of ['sim', 'sim', 'sim', 'fms'] as const) await fail({ at: 5_000, attempts: 9, awaits });
      expect((await run({}, 5_000)).key).toBe('a');
      expect(await awaiting()).toEqual([{ key: 'other', at: 5_000, attempts: 9, awaits: 'fms' }]);
      const woken = [(await next()).item, (await next()).item];
      expect(woken.map(({ key, at, attempts, awaits }) => [key, at, attempts, awaits])).toEqual([
        ['b', NOW, 0, undefined],
        ['c', NOW, 0, undefined],
      ]);
      await expect(next()).rejects.toThrow('nothing due');
    });

    test('Awaiting work stays awaiting when work for its application makes a checkpoint or is deferred', async () => {
      const { world, store, commit, fail, run, next, awaiting } = await resting(timer('a'), timer('b'));
      await fail({ at: 5_000, attempts: 1, awaits: 'sim' });
      await fail({ at: 6_000, attempts: 1, awaits: 'sim' });
      const { token } = await next(5_000);
      await commit({ fence: { kind: 'due', key: 'oms|timer|a', token }, last: false });
      await store.releaseDue(world, { kind: 'timer', key: 'a', token });
      await run({ due: [timer('a', { at: 7_000, awaits: 'sim' })] }, 5_000);
      expect((await awaiting()).map(({ key, at }) => `${key} ${at}`).toSorted()).toEqual(['a 7000', 'b 6000']);
    });

    test('Awaiting work is due immediately when work for its application fails for another reason', async () => {
      const { fail, ledger } = await resting(timer('a'), timer('b'));
      await fail({ at: 5_000, attempts: 1, awaits: 'sim' });
      await fail({ at: 6_000, attempts: 1, awaits: 'sim' });
      await fail({ at: 7_000, attempts: 2 }, 5_000);
      expect(await ledger()).toMatchObject({ awaiting: [], next: { key: 'b', at: NOW, attempts: 0 } });
    });

    test('Awaiting work is due immediately when the process of its application has started, in every rehearsal', async () => {
      const one = await resting(timer('a'), timer('other'));
      await one.fail({ at: 5_000, attempts: 9, awaits: 'sim' });
      await one.fail({ at: 5_000, attempts: 9, awaits: 'fms' });
      const changes: World[] = [];
      const stop = one.worlds.watch((world) => changes.push(world));
      await one.worlds.noteReturn('sim');
      await eventually('the change is announced', async () => changes.includes(one.world));
      stop();
      expect(await one.awaiting()).toEqual([{ key: 'other', at: 5_000, attempts: 9, awaits: 'fms' }]);
      expect((await one.next()).item).toMatchObject({ key: 'a', at: NOW, attempts: 0 });
    });

    test('Awaiting work is due immediately when a fault is removed or replaced, but not when a new one is set', async () => {
      const { world, worlds, commit, setFault, fail, lease, awaiting } = await resting();
      const put = async () => {
        await commit({ due: [timer('a')] });
        await fail({ at: 5_000, attempts: 1, awaits: 'sim' });
      };
      await put();
      await setFault('f');
      expect(await awaiting()).toHaveLength(1);
      expect(await worlds.removeFault(world, 'none')).toBe(false);
      expect(await awaiting()).toHaveLength(1);
      for (const change of [
        () => setFault('f', '{"changed":true}'),
        () => worlds.removeFault(world, 'f'),
        () => setFault('g').then(() => worlds.removeFault(world)),
      ]) {
        await put();
        await change();
        expect(await awaiting()).toEqual([]);
        expect(await lease(NOW, 't', 0)).toMatchObject({ key: 'a' });
        await commit({ due: [timer('a', { at: null })] });
      }
    });

    test('Awaiting work is listed as parked after its last attempt, and retried at longer intervals until it succeeds', async () => {
      const { world, worlds, commit, setFault, fail, run, ledger } = await resting();
      const parkBoth = async () => {
        await commit({ due: [timer('a'), timer('b')] });
        for (const _of of ['a', 'b']) await fail({ parked: 'sim cannot be reached', awaits: 'sim' });
      };
      await parkBoth();
      expect(await ledger()).toMatchObject({
        parked: [{ what: 'due', key: 'oms|timer|a', error: 'sim cannot be reached', at: NOW }, { key: 'oms|timer|b' }],
        next: { key: 'a', at: NOW + PROBE_MS, attempts: BACKOFF_MS.length, awaits: 'sim' },
      });
      await run({}, NOW + PROBE_MS);
      expect(await ledger()).toMatchObject({ parked: [], awaiting: [], next: { key: 'b', at: NOW, attempts: 0 } });
      await run();
      await parkBoth();
      await setFault();
      await worlds.removeFault(world, 'f');
      expect(await ledger()).toMatchObject({ parked: [], awaiting: [], next: { key: 'a', at: NOW } });
    });

    test('Parked awaiting work is redriven for one attempt, and is no longer parked when it is cancelled', async () => {
      const { commit, fail, ledger, redrive } = await resting(timer('a'), timer('b'));
      for (const _of of ['a', 'b']) await fail({ parked: 'away', awaits: 'sim' });
      await redrive({ what: 'due', key: 'oms|timer|a' });
      const { parked, next } = await ledger();
      expect(keysOf(parked)).toEqual(['oms|timer|b']);
      expect(next).toMatchObject({ key: 'a', at: NOW, attempts: BACKOFF_MS.length, awaits: 'sim' });
      await commit({ due: [timer('b', { at: null })] });
      expect((await ledger()).parked).toEqual([]);
    });
  });

  describe('deferred deliveries', () => {
    async function postpone() {
      const open = await resting();
      const { world, crm } = open;
      await open.commit({ events: [{ ...EVENT, subscribers: ['crm', 'fms'] }] });
      const delay = (at: number) =>
        crm.postpone(world, 'crm|e1', { event: { id: 'e1', json: EVENT.json, hop: 'req_1' }, at, awaits: 'sim' });
      await delay(5_000);
      return { ...open, delay };
    }

    test('A deferred delivery is owed, and the world does not wait for it', async () => {
      const { world, crm, worlds, ledger } = await postpone();
      expect(await ledger()).toMatchObject({
        pending: ['fms|e1'],
        parked: [],
        counts: { pending: 1 },
        awaiting: [{ application: 'crm', kind: DELIVER_AGAIN, key: 'e1', at: 5_000, attempts: 1, awaits: 'sim', correlationId: 'story' }],
        next: { payload: { id: 'e1', json: EVENT.json } },
      });
      expect(await crm.isPending(world, 'crm|e1')).toBe(true);
      expect((await worlds.eventWork(world, 'e1')).pending.toSorted()).toEqual(['crm', 'fms']);
      expect((await worlds.data(world)).due).toEqual([]);
    });

    test('A deferred delivery can be deferred again, parked as a delivery, redriven and consumed once', async () => {
      const { crm, commit, fail, ledger, redrive } = await postpone();
      await fail({ at: 9_000, attempts: 2, awaits: 'sim' }, 5_000);
      expect(await ledger()).toMatchObject({ pending: ['fms|e1'], awaiting: [{ at: 9_000, attempts: 2 }] });
      await fail({ parked: 'away', awaits: 'sim' }, 9_000);
      const parked = [{ what: 'delivery', key: 'crm|e1', error: 'away' }];
      expect(await ledger()).toMatchObject({ pending: ['fms|e1'], parked, next: { at: NOW + PROBE_MS } });
      await redrive({ what: 'delivery', key: 'crm|e1', event: EVENT });
      expect(await ledger()).toMatchObject({ parked: [], next: { key: 'e1', at: NOW } });
      expect([await commit(CONSUMING, crm), await commit(CONSUMING, crm)]).toMatchObject([{ ok: true }, { ok: false, why: 'held' }]);
      await fail({ parked: 'away', awaits: 'sim' });
      expect(await ledger()).toMatchObject({ pending: ['fms|e1'], parked: [], awaiting: [], next: undefined });
    });

    test('A deferred delivery is pending and due immediately when its application is available again', async () => {
      const { commit, run, ledger } = await postpone();
      await commit({ due: [timer('a', { awaits: 'sim' })] });
      await run();
      const { pending, awaiting, next } = await ledger();
      expect([pending.toSorted(), awaiting]).toEqual([['crm|e1', 'fms|e1'], []]);
      expect(next).toMatchObject({ application: 'crm', kind: DELIVER_AGAIN, at: NOW, attempts: 0 });
    });

    test('A consumed delivery cannot be deferred', async () => {
      const { crm, commit, delay, ledger } = await postpone();
      await commit(CONSUMING, crm);
      await delay(7_000);
      expect((await ledger()).next).toMatchObject({ at: 5_000 });
    });
  });
}
