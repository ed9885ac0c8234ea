import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DEFAULT_PROGRESSION } from '../../shared/catalog/control/progression.ts';
import { KEPT_MOVES, KEPT_OPERATIONS } from '../../shared/catalog/limits.ts';
import { NEVER } from '../../shared/domain/time.ts';
import type { World } from '../../shared/domain/world.ts';
import { STATE_INDEX } from '../../shared/store/collections.ts';
import { ACTIVE_WEBHOOKS, BACKOFF_MS, DELIVER_AGAIN, PUBLISH_WITHHELD_EVENT } from '../../shared/store/ports/due-work.ts';
import { MOST_FAULTS } from '../../shared/store/ports/faults.ts';
import type { EventsAbout } from '../../shared/store/ports/objects.ts';
import type { Plan } from '../../shared/store/ports/plan.ts';
import { WorldGone } from '../../shared/store/ports/rehearsals.ts';
import { eventually } from '../support/eventually.ts';
import { aPlan } from './a-plan.ts';
import { CREDENTIALS, type CreateStore, EMPTY, idsOf, keysOf, type Opened, openStore, times } from './open-store.ts';
import { awaitingSuite } from './store-suite-awaiting.ts';
import { copySuite } from './store-suite-copies.ts';
import { fullJournalSuite } from './store-suite-full-journal.ts';
import { journalSuite } from './store-suite-journal.ts';
import { lifetimeSuite } from './store-suite-lifetimes.ts';
import { runSuite } from './store-suite-runs.ts';

export type { CreateStore } from './open-store.ts';

const PAGE = { after: 0, limit: 100 };
/** The reported wait after a change that starts no due work. */
const NEVER_BEGINS = Number.POSITIVE_INFINITY;
const OK = { ok: true };
const STALE = { ok: false, why: 'version' };
const NOT_HELD = { ok: false, why: 'held' };

const putting = (id: string, read = 0, json = `{"id":"${id}"}`) => ({ collection: 'things', id, read, version: read + 1, json });
const indexed = (name: string, id: string, value: string | null, was: string | null = null) => ({
  collection: 'things',
  name,
  id,
  value,
  was,
});
const moving = (by: number, field = 'f') => ({ counter: 'c', key: 'k', field, by });
const event = (id: string, ...subscribers: readonly ('crm' | 'loyalty-platform')[]) => ({ ...entry(id), subscribers });
const entry = (id: string) => ({ id, topic: 't', key: 'k', json: `{"id":"${id}"}` });
const timer = (key: string, at: number | null, payload = '1') => ({ kind: 'timer', key, at, payload, correlationId: 'c' });
const dueFence = (key: string, token = 'mine') => ({ kind: 'due', key: `oms|timer|${key}`, token }) as const;
const DELIVERY = { kind: 'delivery', key: 'crm|e1' } as const;

/** Conformance suite of the store. It runs unchanged against every adapter. */
export function storeSuite(name: string, create: CreateStore): void {
  const opened: Opened = (from, limits) => openStore(create, from, limits);

  describe(`store: ${name}`, () => {
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

    describe('claims', () => {
      const done = (token: string): Partial<Plan> => ({
        fence: { kind: 'claim', key: 'k', token },
        outcome: { json: '{"status":200}', keepUntil: 5_000 },
      });

      test('Of fifty concurrent claims of one key, one succeeds and the others find it running', async () => {
        const { claim } = await opened();
        const claims = await Promise.all(times(50, () => claim({ leaseMs: 10_000 })));
        expect(claims.filter(({ is }) => is === 'ours')).toHaveLength(1);
        const running = claims.flatMap((one) => (one.is === 'running' ? [one.leftMs] : []));
        expect(running).toHaveLength(49);
        expect(running.every((leftMs) => leftMs > 0 && leftMs <= 10_000)).toBe(true);
      });

      test('The last commit stores the outcome, which repeats get until it expires; releasing the claim does not remove it', async () => {
        const { store, world, claim, claimed, commit } = await opened();
        const { token } = await claimed();
        expect(await commit(done(token))).toMatchObject(OK);
        await store.release(world, 'k', token);
        expect(await claim({ now: 4_999 })).toEqual({ is: 'done', json: '{"status":200}' });
        expect(await claim({ now: 4_999, fingerprint: 'other' })).toEqual({ is: 'other-body' });
        expect(await claim({ now: 5_000 })).toMatchObject({ is: 'ours', since: 5_000 });
      });

      test('An abandoned claim is taken over with its original instant, and its former holder can no longer commit', async () => {
        const { claimed, commit } = await opened();
        const slow = await claimed({ leaseMs: 0 });
        const fast = await claimed({ now: 2_000 });
        expect(fast.since).toBe(1_000);
        expect(await commit(done(slow.token))).toMatchObject(NOT_HELD);
        expect(await commit(done(fast.token))).toMatchObject(OK);
      });

      test('A released key can be claimed again immediately, with the same body or another', async () => {
        const { store, world, claim, claimed } = await opened();
        await store.release(world, 'k', (await claimed()).token);
        expect(await claim({ now: 3_000, fingerprint: 'g' })).toMatchObject({ is: 'ours', since: 3_000 });
      });

      test('A key under which something was committed without an outcome can be claimed with the same body only, until it is forgotten', async () => {
        for (const last of [true, false]) {
          const { store, world, claim, claimed, commit } = await opened();
          const { token } = await claimed();
          expect(await commit({ fence: { kind: 'claim', key: 'k', token }, put: [putting('a')], last })).toMatchObject(OK);
          await store.release(world, 'k', token);
          expect(await claim({ now: 3_000, fingerprint: 'g' })).toEqual({ is: 'other-body' });
          const repeat = await claimed({ now: 3_000 });
          expect(repeat.since).toBe(1_000);
          await store.release(world, 'k', repeat.token);
          expect(await claim({ now: 4_000, fingerprint: 'g' })).toEqual({ is: 'other-body' });
          expect(await claim({ now: 1_000 + 24 * 3_600_000, fingerprint: 'g' })).toMatchObject({ is: 'ours' });
        }
      });

      test('A precondition that has passed stays passed for later holders of the claim until the outcome is stored, and for no other request', async () => {
        const { store, world, claimed, commit } = await opened();
        const first = await claimed({ leaseMs: 0 });
        const fence = { kind: 'claim', key: 'k', token: first.token } as const;
        expect(await commit({ fence, last: false, preconditionHeld: true })).toMatchObject(OK);
        const second = await claimed({ leaseMs: 0 });
        await store.release(world, 'k', second.token);
        const third = await claimed();
        await commit(done(third.token));
        const next = await claimed({ now: 5_000, leaseMs: 0 });
        expect([first, second, third, next].map(({ preconditionHeld }) => preconditionHeld)).toEqual([false, true, true, false]);
        await commit({ fence: { ...fence, token: next.token }, last: false, preconditionHeld: true });
        expect(await claimed({ fingerprint: 'g', now: 5_000 + 24 * 3_600_000 })).toMatchObject({ preconditionHeld: false });
      });
    });

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

      test('Events can be filtered by correlation id, subject and type, without additional ones, from any position', async () => {
        const { worlds, world, commit, drain } = await opened();
        const about = (id: string, type: string, subject: string, correlationid: string) => ({
          ...event(id),
          json: JSON.stringify({ id, type: `com.unified-commerce.${type}`, subject, correlationid }),
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
      });

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
        const plan = aPlan({ events: [struck], relay: 'first' });
        const { subscribers: _subscribers, ...handedOver } = struck;
        const first = await store.commit(world, plan);
        expect(first).toMatchObject({ ok: true, batch: { entries: [{ id: 'e1' }, handedOver], faults: 0 } });
        expect(first.ok && first.batch?.entries[1]).toEqual(handedOver);
        expect(await store.commit(world, plan)).toEqual({ ok: true, seq: 2 });
        expect(await drain('second')).toBeUndefined();
        expect(await commit({ events: [event('e3')], relay: 'second' })).toEqual({ ok: true, seq: 3 });
        expect(await drained('first', { sent: ['e1', 'e2'] })).toEqual(['e3']);
        expect(await drain('first', { sent: ['e3'] })).toBeUndefined();
        expect(await published()).toEqual(['e1', 'e2', 'e3']);
        expect(await commit({ put: [putting('a')], relay: 'first' })).toEqual({ ok: true, seq: 4 });
        await setFault();
        expect(await commit({ events: [event('e4')], relay: 'second' })).toMatchObject({ batch: { faults: await faults() } });
      });

      test('A commit hands over at most one batch of events, in order', async () => {
        const { commit, drained } = await opened();
        const ids = times(150, (n) => `e${n}`);
        await commit({ events: ids.slice(0, 90).map((id) => event(id)) });
        const committed = await commit({ events: ids.slice(90).map((id) => event(id)), relay: 'first' });
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
        const fence = { kind: 'claim', key: 'k', token: (await claimed()).token } as const;
        await commit({ fence, outcome: { json: '12345', keepUntil: 2_000 } });
        expect(await grown()).toBe(205);
        await store.release(world, 'other', (await claimed({ key: 'other', now: 3_000 })).token);
        expect(await grown()).toBe(200);
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

    describe('watchers', () => {
      const scheduled = (key: string) => timer(key, 0, 'null');
      const lease = { token: 't', until: Date.now() + 600_000 };

      async function watched() {
        const open = await opened();
        const { worlds, store, world, commit } = open;
        const marker = await worlds.open('marker', EMPTY, CREDENTIALS);
        const seen: (readonly [World, number])[] = [];
        worlds.watch((changed, waitMs) => seen.push([changed, waitMs]));
        /** Waits until all earlier changes are reported, which happens in order. */
        async function caughtUp(): Promise<void> {
          const before = seen.length;
          await store.commit(marker, aPlan({ due: [scheduled('marker')] }));
          await eventually('the marker is reported', async () => seen.slice(before).some(([changed]) => changed === marker));
        }
        /** The reported wait after a change. A process reports it only for a change that follows an earlier one. */
        async function waitOf(change: () => Promise<unknown>): Promise<number> {
          await commit({ due: [scheduled('before')] });
          await caughtUp();
          seen.length = 0;
          await change();
          await caughtUp();
          return Math.min(...seen.flatMap(([changed, waitMs]) => (changed === world ? [waitMs] : [])));
        }
        return { ...open, waitOf };
      }

      test('Watchers are notified of commits with events or due work until they stop', async () => {
        const { worlds, world, commit } = await opened();
        const changes: World[] = [];
        const stop = worlds.watch((changed) => changes.push(changed));
        await commit({ due: [timer('a', 1)] });
        await eventually('the watcher is notified', async () => changes.includes(world));
        stop();
        const before = changes.length;
        await commit({ due: [timer('b', 1)] });
        expect(changes).toHaveLength(before);
      });

      test('Watchers are notified that work may begin when it is scheduled, released, no longer withheld, or due after the clock was set', async () => {
        const { store, world, commit, setFault, standAt, waitOf } = await watched();
        expect(await waitOf(() => commit({ due: [scheduled('a')] }))).toBe(0);
        expect(await waitOf(() => standAt(2_000))).toBe(0);
        expect(await waitOf(() => setFault())).toBe(0);
        await commit({ due: [{ ...scheduled('b'), lease }] });
        expect(await waitOf(() => store.releaseDue(world, { kind: 'timer', key: 'b', token: 't' }))).toBe(0);
      });

      test('Watchers are notified that work may begin when a withheld event was sent: the next event can be delivered', async () => {
        const { commit, waitOf } = await watched();
        await commit({ due: [{ ...scheduled('e1'), kind: PUBLISH_WITHHELD_EVENT, lease }] });
        const fence = { kind: 'due', key: `oms|${PUBLISH_WITHHELD_EVENT}|e1`, token: 't' } as const;
        expect(await waitOf(() => commit({ fence }))).toBe(0);
      });

      // The sweep for lost messages may find a change before its message arrives. It does not have the reason of the change.
      test('Watchers are notified when scheduled work may begin: at its instant, after its lease, or only when a standing clock is set', async () => {
        async function waits(): Promise<readonly number[]> {
          const { commit, standAt, waitOf } = await watched();
          const found = [
            await waitOf(() => commit({ due: [timer('a', 901_000), timer('b', 601_000)] })),
            await waitOf(() => commit({ due: [{ ...scheduled('c'), lease: { ...lease, until: Date.now() + 300_000 } }] })),
            await waitOf(() => commit({ due: [timer('a', null)] })),
            await waitOf(async () => {
              await standAt(2_000);
              await commit({ due: [scheduled('before')] });
            }),
            await waitOf(() => commit({ due: [timer('d', 601_000)] })),
          ];
          // The wait is compared in minutes, because the test takes less than one.
          return found.map((wait) => Math.ceil(wait / 60_000));
        }
        let found = await waits();
        for (let again = 0; again < 3 && found.filter((wait) => wait === 0).length > 1; again++) found = await waits();
        expect(found).toEqual([10, 5, NEVER_BEGINS, 0, NEVER_BEGINS]);
      });

      test('Watchers are notified that no work can begin when events are committed, sent, consumed or parked, or when due work ends', async () => {
        async function quietChanges(): Promise<readonly number[]> {
          const { world, commit, drain, crm, waitOf } = await watched();
          await commit({ due: [{ ...scheduled('b'), lease }] });
          return [
            await waitOf(() => commit({ events: [event('e1', 'crm'), event('e2', 'crm')] })),
            await waitOf(async () => {
              await drain('relay');
              await drain('relay', { sent: ['e1'] });
            }),
            await waitOf(() => commit({ fence: DELIVERY }, crm)),
            await waitOf(() => crm.park(world, 'crm|e2', 'poison')),
            await waitOf(() => commit({ fence: dueFence('b', 't') })),
          ];
        }
        let found = await quietChanges();
        for (let again = 0; again < 3 && found.includes(0); again++) found = await quietChanges();
        expect(found).toEqual(times(5, () => NEVER_BEGINS));
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

      test('Numbers count each name of a world from 1, and concurrent calls never get the same', async () => {
        const { worlds, world } = await opened();
        const other = await worlds.open('other', EMPTY, CREDENTIALS);
        const found = await Promise.all(times(20, () => worlds.nextNumber(world, 'a')));
        expect(found.toSorted((a, b) => a - b)).toEqual(times(20, (n) => n + 1));
        expect([await worlds.nextNumber(world, 'b'), await worlds.nextNumber(other, 'a')]).toEqual([1, 1]);
      });

      test('The data of a world opened in another rehearsal have the same data, uniques, indexes, counters and due work', async () => {
        const { worlds, store, world, commit } = await opened();
        await commit({
          put: [putting('b'), putting('a')],
          unique: [indexed('mail', 'a', 'x')],
          index: [indexed('kind', 'b', 'k'), indexed('kind', 'a', 'k')],
          move: [moving(4)],
          due: [timer('x', 99, '{"n":1}')],
        });
        const copy = await worlds.open('copy', await worlds.data(world), CREDENTIALS);
        expect(idsOf(await store.all(copy, 'things', PAGE))).toEqual(['b', 'a']);
        expect((await store.unique(copy, 'things', 'mail', 'x'))?.id).toBe('a');
        expect(idsOf(await store.index(copy, 'things', 'kind', 'k', PAGE))).toEqual(['b', 'a']);
        expect(await store.counters(copy, 'c', ['k'])).toEqual([{ f: 4 }]);
        expect((await worlds.ledger(copy)).next).toMatchObject({ kind: 'timer', at: 99, payload: { n: 1 } });
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

      test('A concurrent change of one member of a progression does not affect the other members', async () => {
        const { worlds, world } = await opened();
        const set = (members: Parameters<typeof worlds.setProgression>[1]) => worlds.setProgression(world, members);
        await Promise.all([set({ carrier: 'manual' }), set({ returns: 'immediate' }), set({})]);
        const progression = { ...DEFAULT_PROGRESSION, carrier: 'manual', returns: 'immediate' };
        expect(await set({})).toEqual(progression);
        expect((await worlds.current(world))?.progression).toEqual(progression);
      });
    });

    describe('the clock', () => {
      test('Time flows from the instant of opening, stops on request, and continues from the set instant', async () => {
        const { worlds, world, standAt } = await opened();
        const early = (await worlds.current(world))?.now ?? 0;
        expect(early).toBeGreaterThanOrEqual(1_000);
        await eventually('time flows', async () => ((await worlds.current(world))?.now ?? 0) > early);
        await standAt(50_000);
        expect(await worlds.current(world)).toMatchObject({ now: 50_000, flowing: false });
      });

      test('The clock has one driver at a time, and an expired lease can be taken over', async () => {
        const { worlds, world } = await opened();
        expect(await worlds.leaseClock(world, 'a', 60_000)).toBe(true);
        expect(await worlds.leaseClock(world, 'b', 60_000)).toBe(false);
        await worlds.releaseClock(world, 'a');
        expect(await worlds.leaseClock(world, 'b', 0)).toBe(true);
        expect(await worlds.leaseClock(world, 'c', 60_000)).toBe(true);
      });

      test('While a driver advances the clock, the clock does not flow, and nobody else can set it or lease due work', async () => {
        const { worlds, world, commit, lease, standAt } = await opened();
        const leaseAs = (driver: string) => worlds.leaseNext(world, { upTo: 50_000, token: 't', leaseMs: 60_000, driver });
        await commit({ due: [timer('x', 1)] });
        await worlds.leaseClock(world, 'mine', 60_000);
        const status = await worlds.status(world);
        expect(status).toMatchObject({ flowing: false, advancing: true, running: 0, next: { key: 'x' } });
        expect([await lease(50_000), await leaseAs('other')]).toEqual([undefined, undefined]);
        for (const driver of [undefined, 'other']) {
          expect(await worlds.setClock(world, { now: 90_000, flowing: true }, driver)).toBe(false);
        }
        expect(await worlds.current(world)).toMatchObject({ now: status?.now, flowing: false });
        expect(await standAt(50_000, 'mine')).toBe(true);
        expect(await leaseAs('mine')).toMatchObject({ key: 'x' });
        expect(await worlds.status(world)).toMatchObject({ now: 50_000, running: 1, next: undefined });
      });

      test('The newest moves of a clock are listed newest first, with their numbers, and each is announced', async () => {
        const { worlds, world } = await opened();
        const move = (n: number) => ({ from: n, to: n + 1, movedAt: 5, after: n, ran: 1, timers: [] });
        expect([await worlds.moves(world, { limit: 5 }), (await worlds.current(world))?.moves]).toEqual([[], 0]);
        const noted: number[] = [];
        const unwatch = worlds.watch((_world, waitMs) => noted.push(waitMs));
        for (let n = 1; n <= KEPT_MOVES + 3; n++) expect(await worlds.addMove(world, move(n))).toBe(n);
        await eventually('the moves are announced', async () => noted.length > 0);
        unwatch();
        expect(noted).toContain(NEVER_BEGINS);
        expect((await worlds.current(world))?.moves).toBe(KEPT_MOVES + 3);
        expect(await worlds.moves(world, { limit: 2 })).toEqual([KEPT_MOVES + 3, KEPT_MOVES + 2].map((n) => ({ ...move(n), number: n })));
        expect((await worlds.moves(world, { before: 6, limit: 5 })).map(({ number }) => number)).toEqual([5, 4]);
        expect(await worlds.moves(world, { limit: 1_000 })).toHaveLength(KEPT_MOVES);
      });

      test('The newest operations of a world are listed oldest first, with their numbers', async () => {
        const { worlds, world } = await opened();
        expect(await worlds.operationsOf(world)).toEqual([]);
        for (let n = 1; n <= KEPT_OPERATIONS + 2; n++) await worlds.addOperation(world, `{"n":${n}}`);
        const operations = await worlds.operationsOf(world);
        expect([operations.length, operations[0], operations.at(-1)]).toEqual([
          KEPT_OPERATIONS,
          { number: 3, json: '{"n":3}' },
          { number: KEPT_OPERATIONS + 2, json: `{"n":${KEPT_OPERATIONS + 2}}` },
        ]);
      });

      test('A released clock continues from its instant, if it flowed before', async () => {
        const { worlds, world, standAt } = await opened();
        await worlds.leaseClock(world, 'mine', 60_000);
        await standAt(50_000, 'mine');
        await worlds.releaseClock(world, 'other');
        expect(await worlds.status(world)).toMatchObject({ flowing: false, advancing: true });
        await worlds.releaseClock(world, 'mine');
        expect(await worlds.status(world)).toMatchObject({ flowing: true, advancing: false });
        await eventually('time flows', async () => ((await worlds.current(world))?.now ?? 0) > 50_000);
        await standAt(60_000);
        await worlds.leaseClock(world, 'mine', 60_000);
        await worlds.releaseClock(world, 'mine');
        expect(await worlds.current(world)).toMatchObject({ now: 60_000, flowing: false });
      });

      test('A clock that a dead driver has stopped flows again at the next access', async () => {
        const { worlds, world } = await opened();
        await worlds.leaseClock(world, 'dead', 0);
        expect(await worlds.renewClock(world, 'dead', 0)).toBe(true);
        expect((await worlds.current(world))?.flowing).toBe(false);
        expect(await worlds.status(world)).toMatchObject({ flowing: true, advancing: false });
        expect((await worlds.current(world))?.now).toBeLessThan(60_000);
      });

      test('A driver without its lease cannot change the clock, and after its successor the clock flows as before', async () => {
        const { worlds, world, commit, standAt } = await opened();
        await commit({ due: [timer('x', 1)] });
        await worlds.leaseClock(world, 'slow', 0);
        await worlds.leaseClock(world, 'heir', 60_000);
        expect(await worlds.renewClock(world, 'slow', 60_000)).toBe(false);
        expect(await standAt(50_000, 'slow')).toBe(false);
        expect(await worlds.leaseNext(world, { upTo: 50_000, token: 't', leaseMs: 60_000, driver: 'slow' })).toBeUndefined();
        await worlds.releaseClock(world, 'slow');
        expect(await worlds.status(world)).toMatchObject({ advancing: true });
        await worlds.releaseClock(world, 'heir');
        expect(await worlds.status(world)).toMatchObject({ flowing: true, advancing: false });
        expect(await worlds.renewClock(world, 'heir', 60_000)).toBe(false);
      });
    });

    describe('faults', () => {
      test('A fault strikes at most its configured number of concurrent requests', async () => {
        const { control, world, setFault } = await opened();
        await setFault();
        const hits = await Promise.all(times(20, () => control.hit(world, 'f', 3)));
        expect(hits.filter((hit) => hit !== undefined)).toHaveLength(3);
        expect((await control.faults(world)).rules).toMatchObject([{ name: 'f', hits: 3 }]);
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

    lifetimeSuite(opened);
    journalSuite(opened);
    fullJournalSuite(opened);
    awaitingSuite(opened);
    runSuite(opened);
    copySuite(opened);
  });
}
