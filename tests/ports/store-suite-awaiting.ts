import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Application } from '../../shared/catalog/applications.ts';
import type { World } from '../../shared/domain/world.ts';
import type { RequeuedAt, RequeuedParked } from '../../shared/store/ports/clock.ts';
import { BACKOFF_MS, DELIVER_AGAIN, PROBE_MS } from '../../shared/store/ports/due-work.ts';
import type { Store, StoreAdapter } from '../../shared/store/ports/estate-store.ts';
import { aPlan } from './a-plan.ts';

const NOW = 1_000;
const LEASE_MS = 60_000;
const EVENT = { id: 'e1', topic: 't', key: 'k', json: '{"id":"e1","correlationid":"story"}' };

type Opened = () => Promise<{ readonly adapter: StoreAdapter; readonly store: Store; readonly world: World }>;

const timer = (key: string, more: { readonly at?: number; readonly awaits?: Application } = {}) => ({
  kind: 'timer',
  key,
  at: NOW,
  payload: '1',
  correlationId: 'c',
  ...more,
});

/** Contract of due work that waits for an application that was away. */
export function awaitingSuite(opened: Opened): void {
  /** A world at rest at 1,000. */
  async function resting() {
    const scene = await opened();
    const { worlds } = scene.adapter;
    const { world, store } = scene;
    await worlds.setClock(world, { now: NOW, flowing: false });
    const lease = async (upTo = NOW, token: string = randomUUID()) => {
      const item = await worlds.leaseNext(world, { upTo, token, leaseMs: LEASE_MS });
      if (!item) throw new Error('nothing due');
      return { item, token };
    };
    /** The lowest item runs and fails. */
    const fail = async (then: RequeuedAt | RequeuedParked, upTo = NOW) => {
      const { item, token } = await lease(upTo);
      await worlds.requeue(world, item, token, then);
      return item;
    };
    /** The lowest item runs and ends. */
    const run = async (plan: Parameters<typeof aPlan>[0] = {}, upTo = NOW) => {
      const { item, token } = await lease(upTo);
      const key = `${item.application}|${item.kind}|${item.key}`;
      expect(await store.commit(world, aPlan({ fence: { kind: 'due', key, token }, ...plan }))).toMatchObject({ ok: true });
      return item;
    };
    const ledger = () => worlds.ledger(world);
    const awaiting = async () => (await ledger()).awaiting.map(({ key, at, attempts, awaits }) => ({ key, at, attempts, awaits }));
    const due = async () => (await ledger()).next;
    return { ...scene, worlds, lease, fail, run, ledger, awaiting, due };
  }

  describe('work that awaits an application', () => {
    test('is listed with its application and its next attempt, and keeps both while it is leased and released', async () => {
      const { world, store, worlds, fail, lease, awaiting } = await resting();
      await store.commit(world, aPlan({ due: [timer('a'), timer('b', { at: 9_000, awaits: 'fms' })] }));
      await fail({ at: 5_000, attempts: 3, awaits: 'sim' });
      const listed = [
        { key: 'a', at: 5_000, attempts: 3, awaits: 'sim' },
        { key: 'b', at: 9_000, attempts: 0, awaits: 'fms' },
      ];
      expect(await awaiting()).toEqual(listed);
      const { item, token } = await lease(5_000);
      expect(item).toMatchObject(listed[0] ?? {});
      await store.releaseDue(world, { kind: 'timer', key: 'a', token });
      expect(await awaiting()).toEqual(listed);
      expect((await worlds.snapshot(world)).due.filter((one) => 'awaits' in one)).toEqual([]);
    });

    test('is due at once, in order and from its first attempt, when one of it ends: at the same application only', async () => {
      const { world, store, fail, run, awaiting, lease } = await resting();
      await store.commit(world, aPlan({ due: [timer('a'), timer('b'), timer('c'), timer('other')] }));
      for (const awaits of ['sim', 'sim', 'sim', 'fms'] as const) await fail({ at: 5_000, attempts: 9, awaits });
      expect((await run({}, 5_000)).key).toBe('a');
      expect(await awaiting()).toEqual([{ key: 'other', at: 5_000, attempts: 9, awaits: 'fms' }]);
      const woken = [(await lease()).item, (await lease()).item];
      expect(woken.map(({ key, at, attempts, awaits }) => [key, at, attempts, awaits])).toEqual([
        ['b', NOW, 0, undefined],
        ['c', NOW, 0, undefined],
      ]);
      await expect(lease()).rejects.toThrow('nothing due');
    });

    test('goes on waiting when one of it makes a checkpoint, or puts itself off for the same application', async () => {
      const { world, store, fail, run, lease, awaiting } = await resting();
      await store.commit(world, aPlan({ due: [timer('a'), timer('b')] }));
      await fail({ at: 5_000, attempts: 1, awaits: 'sim' });
      await fail({ at: 6_000, attempts: 1, awaits: 'sim' });
      const { token } = await lease(5_000);
      await store.commit(world, aPlan({ fence: { kind: 'due', key: 'oms|timer|a', token }, last: false }));
      await store.releaseDue(world, { kind: 'timer', key: 'a', token });
      await run({ due: [timer('a', { at: 7_000, awaits: 'sim' })] }, 5_000);
      expect((await awaiting()).map(({ key, at }) => [key, at]).toSorted()).toEqual([
        ['a', 7_000],
        ['b', 6_000],
      ]);
    });

    test('is due at once when one of it fails for another reason', async () => {
      const { world, store, fail, awaiting, due } = await resting();
      await store.commit(world, aPlan({ due: [timer('a'), timer('b')] }));
      await fail({ at: 5_000, attempts: 1, awaits: 'sim' });
      await fail({ at: 6_000, attempts: 1, awaits: 'sim' });
      await fail({ at: 7_000, attempts: 2 }, 5_000);
      expect(await awaiting()).toEqual([]);
      expect(await due()).toMatchObject({ key: 'b', at: NOW, attempts: 0 });
    });

    test('is due at once when a fault is removed or replaced, but not when another one is set', async () => {
      const { world, store, worlds, fail, awaiting } = await resting();
      const put = async () => {
        await store.commit(world, aPlan({ due: [timer('a')] }));
        await fail({ at: 5_000, attempts: 1, awaits: 'sim' });
      };
      await put();
      await worlds.setFault(world, 'f', '{}');
      expect(await awaiting()).toHaveLength(1);
      expect(await worlds.removeFault(world, 'none')).toBe(false);
      expect(await awaiting()).toHaveLength(1);
      for (const change of [
        () => worlds.setFault(world, 'f', '{"changed":true}'),
        () => worlds.removeFault(world, 'f'),
        async () => {
          await worlds.setFault(world, 'g', '{}');
          await worlds.removeFault(world);
        },
      ]) {
        await put();
        await change();
        expect(await awaiting()).toEqual([]);
        expect((await worlds.leaseNext(world, { upTo: NOW, token: 't', leaseMs: 0 }))?.key).toBe('a');
        await store.commit(world, aPlan({ due: [{ ...timer('a'), at: null }] }));
      }
    });

    test('is parked visibly after its last attempt and stays due, more rarely, until it is taken up again', async () => {
      const { world, store, worlds, fail, run, ledger, due } = await resting();
      const parkBoth = async () => {
        await store.commit(world, aPlan({ due: [timer('a'), timer('b')] }));
        await fail({ parked: 'sim cannot be reached', awaits: 'sim' });
        await fail({ parked: 'sim cannot be reached', awaits: 'sim' });
      };
      await parkBoth();
      expect((await ledger()).parked).toMatchObject([
        { what: 'due', key: 'oms|timer|a', error: 'sim cannot be reached', at: NOW },
        { what: 'due', key: 'oms|timer|b' },
      ]);
      expect(await due()).toMatchObject({ key: 'a', at: NOW + PROBE_MS, attempts: BACKOFF_MS.length, awaits: 'sim' });
      await run({}, NOW + PROBE_MS);
      expect(await ledger()).toMatchObject({ parked: [], awaiting: [], next: { key: 'b', at: NOW, attempts: 0 } });
      await run();
      await parkBoth();
      await worlds.setFault(world, 'f', '{}');
      await worlds.removeFault(world, 'f');
      expect(await ledger()).toMatchObject({ parked: [], awaiting: [], next: { key: 'a', at: NOW } });
    });

    test('that is parked is redriven for one attempt, and is no longer parked when it is cancelled', async () => {
      const { world, store, worlds, fail, ledger } = await resting();
      await store.commit(world, aPlan({ due: [timer('a'), timer('b')] }));
      await fail({ parked: 'away', awaits: 'sim' });
      await fail({ parked: 'away', awaits: 'sim' });
      const again = { what: 'due', key: 'oms|timer|a' } as const;
      expect(await worlds.redrive(world, [again])).toEqual([again]);
      expect(await ledger()).toMatchObject({
        parked: [{ key: 'oms|timer|b' }],
        next: { key: 'a', at: NOW, attempts: BACKOFF_MS.length, awaits: 'sim' },
      });
      await store.commit(world, aPlan({ due: [{ ...timer('b'), at: null }] }));
      expect((await ledger()).parked).toEqual([]);
    });

    test('counts the attempts with which it was scheduled', async () => {
      const { world, store, due } = await resting();
      await store.commit(world, aPlan({ due: [{ ...timer('a'), attempts: 4 }] }));
      expect((await due())?.attempts).toBe(4);
    });
  });

  describe('a delivery that is put off', () => {
    async function putOff() {
      const scene = await resting();
      const { world, store, adapter } = scene;
      await store.commit(world, aPlan({ events: [{ ...EVENT, subscribers: ['crm', 'fms'] }] }));
      const crm = adapter.store('crm');
      await crm.putOff(world, 'crm|e1', { event: { id: 'e1', json: EVENT.json, hop: 'req_1' }, at: 5_000, awaits: 'sim' });
      return { ...scene, crm };
    }

    test('is owed, and the world does not wait for it', async () => {
      const { world, crm, worlds, ledger } = await putOff();
      expect(await ledger()).toMatchObject({
        pending: ['fms|e1'],
        parked: [],
        counts: { pending: 1 },
        awaiting: [{ application: 'crm', kind: DELIVER_AGAIN, key: 'e1', at: 5_000, attempts: 1, awaits: 'sim', correlationId: 'story' }],
        next: { payload: { id: 'e1', json: EVENT.json } },
      });
      expect(await crm.isPending(world, 'crm|e1')).toBe(true);
      expect((await worlds.eventWork(world, 'e1')).pending.toSorted()).toEqual(['crm', 'fms']);
      expect((await worlds.snapshot(world)).due).toEqual([]);
    });

    test('is put off again, parked as a delivery, redriven and consumed once', async () => {
      const { world, crm, worlds, fail, ledger } = await putOff();
      await fail({ at: 9_000, attempts: 2, awaits: 'sim' }, 5_000);
      expect(await ledger()).toMatchObject({ pending: ['fms|e1'], awaiting: [{ at: 9_000, attempts: 2 }] });
      await fail({ parked: 'away', awaits: 'sim' }, 9_000);
      expect(await ledger()).toMatchObject({
        pending: ['fms|e1'],
        parked: [{ what: 'delivery', key: 'crm|e1', error: 'away' }],
        next: { at: NOW + PROBE_MS },
      });
      const again = { what: 'delivery', key: 'crm|e1', event: EVENT } as const;
      expect(await worlds.redrive(world, [again])).toEqual([again]);
      expect(await ledger()).toMatchObject({ parked: [], next: { key: 'e1', at: NOW } });
      const consume = () => crm.commit(world, aPlan({ fence: { kind: 'delivery', key: 'crm|e1' } }));
      expect([await consume(), await consume()]).toMatchObject([{ ok: true }, { ok: false, why: 'held' }]);
      await fail({ parked: 'away', awaits: 'sim' });
      expect(await ledger()).toMatchObject({ pending: ['fms|e1'], parked: [], awaiting: [], next: undefined });
    });

    test('is pending and due at once when its application is back', async () => {
      const { world, worlds, store, run, ledger } = await putOff();
      await store.commit(world, aPlan({ due: [timer('a', { awaits: 'sim' })] }));
      await run();
      expect(await ledger()).toMatchObject({ awaiting: [], next: { application: 'crm', kind: DELIVER_AGAIN, at: NOW, attempts: 0 } });
      expect((await worlds.ledger(world)).pending.toSorted()).toEqual(['crm|e1', 'fms|e1']);
    });

    test('is not put off after it was consumed', async () => {
      const { world, crm, ledger } = await putOff();
      await crm.commit(world, aPlan({ fence: { kind: 'delivery', key: 'crm|e1' } }));
      await crm.putOff(world, 'crm|e1', { event: { id: 'e1', json: EVENT.json }, at: 7_000, awaits: 'sim' });
      expect((await ledger()).next).toMatchObject({ at: 5_000 });
    });
  });
}
