import { describe, expect, test } from '@jest/globals';
import { NEVER } from '../../shared/domain/time.ts';
import type { World } from '../../shared/domain/world.ts';
import { BACKOFF_MS, DELIVER_AGAIN, PUBLISH_WITHHELD_EVENT } from '../../shared/store/ports/due-work.ts';
import { eventually } from '../support/eventually.ts';
import { DELIVERY, dueFence, entry, event, NOT_HELD, OK, timer } from './a-plan.ts';
import { keysOf, type Opened, times } from './open-store.ts';

export function dueWorkSuite(opened: Opened): void {
  describe('due work', () => {
    test('Only due items are leased, in order of time, then of commit', async () => {
      const { commit, lease, ledger } = await opened();
      await commit({ due: [timer('late', 30), timer('b', 20)] });
      await commit({ due: [timer('a', 20)] });
      const leased = [await lease(25), await lease(25), await lease(25)];
      expect(leased.map((item) => item?.key)).toEqual(['b', 'a', undefined]);
      expect((await ledger()).next?.key).toBe('late');
    });

    test('An item with the same kind and key replaces the earlier item, even from its own run, and null cancels it', async () => {
      const { commit, lease, ledger } = await opened();
      await commit({ due: [timer('x', 10)] });
      await commit({ due: [timer('x', 20, '{"n":2}')] });
      expect((await ledger()).next).toMatchObject({ at: 20, payload: { n: 2 } });
      await lease(20);
      await commit({ fence: dueFence('x'), due: [timer('x', 40)] });
      expect((await ledger()).next).toMatchObject({ at: 40, attempts: 0 });
      await commit({ due: [timer('x', null)] });
      expect((await ledger()).next).toBeUndefined();
    });

    test('A leased item has one holder, whose last commit removes it, and whose checkpoint does not', async () => {
      const { store, world, commit, lease, ledger } = await opened();
      await commit({ due: [timer('x', 10)] });
      await lease(10);
      expect(await lease(10, 'other')).toBeUndefined();
      expect(await store.due(world, { kind: 'timer', key: 'x', token: 'other' })).toBeUndefined();
      expect(await commit({ fence: dueFence('x', 'other') })).toMatchObject(NOT_HELD);
      expect(await commit({ fence: dueFence('x'), last: false })).toMatchObject(OK);
      expect((await ledger()).running).toEqual(['oms|timer|x']);
      expect(await commit({ fence: dueFence('x') })).toMatchObject(OK);
      expect((await ledger()).running).toEqual([]);
    });

    test('An item that its holder releases can be leased immediately, unchanged, and only the holder can release it', async () => {
      const { store, world, commit, lease, ledger } = await opened();
      const mine = { kind: 'timer', key: 'x', token: 'mine' };
      await commit({ due: [{ ...timer('x', 10), lease: { token: 'mine', until: Date.now() + 60_000 } }] });
      const before = await store.due(world, mine);
      await store.releaseDue(world, { ...mine, token: 'other' });
      expect((await ledger()).running).toEqual(['oms|timer|x']);
      await store.releaseDue(world, mine);
      expect((await ledger()).running).toEqual([]);
      expect(await lease(10, 'next')).toEqual(before);
    });

    test('An abandoned item can be leased again, and its former holder can no longer finish it', async () => {
      const { commit, lease } = await opened();
      await commit({ due: [timer('x', 10)] });
      await lease(10, 'dead', 0);
      expect(await lease(10, 'alive')).toMatchObject({ key: 'x' });
      expect(await commit({ fence: dueFence('x', 'dead') })).toMatchObject(NOT_HELD);
    });

    test('Event deliveries of one application run one at a time and in order, while other work and other applications continue', async () => {
      const { worlds, world, commit, lease, crm } = await opened();
      const carrying = (key: string, at: number) => ({ ...timer(key, at), kind: PUBLISH_WITHHELD_EVENT });
      const next = async () => (await worlds.status(world))?.next?.key;
      await commit({ due: [carrying('e1', 10), carrying('e2', 11), timer('x', 12)] });
      await commit({ due: [carrying('c1', 13)] }, crm);
      const leased = [await lease(20, 't1'), await lease(20, 't2'), await lease(20, 't3'), await lease(20, 't4')];
      expect(leased.map((item) => item?.key)).toEqual(['e1', 'x', 'c1', undefined]);
      expect(await next()).toBeUndefined();
      await commit({ fence: { kind: 'due', key: `oms|${PUBLISH_WITHHELD_EVENT}|e1`, token: 't1' } });
      expect(await next()).toBe('e2');
      expect(await lease(20, 't5')).toMatchObject({ key: 'e2' });
    });

    test('Due work starts with the attempts and the occasion of its plan; failed, it is rescheduled with its attempts, or parked', async () => {
      const { worlds, world, commit, leased, ledger } = await opened();
      await commit({ due: [{ ...timer('x', 10), attempts: 4, occasion: 'first' }] });
      const first = await leased(10);
      expect(first).toMatchObject({ attempts: 4, occasion: 'first' });
      await worlds.requeue(world, first, 'mine', { at: 15, attempts: 5 });
      const second = await leased(15);
      expect(second).toMatchObject({ attempts: 5, occasion: 'first', seq: first.seq });
      await worlds.requeue(world, second, 'mine', { parked: 'broken' });
      expect(await ledger()).toMatchObject({ next: undefined, parked: [{ what: 'due', key: 'oms|timer|x', error: 'broken' }] });
    });
  });

  describe('running work', () => {
    const KEY = 'oms|timer|x';

    type Overtaken = Awaited<ReturnType<typeof overtaken>>;
    /** Starts an item, which its application cancels or replaces before it completes. */
    async function overtaken(by: 'cancelled' | 'replaced', leaseMs?: number) {
      const open = await opened();
      const { worlds, world, commit, leased, ledger } = open;
      await commit({ due: [timer('x', 10)] });
      const item = await leased(10, 'mine', leaseMs);
      await commit({ due: [timer('x', by === 'cancelled' ? null : 9_000)] });
      const running = async () => {
        const { running: names, counts } = await ledger();
        expect([counts.running, (await worlds.status(world))?.running]).toEqual([names.length, names.length]);
        return names;
      };
      return { ...open, item, running };
    }

    const endings = {
      'its last commit is refused': async ({ commit }: Overtaken) =>
        expect(await commit({ fence: dueFence('x') })).toEqual({ ...NOT_HELD, at: KEY }),
      'it fails': ({ worlds, world, item }: Overtaken) => worlds.requeue(world, item, 'mine', { at: 20, attempts: 1 }),
      'it is released': ({ store, world }: Overtaken) => store.releaseDue(world, { kind: 'timer', key: 'x', token: 'mine' }),
    };
    const cases = (['cancelled', 'replaced'] as const).flatMap((by) =>
      Object.entries(endings).map(([end, how]) => [by, end, how] as const),
    );
    test.each(cases)('An item that was %s counts as running until %s; watchers are notified', async (by, _end, how) => {
      const open = await overtaken(by);
      const changed: World[] = [];
      open.worlds.watch((one) => changed.push(one));
      expect(await open.running()).toEqual([KEY]);
      await how(open);
      expect(await open.running()).toEqual([]);
      expect((await open.ledger()).next?.at).toBe(by === 'cancelled' ? undefined : 9_000);
      await eventually('watchers are notified', async () => changed.includes(open.world));
    });

    test('A replaced item and its replacement both count as running while both run', async () => {
      const { lease, running } = await overtaken('replaced');
      await lease(9_000, 'yours');
      expect(await running()).toEqual([KEY, KEY]);
    });

    test('An item no longer counts as running after its lease has expired', async () => {
      const { worlds, world, ledger } = await overtaken('cancelled', 20);
      await eventually('its lease expires', async () => (await worlds.status(world))?.running === 0);
      expect((await ledger()).running).toEqual([]);
    });
  });

  describe('redriven work', () => {
    const stored = { ...entry('e1'), json: '{"id":"e1","correlationid":"story"}' };
    const AGAIN = { what: 'delivery', key: 'crm|e1', event: stored } as const;

    async function parkedDelivery() {
      const open = await opened();
      const { worlds, world, crm } = open;
      await open.standAt(1_000);
      await open.commit({ events: [{ ...stored, subscribers: ['crm'] }] });
      await crm.park(world, 'crm|e1', 'poison');
      return { ...open, redrive: () => worlds.redrive(world, [AGAIN]) };
    }

    test('A redriven delivery is pending and due immediately at its subscriber, with its event, and the data of the world exclude it', async () => {
      const { worlds, world, commit, ledger, lease, crm, redrive } = await parkedDelivery();
      expect(await redrive()).toEqual([AGAIN]);
      expect(await ledger()).toMatchObject({ parked: [], pending: ['crm|e1'] });
      expect((await worlds.data(world)).due).toEqual([]);
      expect(await lease(1_000)).toMatchObject({
        application: 'crm',
        kind: DELIVER_AGAIN,
        key: 'e1',
        correlationId: 'story',
        payload: stored,
      });
      expect(await commit({ fence: DELIVERY }, crm)).toMatchObject(OK);
    });

    test('Due work and a redriven delivery keep the hop that scheduled or published them', async () => {
      const { worlds, world, commit, drain, lease, standAt, crm } = await opened();
      await standAt(1_000);
      await commit({ events: [{ ...stored, subscribers: ['crm'], hop: 'req_2' }], due: [{ ...timer('a', 0), hop: 'req_1' }] });
      expect((await lease(1_000, 'one'))?.hop).toBe('req_1');
      expect((await drain('relay'))?.entries.map(({ hop }) => hop)).toEqual(['req_2']);
      await drain('relay', { sent: ['e1'] });
      expect(await worlds.events(world, 0, 1)).toEqual([{ ...stored, order: 1, hop: 'req_2' }]);
      await crm.park(world, 'crm|e1', 'poison');
      await worlds.redrive(world, [{ ...AGAIN, event: { ...stored, hop: 'req_2' } }]);
      expect((await lease(1_000, 'two'))?.hop).toBe('req_2');
      expect((await worlds.data(world)).due.filter((item) => 'hop' in item)).toEqual([]);
    });

    test('Parked work is redriven among more names than a command has arguments', async () => {
      const { worlds, world } = await parkedDelivery();
      const others = Array.from({ length: 50_000 }, (_, n) => ({ what: 'due', key: `oms|timer|none-${n}` }) as const);
      expect(await worlds.redrive(world, [...others, AGAIN])).toEqual([AGAIN]);
    });

    test('Of many concurrent redrives, one succeeds', async () => {
      const { worlds, world, redrive } = await parkedDelivery();
      expect((await Promise.all(times(10, redrive))).flat()).toHaveLength(1);
      expect(await worlds.redrive(world, [{ what: 'due', key: 'oms|timer|none' }])).toEqual([]);
    });

    test('A redriven delivery that fails is parked as a delivery again, unless it was consumed before', async () => {
      const { worlds, world, commit, ledger, leased, crm, redrive } = await parkedDelivery();
      const giveUp = async (token: string) => worlds.requeue(world, await leased(1_000, token), token, { parked: 'still poison' });
      await redrive();
      await giveUp('t1');
      const parked = [{ what: 'delivery', key: 'crm|e1', error: 'still poison' }];
      expect(await ledger()).toMatchObject({ pending: [], parked });
      await redrive();
      await commit({ fence: DELIVERY }, crm);
      await giveUp('t2');
      expect(await ledger()).toMatchObject({ pending: [], parked: [], next: undefined });
    });

    test('Redriven due work is due immediately with its payload, for one attempt', async () => {
      const { worlds, world, commit, ledger, lease, leased } = await parkedDelivery();
      await commit({ due: [timer('x', 10, '{"n":1}')] });
      const item = await leased(10);
      const error = 'two\nlines and "quotes"';
      await worlds.requeue(world, item, 'mine', { parked: error });
      expect((await ledger()).parked).toMatchObject([{ key: 'crm|e1' }, { error, at: 1_000 }]);
      await worlds.redrive(world, [{ what: 'due', key: 'oms|timer|x' }]);
      expect(await lease(1_000)).toEqual({ ...item, at: 1_000, seq: expect.any(Number), attempts: BACKOFF_MS.length });
      expect((await ledger()).parked).toMatchObject([{ key: 'crm|e1' }]);
    });

    test('Redriven due work does not replace work that the application has scheduled since', async () => {
      const { worlds, world, commit, ledger, leased } = await parkedDelivery();
      await commit({ due: [timer('x', 10)] });
      await worlds.requeue(world, await leased(10), 'mine', { parked: 'broken' });
      await commit({ due: [timer('x', 9_000)] });
      const again = { what: 'due', key: 'oms|timer|x' } as const;
      expect(await worlds.redrive(world, [again])).toEqual([again]);
      expect((await ledger()).next).toMatchObject({ key: 'x', at: 9_000 });
    });
  });

  describe('work withheld by faults', () => {
    const withheldTimer = (key: string, withheldBy = 'f', at = NEVER) => ({ ...timer(key, at), withheldBy });
    const withholding = (id: string, withheldAt?: number) => ({
      id,
      due: { ...withheldTimer(id), kind: PUBLISH_WITHHELD_EVENT, payload: JSON.stringify(entry(id)), withheldAt },
    });
    /** A world at rest with these faults and an outbox with these events, which a relay has leased. */
    async function faulty(faults: readonly string[], ...ids: readonly string[]) {
      const open = await opened();
      await open.standAt(1_000);
      for (const fault of faults) await open.setFault(fault);
      if (ids.length > 0) await open.commit({ events: ids.map((id) => event(id, 'crm')) });
      await open.drain('relay');
      return open;
    }

    test('A withheld event leaves the outbox, and its delivery is owed but not pending, until it is sent', async () => {
      const { world, drain, published, ledger, crm } = await faulty(['f'], 'e1', 'e2');
      expect(await drain('relay', { sent: ['e2'], withheld: [withholding('e1')] })).toBeUndefined();
      expect(await published()).toEqual(['e2']);
      const { unsent, pending, withheld, counts } = await ledger();
      expect([unsent, pending, counts]).toMatchObject([[], ['crm|e2'], { unsent: 0, pending: 1, withheld: 1 }]);
      expect(withheld).toMatchObject([{ application: 'oms', key: 'e1', withheldBy: 'f', at: NEVER, payload: entry('e1') }]);
      expect(await crm.isPending(world, 'crm|e1')).toBe(true);
      await drain('relay', { sent: [entry('e1')] });
      expect(await published()).toEqual(['e2', 'e1']);
      expect(await ledger()).toMatchObject({ withheld: [], pending: ['crm|e1', 'crm|e2'] });
    });

    test.each([
      ['deleted', 'f'],
      ['deleted with all others', undefined],
    ])('withheld work, which only its application sees, is due immediately when the fault is %s', async (_how, fault) => {
      const { adapter, worlds, store, world, commit, lease, ledger } = await faulty(['f']);
      await commit({ due: [withheldTimer('a'), withheldTimer('b', 'f', 5_000)] });
      expect(keysOf(await store.withheld(world, 'f'))).toEqual(['a', 'b']);
      expect(await adapter.store('sim').withheld(world, 'f')).toEqual([]);
      expect(await lease(4_999)).toBeUndefined();
      await worlds.removeFault(world, fault);
      expect((await ledger()).withheld).toEqual([]);
      expect([await lease(1_000), await lease(1_000)]).toMatchObject([
        { key: 'a', at: 1_000 },
        { key: 'b', at: 1_000 },
      ]);
    });

    test('Withheld work is due immediately when its fault is set again; work of other faults stays withheld', async () => {
      const { commit, ledger, setFault } = await faulty(['f', 'g']);
      await commit({ due: [withheldTimer('a'), withheldTimer('b', 'g')] });
      await setFault('f');
      const { withheld, next } = await ledger();
      expect([keysOf(withheld), next]).toMatchObject([['b'], { key: 'a', at: 1_000 }]);
    });

    test('A removed fault withholds nothing', async () => {
      const { commit, drain, ledger } = await faulty([], 'e1');
      await drain('relay', { withheld: [withholding('e1')] });
      await commit({ due: [withheldTimer('a', 'f', 5_000)] });
      const next = { kind: PUBLISH_WITHHELD_EVENT, key: 'e1', at: 1_000 };
      expect(await ledger()).toMatchObject({ withheld: [], next, pending: ['crm|e1'] });
    });

    test('Setting a fault again does not withhold events or work that the earlier fault released', async () => {
      const { commit, drain, ledger, setFault, faults } = await faulty(['f'], 'e1', 'e2');
      const before = await faults();
      await setFault();
      const now = await faults();
      await drain('relay', { withheld: [withholding('e1', before), withholding('e2', now)] });
      await commit({
        due: [
          { ...withheldTimer('a'), withheldAt: before },
          { ...withheldTimer('b'), withheldAt: now },
        ],
      });
      const { withheld, next } = await ledger();
      expect([keysOf(withheld), next]).toMatchObject([['e2', 'b'], { kind: PUBLISH_WITHHELD_EVENT, key: 'e1', at: 1_000 }]);
    });

    test('The data of a world exclude withheld events, and have other withheld work as due immediately', async () => {
      const { worlds, world, commit, drain } = await faulty(['f'], 'e1');
      await drain('relay', { withheld: [withholding('e1')] });
      await commit({ due: [withheldTimer('a')] });
      expect((await worlds.data(world)).due).toEqual([{ ...timer('a', 1_000), application: 'oms', payload: 1 }]);
    });
  });
}
