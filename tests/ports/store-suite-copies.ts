import { describe, expect, test } from '@jest/globals';
import { ACTIVE_WEBHOOKS, DELIVER_AGAIN, PUBLISH_WITHHELD_EVENT, TAKE_EVENTS } from '../../shared/store/ports/due-work.ts';
import type { ExportedWorld } from '../../shared/store/ports/world-data.ts';
import { eventually } from '../support/eventually.ts';
import { aHop } from './a-hop.ts';
import { aPlan } from './a-plan.ts';
import { CREDENTIALS, idsOf, type Opened } from './open-store.ts';

const NOW = 2_000;
const PAGE = { after: 0, limit: 100 };
const DATA = { products: [{ sku: 'kettle' }] };
const SEED = {
  now: 1_000,
  applications: {
    oms: { objects: { things: [{ id: 'seeded', version: 1, json: '{"id":"seeded"}' }] }, unique: {}, index: {}, counters: {} },
  },
  due: [],
};
/** A copy keeps the seed, and the source of its ids. */
const BEGUN = { seed: 's', lineage: 'seed:s' };
const putting = (id: string, collection = 'things') => ({ collection, id, read: 0, version: 1, json: `{"id":"${id}"}` });
const entered = (name: string, id: string, value: string) => ({ collection: 'things', name, id, value, was: null });
const eventJson = (id: string) =>
  JSON.stringify({ id, type: 'com.unified-commerce.order-created', subject: `order/${id}`, correlationid: 'c' });
const entry = (id: string) => ({ id, topic: 't', key: 'k', json: eventJson(id), hop: `req_${id}` });
const timer = (key: string, at: number) => ({ kind: 'timer', key, at, payload: `{"of":"${key}"}`, correlationId: 'c', hop: 'req_1' });

export function copySuite(opened: Opened): void {
  /** A world with something of everything that a world can have. */
  async function fullWorld() {
    const parts = await opened({ ...SEED, data: DATA, beginning: { seed: 's' } });
    const { adapter, worlds, control, world, commit, claimed, leased, drain, setFault, standAt } = parts;
    await standAt(NOW);
    await commit({
      put: [putting('b'), putting('a')],
      unique: [entered('mail', 'a', 'x')],
      index: [entered('kind', 'b', 'k\u0000%'), entered('kind', 'a', 'k\u0000%')],
      move: [{ counter: 'c', key: 'k', field: 'on,hand', by: 4 }],
    });
    await setFault('with a blank', '{"rule":1}');
    await control.hit(world, 'with a blank', 'requestId req_1');
    await control.chance(world, 'with a blank');
    await worlds.setProgression(world, { warehouse: 'manual' });
    // Requests: one answered, one left after a commit.
    const { token } = await claimed({ key: 'done', now: NOW });
    const outcome = { json: '{"status":201}', keepUntil: 90_000 };
    await commit({ fence: { kind: 'claim', key: 'done', token }, outcome });
    const left = await claimed({ key: 'left', fingerprint: 'g h', now: NOW });
    await commit({ last: false, fence: { kind: 'claim', key: 'left', token: left.token }, put: [putting('c')] });
    await parts.store.release(world, 'left', left.token);
    // Events: one delivered, one pending, one withheld, one whose delivery is parked, one unsent.
    await commit({
      events: ['sent', 'pending', 'withheld', 'parked'].map((id) => ({ ...entry(id), subscribers: ['crm', 'loyalty-platform'] })),
    });
    const later = { kind: PUBLISH_WITHHELD_EVENT, payload: JSON.stringify(entry('withheld')), withheldBy: 'with a blank' };
    const withheld = [{ id: 'withheld', due: { ...timer('withheld', 9_000), ...later } }];
    await drain('relay', { sent: ['sent', 'pending', 'parked'], withheld });
    const crm = adapter.store('crm');
    await crm.commit(world, aPlan({ fence: { kind: 'delivery', key: 'crm|sent' } }));
    await adapter.store('loyalty-platform').commit(world, aPlan({ fence: { kind: 'delivery', key: 'loyalty-platform|sent' } }));
    await crm.park(world, 'crm|parked', 'unknown\ncustomer');
    await crm.postpone(world, 'crm|pending', { event: entry('pending'), at: 4_000, awaits: 'pos' });
    await commit({ events: [{ ...entry('unsent'), subscribers: ['crm'] }] });
    // Due work: one parked, one in its third attempt, two of the same instant.
    await commit({ due: [timer('parked', 1_500)] });
    await worlds.requeue(world, await leased(NOW), 'mine', { parked: 'broken' });
    await commit({
      due: [{ ...timer('second', 5_000), occasion: 'again' }, timer('first', 5_000), { ...timer('tried', 4_500), attempts: 2 }],
    });
    await worlds.nextNumber(world, 'pay');
    return { ...parts, crm };
  }

  const ways: readonly [
    string,
    (full: Awaited<ReturnType<typeof fullWorld>>) => Promise<{ copyOf: `${string}~${string}` } | ExportedWorld>,
  ][] = [
    ['copied', async ({ world }) => ({ copyOf: world })],
    ['exported and opened', async ({ worlds, world }) => JSON.parse(JSON.stringify(await worlds.exportWorld(world))) as ExportedWorld],
  ];

  describe.each(ways)('a world that is %s', (_way, sourceOf) => {
    async function copied() {
      const full = await fullWorld();
      const { worlds } = full;
      const source = await sourceOf(full);
      const created = await worlds.create('copy', { from: () => source, credentials: CREDENTIALS, idleMs: null, most: 10 });
      if (created.is !== 'created') throw new Error(created.is);
      return { ...full, copy: created.world };
    }

    test('The new world has everything of the first one, and shares nothing with it', async () => {
      const { worlds, world, copy, store, commit } = await copied();
      const exported = await worlds.exportWorld(world);
      expect(await worlds.exportWorld(copy)).toEqual(exported);
      expect(exported).toMatchObject({ now: NOW, flowing: false, data: DATA, running: [], progression: { warehouse: 'manual' } });
      expect([await worlds.ownData(copy), await worlds.seed(copy)]).toEqual([DATA, { ...SEED, beginning: { seed: 's' } }]);
      expect(await worlds.current(copy)).toMatchObject(BEGUN);
      expect([await worlds.nextNumber(copy, 'pay'), await worlds.nextNumber(world, 'pay')]).toEqual([2, 2]);
      await store.commit(copy, aPlan({ put: [putting('new')], move: [{ counter: 'c', key: 'k', field: 'on,hand', by: 1 }] }));
      await commit({ due: [{ ...timer('first', 0), at: null }] });
      expect(await store.object(world, 'things', 'new')).toBeUndefined();
      const onHand = async (of: typeof world) => (await store.counters(of, 'c', ['k']))[0]?.['on,hand'];
      expect([await onHand(world), await onHand(copy)]).toEqual([4, 5]);
      expect((await worlds.ledger(copy)).next).toMatchObject({ key: 'pending', awaits: 'pos' });
    });

    test('Reads of the new world answer as reads of the first one', async () => {
      const { worlds, world, copy, store } = await copied();
      const reads = async (of: typeof world) => [
        await store.all(of, 'things', PAGE),
        await store.unique(of, 'things', 'mail', 'x'),
        await store.index(of, 'things', 'kind', 'k\u0000%', PAGE),
        await store.count(of, 'things', 'kind', ['k\u0000%', 'none']),
        await worlds.eventsAbout(of, { by: 'subject', value: 'order/pending' }, 0, 10),
        await worlds.eventsAbout(of, { by: 'named' }, 0, 10),
        await worlds.eventWork(of, 'withheld'),
        await worlds.eventWork(of, 'parked'),
        { ...(await worlds.ledger(of)), withheld: [], awaiting: [], next: undefined },
      ];
      expect(await reads(copy)).toEqual(await reads(world));
      expect(idsOf(await store.all(copy, 'things', PAGE))).toEqual(['seeded', 'b', 'a', 'c']);
    });

    test('The new world continues: answers repeat, released work runs in order, and unsent events are found', async () => {
      const { worlds, copy, store, crm } = await copied();
      const claim = (key: string, fingerprint: string) => store.claim(copy, { key, fingerprint, now: 2_500, leaseMs: 1_000 });
      expect(await claim('done', 'f')).toEqual({ is: 'done', json: '{"status":201}' });
      expect(await claim('left', 'other')).toEqual({ is: 'other-body' });
      expect(await claim('left', 'g h')).toMatchObject({ is: 'ours', since: NOW });
      expect(await store.unsent()).toContain(copy);
      expect(idsOf((await store.drain(copy, { token: 'relay' }))?.entries)).toEqual(['unsent']);
      await worlds.removeFault(copy, 'with a blank');
      const delivery = { what: 'delivery', key: 'crm|parked', event: entry('parked') } as const;
      expect(await worlds.redrive(copy, [{ what: 'due', key: 'oms|timer|parked' }, delivery])).toHaveLength(2);
      const ran: string[] = [];
      for (let turn = 0; turn < 10; turn++) {
        const item = await worlds.leaseNext(copy, { upTo: 9_000, token: `t${turn}`, leaseMs: 60_000 });
        if (!item) break;
        ran.push(`${item.kind === 'timer' ? '' : `${item.kind} `}${item.key}`);
        const by = item.application === 'crm' ? crm : store;
        await by.commit(copy, aPlan({ fence: { kind: 'due', key: `${item.application}|${item.kind}|${item.key}`, token: `t${turn}` } }));
      }
      const [published, pending, parked] = [`${PUBLISH_WITHHELD_EVENT} withheld`, `${DELIVER_AGAIN} pending`, `${DELIVER_AGAIN} parked`];
      expect(ran).toEqual([published, pending, 'parked', parked, 'tried', 'second', 'first']);
    });
  });

  describe('copies of worlds, and kept snapshots', () => {
    test('Registered webhooks stay with their rehearsal: no export, copy or seed of a copy has their secret', async () => {
      const { worlds, adapter, world } = await opened();
      const gateway = adapter.store('gateway');
      const { collection, index, value } = ACTIVE_WEBHOOKS;
      const json = '{"secret":"whsec_never"}';
      await gateway.commit(
        world,
        aPlan({
          put: [{ collection, id: '1', read: 0, version: 1, json }],
          index: [{ collection, name: index, id: '1', value, was: null }],
          due: [{ ...TAKE_EVENTS, at: 5_000 }],
        }),
      );
      const webhooks = { objects: { [collection]: [{ id: '1', version: 1, json }] }, unique: {}, index: {}, counters: {} };
      const fresh = await worlds.replace('r', { ...SEED, applications: { ...SEED.applications, gateway: webhooks } });
      if (!fresh) throw new Error('There is no rehearsal r.');
      for (const [n, of] of [world, fresh].entries()) {
        const copy = await worlds.open(`copy-${n}`, { copyOf: of }, CREDENTIALS);
        expect(JSON.stringify([await worlds.exportWorld(of), await worlds.data(copy), await worlds.seed(copy)])).not.toMatch(
          /whsec|gateway/,
        );
        expect((await worlds.ledger(copy)).next).toBeUndefined();
      }
    });

    test('Leased work of the first world is free in the new one when its lease has ended', async () => {
      const { worlds, world, commit, lease, standAt } = await opened();
      await standAt(NOW);
      await commit({ due: [timer('x', 1_500)] });
      await lease(NOW, 'mine', 50);
      expect((await worlds.exportWorld(world)).running).toEqual(['due oms|timer|x']);
      const copy = await worlds.open('copy', { copyOf: world }, CREDENTIALS);
      const next = () => worlds.leaseNext(copy, { upTo: NOW, token: 'other', leaseMs: 1_000 });
      expect(await eventually('the end of the lease', next)).toMatchObject({ key: 'x' });
    });

    test('A flowing clock continues to flow in the new world from the time of the first one', async () => {
      const { worlds, world } = await opened({ ...SEED, now: 5_000_000 });
      const copy = await worlds.open('copy', { copyOf: world }, CREDENTIALS);
      const view = await worlds.current(copy);
      expect(view).toMatchObject({ flowing: true });
      expect(view?.now).toBeGreaterThanOrEqual(5_000_000);
      expect(view?.now).toBeLessThan(5_060_000);
    });

    test('A copy of a dropped world is refused, and no rehearsal begins', async () => {
      const { worlds } = await opened();
      await expect(worlds.open('copy', { copyOf: 'r~01ARZ3NDEKTSV4RRFFQ69G5FAV' }, CREDENTIALS)).rejects.toThrow(/gone/);
      expect(await worlds.resolve('copy')).toBeUndefined();
    });

    test('An exported world that brings hops begins with this journal, in order', async () => {
      const { worlds, world } = await opened();
      const journal = [aHop({ requestId: 'req_1' }), aHop({ requestId: 'req_2' })];
      const copy = await worlds.open('copy', { ...(await worlds.exportWorld(world)), journal }, CREDENTIALS);
      await eventually('the hops are written', async () => (await worlds.journalSize(copy)).hops === journal.length);
      expect((await worlds.journalOf(copy)).entries.map(({ requestId }) => requestId)).toEqual(['req_1', 'req_2']);
    });

    test('A world has the name of the snapshot that it was opened from, and its copy has it too', async () => {
      const { worlds, world } = await opened();
      const from = { ...(await worlds.exportWorld(world)), origin: 'paid' };
      const opening = await worlds.open('opened', from, CREDENTIALS);
      const copy = await worlds.open('copy', { copyOf: opening }, CREDENTIALS);
      expect([await worlds.origin(world), await worlds.origin(opening), await worlds.origin(copy)]).toEqual([undefined, 'paid', 'paid']);
    });

    test('Snapshots are listed by name, read as bytes, replaced and removed, and their number is limited', async () => {
      const { worlds } = await opened();
      const content = Uint8Array.from({ length: 300_000 }, (_, n) => (n * 7) % 256);
      const keep = (name: string, head = '{}', bytes = content) => worlds.keepSnapshot({ name, head, content: bytes }, 2);
      expect([await keep('b'), await keep('a', '{"a":1}'), await keep('c')]).toEqual([true, true, false]);
      expect(await keep('b', '{"b":2}', Uint8Array.of(0, 255))).toBe(true);
      expect([...(await worlds.snapshots())]).toEqual([
        ['a', '{"a":1}'],
        ['b', '{"b":2}'],
      ]);
      expect([...((await worlds.snapshot('b')) ?? [])]).toEqual([0, 255]);
      expect(Buffer.compare((await worlds.snapshot('a')) ?? Buffer.of(), content)).toBe(0);
      expect([await worlds.removeSnapshot('a'), await worlds.removeSnapshot('a')]).toEqual([true, false]);
      expect([await worlds.snapshot('a'), await worlds.snapshot('c')]).toEqual([undefined, undefined]);
      expect(await keep('c')).toBe(true);
    });
  });
}
