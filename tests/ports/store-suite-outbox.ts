import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { NEVER } from '../../shared/domain/time.ts';
import { ACTIVE_WEBHOOKS, PUBLISH_WITHHELD_EVENT } from '../../shared/store/ports/due-work.ts';
import type { EventsAbout } from '../../shared/store/ports/objects.ts';
import { eventually } from '../support/eventually.ts';
import { aPlan, DELIVERY, dueFence, event, NOT_HELD, OK, PAGE, putting, timer } from './a-plan.ts';
import { EMPTY, idsOf, type Opened, times } from './open-store.ts';

export function outboxSuite(opened: Opened): void {
  describe('events for registered webhooks', () => {
    const { collection, index, value } = ACTIVE_WEBHOOKS;
    const TAKING = { application: 'gateway', kind: 'take-events', key: 'all', payload: null };
    const registering = (isActive: boolean, read = 0) => ({
      put: [{ collection, id: '1', read, version: read + 1, json: '{}' }],
      index: [{ collection, name: index, id: '1', value: isActive ? value : null, was: isActive ? null : value }],
    });
    const publish = async ({ commit, drain }: Awaited<ReturnType<Opened>>, id: string): Promise<void> => {
      await commit({ events: [event(id)] });
      await drain('relay');
      await drain('relay', { sent: [id] });
    };

    test('Published events schedule the work that takes them, in the same step, while a webhook is active', async () => {
      const rehearsal = await opened();
      const { adapter, commit, ledger } = rehearsal;
      const gateway = adapter.store('gateway');
      await publish(rehearsal, 'e1');
      await commit(registering(true), gateway);
      await commit(registering(false, 1), gateway);
      await publish(rehearsal, 'e2');
      expect((await ledger()).next).toBeUndefined();
      await commit(registering(true, 2), gateway);
      await publish(rehearsal, 'e3');
      expect((await ledger()).next).toMatchObject(TAKING);
    });

    test('Work that takes events and whose process died is leased again, and ends with its commit', async () => {
      const rehearsal = await opened();
      const { adapter, commit, lease, ledger } = rehearsal;
      await commit(registering(true), adapter.store('gateway'));
      await publish(rehearsal, 'e1');
      const later = Date.now() + 1_000_000;
      expect(await lease(later, 'dead', 1)).toMatchObject(TAKING);
      await eventually('the end of the lease', async () => (await lease(later, 'alive'))?.kind === 'take-events');
      const fence = { kind: 'due', key: 'gateway|take-events|all', token: 'alive' } as const;
      expect(await commit({ fence }, adapter.store('gateway'))).toMatchObject(OK);
      expect((await ledger()).next).toBeUndefined();
    });

    test('Events that are published while earlier ones are taken schedule the work again', async () => {
      const rehearsal = await opened();
      const { adapter, commit, leased, ledger } = rehearsal;
      await commit(registering(true), adapter.store('gateway'));
      await publish(rehearsal, 'e1');
      await leased(Date.now() + 1_000_000);
      await publish(rehearsal, 'e2');
      const fence = { kind: 'due', key: 'gateway|take-events|all', token: 'mine' } as const;
      expect(await commit({ fence }, adapter.store('gateway'))).toMatchObject(NOT_HELD);
      expect((await ledger()).next).toMatchObject(TAKING);
    });

    test('A seed keeps the records of the gateway', async () => {
      const dump = {
        objects: { webhooks: [{ id: '1', version: 1, json: '{}' }] },
        unique: {},
        index: { 'webhooks.active': [['yes', '1']] },
        counters: {},
      };
      const rehearsal = await opened({ now: 1_000, applications: { gateway: dump as never }, due: [] });
      expect(await rehearsal.adapter.store('gateway').object(rehearsal.world, 'webhooks', '1')).toMatchObject({ json: '{}' });
      await publish(rehearsal, 'e1');
      expect((await rehearsal.ledger()).next).toMatchObject(TAKING);
    });
  });

  describe('outbox', () => {
    test('Acknowledged events leave the outbox in order, with the mark of an earlier fault, and are listed from then on', async () => {
      const { worlds, world, commit, drain, drained, published } = await opened();
      await commit({ events: [event('e1'), { ...event('e2'), struck: true }] });
      const marks = (await drain('relay'))?.entries.map(({ id, struck }) => `${id} ${struck}`);
      expect([marks, await published()]).toEqual([['e1 undefined', 'e2 true'], []]);
      await commit({ events: [event('e3')] });
      expect(await drained('relay', { sent: ['e1', 'e2'] })).toEqual(['e3']);
      // A fault has duplicated the last event.
      expect(await drain('relay', { sent: ['e3', 'e3'] })).toBeUndefined();
      expect((await worlds.events(world, 0, 10)).map(({ id, order }) => `${order} ${id}`)).toEqual(['1 e1', '2 e2', '3 e3', '4 e3']);
      expect(await published(2)).toEqual(['e3', 'e3']);
    });

    test.each([
      ['as the estate writes them', { specversion: '1.0', id: 'e', source: 'urn:oms' }, { time: 'now', aggregateversion: 7 }],
      ['with their members in another sequence', { data: { type: 'other' } }, { extra: 'a "text"', time: 'now' }],
      ['whose head has an escape', { specversion: '1.0', id: 'e', source: '\\' }, { time: 'now' }],
    ])(
      'Events %s can be filtered by correlation id, subject and type, without additional ones, from any position',
      async (_how, first, then) => {
        const { worlds, world, commit, drain } = await opened();
        const about = (id: string, type: string, subject: string, correlationid: string) => ({
          ...event(id),
          json: JSON.stringify({
            ...first,
            type: `com.unified-commerce.${type}`,
            subject,
            ...then,
            correlationid,
            data: { correlationid: 'other', subject: 'order/9' },
          }),
        });
        const events = [
          about('e1', 'order-created', 'order/1', 'one'),
          about('e2', 'ext.order-changed', 'order/1', 'one'),
          about('e3', 'order-created', 'order/2', 'two'),
          about('e4', 'order-confirmed', 'order/1', 'two words'),
        ];
        await commit({ events });
        await drain('relay');
        await drain('relay', { sent: idsOf(events) });
        const found = async (what: EventsAbout, after = 0, limit = 10) => {
          const page = await worlds.eventsAbout(world, what, after, limit);
          expect(page.last).toBe(4);
          return page.events.map(({ id, order }) => `${order} ${id}`);
        };
        expect(await found({ by: 'type', value: 'order-created' })).toEqual(['1 e1', '3 e3']);
        expect(await found({ by: 'type', value: 'order-created' }, 1)).toEqual(['3 e3']);
        expect(await found({ by: 'type', value: 'order' })).toEqual([]);
        expect(await found({ by: 'subject', value: 'order/1' }, 0, 2)).toEqual(['1 e1', '2 e2']);
        expect(await found({ by: 'subject', value: 'order/1' }, 2, 2)).toEqual(['4 e4']);
        expect(await found({ by: 'correlation', value: 'two' })).toEqual(['3 e3']);
        expect(await found({ by: 'correlation', value: 'two words' })).toEqual(['4 e4']);
        expect(await found({ by: 'named' })).toEqual(['1 e1', '3 e3', '4 e4']);
        expect(await found({ by: 'id', value: 'e3' })).toEqual(['3 e3']);
        expect(await found({ by: 'id', value: 'e' })).toEqual([]);
      },
    );

    test('One relay leases an outbox, and releases it atomically when it is empty; the scan finds an outbox without a relay', async () => {
      const { store, world, commit, drain, drained } = await opened();
      expect(await store.unsent()).toEqual([]);
      await commit({ events: [event('e1')] });
      expect(await store.unsent()).toEqual([world]);
      await drain('first');
      expect([await drain('second'), await store.unsent()]).toEqual([undefined, []]);
      await drain('first', { sent: ['e1'] });
      await commit({ events: [event('e2')] });
      expect(await drained('second')).toEqual(['e2']);
    });

    test('A commit leases the outbox, including earlier events, to the relay that it names, unless another relay has the lease', async () => {
      const { store, world, commit, drain, drained, published, setFault, faults } = await opened();
      const struck = { ...event('e2', 'crm'), struck: true as const, committedAt: 5, hop: 'req_1' };
      await commit({ events: [event('e1')] });
      const plan = aPlan({ events: [struck], relay: { token: 'first' } });
      const { subscribers: _subscribers, ...handedOver } = struck;
      const first = await store.commit(world, plan);
      expect(first).toMatchObject({ ok: true, batch: { entries: [{ id: 'e1' }, handedOver], faults: 0 } });
      expect(first.ok && first.batch?.entries[1]).toEqual(handedOver);
      expect(await store.commit(world, plan)).toEqual({ ok: true, seq: 2 });
      expect(await drain('second')).toBeUndefined();
      expect(await commit({ events: [event('e3')], relay: { token: 'second' } })).toEqual({ ok: true, seq: 3 });
      expect(await drained('first', { sent: ['e1', 'e2'] })).toEqual(['e3']);
      expect(await drain('first', { sent: ['e3'] })).toBeUndefined();
      expect(await published()).toEqual(['e1', 'e2', 'e3']);
      expect(await commit({ put: [putting('a')], relay: { token: 'first' } })).toEqual({ ok: true, seq: 4 });
      await setFault();
      expect(await commit({ events: [event('e4')], relay: { token: 'second' } })).toMatchObject({ batch: { faults: await faults() } });
    });

    test('A commit hands the outbox over again to the relay that has the lease and holds its events, and to no other relay', async () => {
      const { commit, drained, published } = await opened();
      const batchOf = async (id: string, token: string, holds?: readonly string[]) => {
        const committed = await commit({ events: [event(id)], relay: { token, holds: holds?.map((one) => event(one)) } });
        return committed.ok ? committed.batch && idsOf(committed.batch.entries) : undefined;
      };
      expect(await batchOf('e1', 'first', [])).toEqual(['e1']);
      expect(await batchOf('e2', 'first', ['e1'])).toEqual(['e1', 'e2']);
      // Two commits at the same time: the relay does not hold the event of the other one yet.
      expect(await batchOf('e3', 'first', ['e1'])).toEqual(['e1', 'e2', 'e3']);
      expect(await batchOf('e4', 'first')).toBeUndefined();
      expect(await batchOf('e5', 'second', [])).toBeUndefined();
      expect(await drained('first', { sent: ['e1', 'e2', 'e3'] })).toEqual(['e4', 'e5']);
      expect(await published()).toEqual(['e1', 'e2', 'e3']);
    });

    test('A commit hands over at most one batch of events, in order', async () => {
      const { commit, drained } = await opened();
      const ids = times(150, (n) => `e${n}`);
      await commit({ events: ids.slice(0, 90).map((id) => event(id)) });
      const committed = await commit({ events: ids.slice(90).map((id) => event(id)), relay: { token: 'first' } });
      const first = idsOf(committed.ok ? committed.batch?.entries : undefined);
      expect(first).toEqual(ids.slice(0, 100));
      expect(await drained('first', { sent: first })).toEqual(ids.slice(100));
    });

    test('A batch has the revision of the faults, which is 0 without faults', async () => {
      const { worlds, world, commit, drain, setFault, faults } = await opened();
      await commit({ events: [event('e1'), event('e2'), event('e3')] });
      expect(await drain('relay')).toMatchObject({ faults: 0 });
      await setFault();
      expect(await faults()).toBeGreaterThan(0);
      expect(await drain('relay', { sent: ['e1'] })).toMatchObject({ faults: await faults() });
      await worlds.removeFault(world);
      expect(await drain('relay', { sent: ['e2'] })).toMatchObject({ faults: 0 });
    });

    test('A stopping relay acknowledges its sent events and releases the outbox, so that another relay can lease the rest', async () => {
      const { store, world, commit, drain, drained, published } = await opened();
      await commit({ events: [event('e1'), event('e2')] });
      await drain('first');
      await commit({ events: [event('e3')] });
      expect(await drain('first', { sent: ['e1', 'e2'], isStopping: true })).toBeUndefined();
      expect([await published(), await store.unsent()]).toEqual([['e1', 'e2'], [world]]);
      expect(await drained('second')).toEqual(['e3']);
      await drain('second', { isStopping: true });
      expect(await store.unsent()).toEqual([world]);
      await drain('third');
      await drain('third', { sent: ['e3'], isStopping: true });
      expect(await store.unsent()).toEqual([]);
    });

    test('A full outbox refuses requests with events, which change nothing, until some events are sent', async () => {
      const { commit, object, claimed, drain, drained, crm } = await opened(EMPTY, { outboxLimit: 2 });
      await commit({ events: [event('e1'), event('e2')] });
      const fence = { kind: 'claim', key: 'k', token: (await claimed()).token } as const;
      const refused = { ok: false, why: 'full', at: '2' };
      expect(await commit({ fence, put: [putting('a')], events: [event('e3')] })).toEqual(refused);
      expect(await commit({ put: [putting('a')], events: [event('e3')] })).toEqual(refused);
      expect(await object('a')).toBeUndefined();
      expect(await commit({ put: [putting('b')] })).toMatchObject(OK);
      expect(await commit({ events: [event('c1')] }, crm)).toMatchObject(OK);
      await drain('relay');
      expect(await drained('relay', { sent: ['e1'] })).toEqual(['e2']);
      expect(await commit({ fence, put: [putting('a')], events: [event('e3')] })).toMatchObject(OK);
    });

    test('A full outbox accepts the events of deliveries and due work', async () => {
      const { commit, lease, crm } = await opened(EMPTY, { outboxLimit: 1 });
      await commit({ events: [event('e1', 'crm')], due: [timer('x', 10)] });
      await commit({ events: [event('c1')] }, crm);
      expect(await commit({ fence: DELIVERY, events: [event('c2')] }, crm)).toMatchObject(OK);
      await lease(10);
      expect(await commit({ fence: dueFence('x'), events: [event('e2')] })).toMatchObject(OK);
    });
  });

  describe('deliveries and the ledger', () => {
    test('A delivery is pending until its subscriber commits, and can be consumed only once', async () => {
      const { world, commit, ledger, crm } = await opened();
      await commit({ events: [event('e1', 'crm')] });
      expect((await ledger()).pending).toEqual(['crm|e1']);
      const consume = () => commit({ fence: DELIVERY, put: [putting(randomUUID())] }, crm);
      expect([await consume(), await consume()]).toMatchObject([OK, NOT_HELD]);
      expect(await crm.isPending(world, 'crm|e1')).toBe(false);
      expect(await crm.all(world, 'things', PAGE)).toHaveLength(1);
    });

    test('Due work is read by name, also when it is leased or withheld, and unknown names are left out', async () => {
      const { worlds, world, commit, setFault } = await opened();
      await setFault('slow');
      const lease = { token: 'a', until: Date.now() + 300_000 };
      const held = { withheldBy: 'slow', withheldAt: 1 };
      await commit({ due: [timer('1', 1_000, '{"a":1}'), { ...timer('2', 2_000), lease }, { ...timer('3', NEVER), ...held }] });
      const names = ['1', '2', '3', '4'].map((key) => `oms|timer|${key}`);
      const found = await worlds.scheduled(world, names);
      expect(found.map(({ key, at, withheldBy }) => [key, at, withheldBy])).toEqual([
        ['1', 1_000, undefined],
        ['2', 2_000, undefined],
        ['3', NEVER, 'slow'],
      ]);
      expect(found[0]?.payload).toEqual({ a: 1 });
      expect(await worlds.scheduled(world, [])).toEqual([]);
    });

    test('The outstanding work of one event names its outbox entry, its fault, its subscribers, and its parked deliveries', async () => {
      const { adapter, worlds, world, commit, drain, setFault, crm } = await opened();
      const work = (id: string) => worlds.eventWork(world, id);
      const subscribers = ['crm', 'loyalty-platform'] as const;
      const nothing = { entry: undefined, withheldBy: undefined, pending: [], parked: [] };
      expect(await work('e1')).toEqual(nothing);
      await commit({ events: [event('e1', ...subscribers), event('e2', ...subscribers)] });
      const inOutbox = await work('e1');
      expect([inOutbox.entry?.json, inOutbox.withheldBy]).toEqual(['{"id":"e1"}', undefined]);
      expect(inOutbox.pending.toSorted()).toEqual(subscribers);
      await drain('relay');
      await setFault('slow');
      const due = { ...timer('e2', NEVER, JSON.stringify(event('e2'))), kind: PUBLISH_WITHHELD_EVENT, withheldBy: 'slow', withheldAt: 1 };
      await drain('relay', { sent: ['e1'], withheld: [{ id: 'e2', due }] });
      expect(await work('e2')).toMatchObject({ entry: { id: 'e2', json: '{"id":"e2"}' }, withheldBy: 'slow' });
      await commit({ fence: DELIVERY }, crm);
      await adapter.store('loyalty-platform').park(world, 'loyalty-platform|e1', 'poison\n"1"');
      expect(await work('e1')).toEqual({ ...nothing, parked: [{ application: 'loyalty-platform', error: 'poison\n"1"' }] });
    });

    test('A ledger lists the requested number of items and counts all; a parked delivery is no longer pending', async () => {
      const { world, commit, ledger, crm } = await opened();
      await commit({ events: ['e1', 'e2', 'e3'].map((id) => event(id, 'crm')) });
      for (const id of ['e1', 'e2']) await crm.park(world, `crm|${id}`, 'poison');
      expect(await ledger(1)).toMatchObject({
        unsent: ['oms|e1'],
        pending: ['crm|e3'],
        parked: [{ what: 'delivery', key: 'crm|e1', error: 'poison' }],
        counts: { unsent: 3, pending: 1, parked: 2, running: 0, withheld: 0 },
      });
      expect((await ledger()).unsent).toHaveLength(3);
    });
  });
}
