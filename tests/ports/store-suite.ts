import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DEFAULT_PROGRESSION } from '../../shared/catalog/control/progression.ts';
import { NEVER } from '../../shared/domain/time.ts';
import type { World } from '../../shared/domain/world.ts';
import { STATE_INDEX } from '../../shared/store/collections.ts';
import { WorldGone } from '../../shared/store/ports/directory.ts';
import { BACKOFF_MS, DELIVER_AGAIN, PUBLISH_WITHHELD_EVENT } from '../../shared/store/ports/due-work.ts';
import type { Store, StoreAdapter } from '../../shared/store/ports/estate-store.ts';
import { MOST_FAULTS } from '../../shared/store/ports/faults.ts';
import type { EventsAbout } from '../../shared/store/ports/inspection.ts';
import type { JournalEntry, JournalPage } from '../../shared/store/ports/journal.ts';
import type { Plan } from '../../shared/store/ports/plan.ts';
import type { Snapshot } from '../../shared/store/ports/snapshots.ts';
import { eventually } from '../support/eventually.ts';
import { aHop } from './a-hop.ts';
import { aPlan } from './a-plan.ts';
import { awaitingSuite } from './store-suite-awaiting.ts';
import { fullJournalSuite } from './store-suite-full-journal.ts';
import { journalSuite } from './store-suite-journal.ts';
import { lifetimeSuite } from './store-suite-lifetimes.ts';
import { runSuite } from './store-suite-runs.ts';

const CREDENTIALS = { bearer: 'b', apiKey: 'k', webhookSecret: 'w' };
const EMPTY: Snapshot = { now: 1_000, applications: {}, due: [] };
const PAGE = { after: 0, limit: 100 };
/** The wait of a change because of which no due work can begin. */
const NEVER_BEGINS = Number.POSITIVE_INFINITY;

const putting = (id: string, read: number, json = `{"id":"${id}"}`): Plan['put'][number] => ({
  collection: 'things',
  id,
  read,
  version: read + 1,
  json,
});

/** How an adapter is made for a test: with few events that may wait for the bus, when it is about that. */
export type CreateStore = (options?: {
  readonly outboxLimit?: number;
  readonly worldBytes?: number;
  readonly dropAfterMs?: number;
}) => Promise<StoreAdapter>;

/** Contract of every store adapter; it runs unchanged against memory and any other adapter. */
export function storeSuite(name: string, create: CreateStore): void {
  describe(`store: ${name}`, () => {
    async function opened(
      from: Snapshot = EMPTY,
      options: Parameters<CreateStore>[0] = {},
    ): Promise<{ adapter: StoreAdapter; store: Store; world: World }> {
      const adapter = await create(options);
      const world = await adapter.worlds.open('r', from, CREDENTIALS);
      return { adapter, store: adapter.store('oms'), world };
    }

    describe('objects', () => {
      test('a stored object is read back exactly, including empty arrays and 16-digit integers', async () => {
        const { store, world } = await opened();
        const json = '{"id":"a","list":[],"n":9007199254740991}';
        expect(await store.commit(world, aPlan({ put: [putting('a', 0, json)] }))).toMatchObject({ ok: true });
        expect(await store.object(world, 'things', 'a')).toMatchObject({ id: 'a', version: 1, json });
      });

      test('a put with an outdated version is refused and changes nothing', async () => {
        const { store, world } = await opened();
        await store.commit(world, aPlan({ put: [putting('a', 0)] }));
        const refused = await store.commit(
          world,
          aPlan({ put: [putting('b', 0), putting('a', 0)], move: [{ counter: 'c', key: 'k', field: 'f', by: 1 }] }),
        );
        expect(refused).toEqual({ ok: false, why: 'version', at: 'things/a' });
        expect(await store.object(world, 'things', 'b')).toBeUndefined();
        expect(await store.counters(world, 'c', ['k'])).toEqual([{}]);
      });

      test('a commit that expects a version is refused when the object, which was only read, has changed', async () => {
        const { store, world } = await opened();
        await store.commit(world, aPlan({ put: [putting('a', 0)] }));
        const plan = aPlan({ expect: [{ collection: 'things', id: 'a', version: 1 }], put: [putting('b', 0)] });
        await store.commit(world, aPlan({ put: [putting('a', 1)] }));
        expect(await store.commit(world, plan)).toMatchObject({ ok: false, why: 'version' });
      });

      test('a repeated operation returns its first result and takes effect once', async () => {
        const { store, world } = await opened();
        const plan = aPlan({ put: [putting('a', 0)], move: [{ counter: 'c', key: 'k', field: 'f', by: 5 }] });
        const first = await store.commit(world, plan);
        expect(await store.commit(world, plan)).toEqual(first);
        expect(await store.counters(world, 'c', ['k'])).toEqual([{ f: 5 }]);
      });

      test('an application cannot read the objects of another', async () => {
        const { adapter, store, world } = await opened();
        await store.commit(world, aPlan({ put: [putting('a', 0)] }));
        expect(await adapter.store('sim').object(world, 'things', 'a')).toBeUndefined();
      });

      test('all objects are paged in order of creation, regardless of later changes', async () => {
        const { store, world } = await opened();
        for (const id of ['c', 'a', 'b']) await store.commit(world, aPlan({ put: [putting(id, 0)] }));
        await store.commit(world, aPlan({ put: [putting('c', 1)] }));
        const first = await store.all(world, 'things', { after: 0, limit: 2 });
        expect(first.map(({ id }) => id)).toEqual(['c', 'a']);
        const rest = await store.all(world, 'things', { after: first[1]?.order ?? 0, limit: 2 });
        expect(rest.map(({ id }) => id)).toEqual(['b']);
      });

      test('all objects are paged in reverse order of creation when the newest come first', async () => {
        const { store, world } = await opened();
        for (const id of ['c', 'a', 'b']) await store.commit(world, aPlan({ put: [putting(id, 0)] }));
        const first = await store.all(world, 'things', { after: 0, limit: 2, newestFirst: true });
        expect(first.map(({ id }) => id)).toEqual(['b', 'a']);
        const rest = await store.all(world, 'things', { after: first[1]?.order ?? 0, limit: 2, newestFirst: true });
        expect(rest.map(({ id }) => id)).toEqual(['c']);
      });

      test('the estate-wide view reads pages and counters as the application does', async () => {
        const { adapter, store, world } = await opened();
        await store.commit(world, aPlan({ put: [putting('a', 0)], move: [{ counter: 'c', key: 'k', field: 'f', by: 5 }] }));
        expect(await adapter.worlds.all(world, 'oms', 'things', PAGE)).toEqual(await store.all(world, 'things', PAGE));
        expect(await adapter.worlds.counters(world, 'oms', 'c', ['k', 'other'])).toEqual([{ f: 5 }, {}]);
      });
    });

    describe('uniques and indexes', () => {
      const unique = (id: string, value: string | null, was: string | null = null) => ({
        collection: 'things',
        name: 'mail',
        id,
        value,
        was,
      });

      test('a unique value belongs to one object; the second is refused and changes nothing', async () => {
        const { store, world } = await opened();
        await store.commit(world, aPlan({ put: [putting('a', 0)], unique: [unique('a', 'x')] }));
        expect(await store.commit(world, aPlan({ put: [putting('b', 0)], unique: [unique('b', 'x')] }))).toMatchObject({
          ok: false,
          why: 'unique',
        });
        expect(await store.object(world, 'things', 'b')).toBeUndefined();
        expect((await store.unique(world, 'things', 'mail', 'x'))?.id).toBe('a');
      });

      test('a released unique value can be used by another object', async () => {
        const { store, world } = await opened();
        await store.commit(world, aPlan({ put: [putting('a', 0)], unique: [unique('a', 'x')] }));
        await store.commit(world, aPlan({ put: [putting('a', 1)], unique: [unique('a', 'y', 'x')] }));
        expect(await store.unique(world, 'things', 'mail', 'x')).toBeUndefined();
        expect(await store.commit(world, aPlan({ put: [putting('b', 0)], unique: [unique('b', 'x')] }))).toMatchObject({ ok: true });
        expect((await store.unique(world, 'things', 'mail', 'y'))?.id).toBe('a');
      });

      test('an index lists its objects in order of creation, without objects that moved to another value', async () => {
        const { store, world } = await opened();
        for (const id of ['b', 'a', 'c']) {
          await store.commit(
            world,
            aPlan({ put: [putting(id, 0)], index: [{ collection: 'things', name: 'kind', id, value: 'k', was: null }] }),
          );
        }
        await store.commit(
          world,
          aPlan({ put: [putting('a', 1)], index: [{ collection: 'things', name: 'kind', id: 'a', value: 'other', was: 'k' }] }),
        );
        expect((await store.index(world, 'things', 'kind', 'k', PAGE)).map(({ id }) => id)).toEqual(['b', 'c']);
        expect((await store.index(world, 'things', 'kind', 'other', PAGE)).map(({ id }) => id)).toEqual(['a']);
        expect(await store.index(world, 'things', 'kind', 'nothing', PAGE)).toEqual([]);
      });

      test('an index is paged in both directions, and inserts an old object in order of creation', async () => {
        const { store, world } = await opened();
        const kind = (id: string, value: string, was: string | null) => ({ collection: 'things', name: 'kind', id, value, was });
        for (const id of ['b', 'a', 'c', 'd']) {
          await store.commit(world, aPlan({ put: [putting(id, 0)], index: [kind(id, id === 'a' ? 'other' : 'k', null)] }));
        }
        await store.commit(world, aPlan({ put: [putting('a', 1)], index: [kind('a', 'k', 'other')] }));
        const first = await store.index(world, 'things', 'kind', 'k', { after: 0, limit: 2 });
        expect(first.map(({ id }) => id)).toEqual(['b', 'a']);
        const rest = await store.index(world, 'things', 'kind', 'k', { after: first[1]?.order ?? 0, limit: 5 });
        expect(rest.map(({ id }) => id)).toEqual(['c', 'd']);
        const newest = await store.index(world, 'things', 'kind', 'k', { after: 0, limit: 3, newestFirst: true });
        expect(newest.map(({ id }) => id)).toEqual(['d', 'c', 'a']);
        const oldest = await store.index(world, 'things', 'kind', 'k', { after: newest[2]?.order ?? 0, limit: 3, newestFirst: true });
        expect(oldest.map(({ id }) => id)).toEqual(['b']);
        expect(await store.index(world, 'things', 'kind', 'other', { after: 0, limit: 3, newestFirst: true })).toEqual([]);
        expect(await store.count(world, 'things', 'kind', ['k', 'other', 'nothing'])).toEqual([4, 0, 0]);
      });
    });

    describe('states', () => {
      const state = (id: string, value: string, was: string | null) => ({ collection: 'things', name: STATE_INDEX, id, value, was });
      const THINGS = { application: 'oms', collection: 'things' } as const;

      test('are counted and listed newest first, and a changed object counts once, in its present state', async () => {
        const { adapter, store, world } = await opened();
        for (const id of ['b', 'a', 'c']) await store.commit(world, aPlan({ put: [putting(id, 0)], index: [state(id, 'open', null)] }));
        await store.commit(world, aPlan({ put: [putting('b', 1)], index: [state('b', 'closed', 'open')] }));
        const counted = { ...THINGS, states: ['open', 'closed', 'lost'] };
        const stateless = { ...THINGS, states: [] };
        const elsewhere = { application: 'sim', collection: 'others', states: ['open'] } as const;
        expect(await adapter.worlds.countObjects(world, [counted, stateless, elsewhere])).toEqual([
          { count: 3, states: [2, 1, 0] },
          { count: 3, states: [] },
          { count: 0, states: [0] },
        ]);
        const page = { after: 0, limit: 10, newestFirst: true };
        const open = await adapter.worlds.inState(world, THINGS, 'open', page);
        expect(open.map(({ id }) => id)).toEqual(['c', 'a']);
        expect(await adapter.worlds.inState(world, THINGS, 'open', { ...page, after: open[0]?.order ?? 0 })).toEqual(open.slice(1));
        expect(await adapter.worlds.inState(world, THINGS, 'lost', page)).toEqual([]);
      });

      test('of a dropped world can be neither counted nor read, nor can its counters', async () => {
        const { adapter, store } = await opened();
        await expect(adapter.worlds.countObjects('gone~1', [{ ...THINGS, states: ['open'] }])).rejects.toThrow(WorldGone);
        await expect(store.object('gone~1', 'things', 'a')).rejects.toThrow(WorldGone);
        for (const keys of [[], ['k']]) await expect(store.counters('gone~1', 'c', keys)).rejects.toThrow(WorldGone);
      });
    });

    describe('counters', () => {
      const take = (by: number) => ({
        move: [{ counter: 'stock', key: 'sku', field: 'reserved', by }],
        guard: [{ counter: 'stock', key: 'sku', terms: { onHand: 1, reserved: -1 } as const }],
      });

      test('moves of one key are summed before the guard checks them', async () => {
        const { store, world } = await opened();
        await store.commit(world, aPlan({ move: [{ counter: 'stock', key: 'sku', field: 'onHand', by: 2 }] }));
        const twice = { ...take(1), move: [...take(1).move, ...take(2).move] };
        expect(await store.commit(world, aPlan(twice))).toMatchObject({ ok: false, why: 'guard' });
        expect(await store.counters(world, 'stock', ['sku'])).toEqual([{ onHand: 2 }]);
      });

      test('a violated guard does not block a move that improves the counter', async () => {
        const { store, world } = await opened();
        await store.commit(world, aPlan({ move: [{ counter: 'stock', key: 'sku', field: 'reserved', by: 3 }] }));
        expect(await store.commit(world, aPlan(take(-1)))).toMatchObject({ ok: true });
        expect(await store.commit(world, aPlan(take(1)))).toMatchObject({ ok: false, why: 'guard' });
      });

      test('of a hundred concurrent takes of the last unit, one succeeds', async () => {
        const { store, world } = await opened();
        await store.commit(world, aPlan({ move: [{ counter: 'stock', key: 'sku', field: 'onHand', by: 1 }] }));
        const results = await Promise.all(Array.from({ length: 100 }, () => store.commit(world, aPlan(take(1)))));
        expect(results.filter(({ ok }) => ok)).toHaveLength(1);
      });

      test('random takes and returns never violate the guard, and the counter is the sum of the accepted moves', async () => {
        await fc.assert(
          fc.asyncProperty(fc.array(fc.integer({ min: -3, max: 5 }), { minLength: 1, maxLength: 40 }), async (amounts) => {
            const { store, world } = await opened();
            await store.commit(world, aPlan({ move: [{ counter: 'stock', key: 'sku', field: 'onHand', by: 7 }] }));
            let reserved = 0;
            for (const by of amounts) if ((await store.commit(world, aPlan(take(by)))).ok) reserved += by;
            const [counted] = await store.counters(world, 'stock', ['sku']);
            expect(counted?.['reserved'] ?? 0).toBe(reserved);
            expect(reserved).toBeLessThanOrEqual(7);
          }),
          { numRuns: 50 },
        );
      });
    });

    describe('claims', () => {
      const done = (key: string, token: string, json = '{"status":200}') =>
        aPlan({ fence: { kind: 'claim', key, token }, outcome: { json, keepUntil: 5_000 } });

      test('of fifty concurrent claims of one key, one succeeds and the others find it running', async () => {
        const { store, world } = await opened();
        const claims = await Promise.all(
          Array.from({ length: 50 }, () => store.claim(world, { key: 'k', fingerprint: 'f', now: 1_000, leaseMs: 10_000 })),
        );
        expect(claims.filter(({ is }) => is === 'ours')).toHaveLength(1);
        const running = claims.flatMap((claim) => (claim.is === 'running' ? [claim.leftMs] : []));
        expect(running).toHaveLength(49);
        for (const leftMs of running) expect([leftMs > 0, leftMs <= 10_000]).toEqual([true, true]);
      });

      test('the last commit stores the outcome, which repeats get until it expires', async () => {
        const { store, world } = await opened();
        const claim = await store.claim(world, { key: 'k', fingerprint: 'f', now: 1_000, leaseMs: 10_000 });
        if (claim.is !== 'ours') throw new Error('not ours');
        expect(await store.commit(world, done('k', claim.token))).toMatchObject({ ok: true });
        expect(await store.claim(world, { key: 'k', fingerprint: 'f', now: 4_999, leaseMs: 10_000 })).toEqual({
          is: 'done',
          json: '{"status":200}',
        });
        expect(await store.claim(world, { key: 'k', fingerprint: 'other', now: 4_999, leaseMs: 10_000 })).toEqual({ is: 'other-body' });
        expect(await store.claim(world, { key: 'k', fingerprint: 'f', now: 5_000, leaseMs: 10_000 })).toMatchObject({
          is: 'ours',
          since: 5_000,
        });
      });

      test('an abandoned claim is taken over with its original instant, and its former holder can no longer commit', async () => {
        const { store, world } = await opened();
        const slow = await store.claim(world, { key: 'k', fingerprint: 'f', now: 1_000, leaseMs: 0 });
        const fast = await store.claim(world, { key: 'k', fingerprint: 'f', now: 2_000, leaseMs: 10_000 });
        if (slow.is !== 'ours' || fast.is !== 'ours') throw new Error('not ours');
        expect(fast.since).toBe(1_000);
        expect(await store.commit(world, done('k', slow.token))).toMatchObject({ ok: false, why: 'held' });
        expect(await store.commit(world, done('k', fast.token))).toMatchObject({ ok: true });
      });

      test('a released key can be claimed again at once, also with another body', async () => {
        const { store, world } = await opened();
        const first = await store.claim(world, { key: 'k', fingerprint: 'f', now: 1_000, leaseMs: 10_000 });
        if (first.is !== 'ours') throw new Error('not ours');
        await store.release(world, 'k', first.token);
        expect(await store.claim(world, { key: 'k', fingerprint: 'g', now: 3_000, leaseMs: 10_000 })).toMatchObject({
          is: 'ours',
          since: 3_000,
        });
      });

      test('a passed precondition is known to the next holder of the same request until the outcome is stored', async () => {
        const { store, world } = await opened();
        const claimed = async (fingerprint: string, lease = 0, now = 1_000) => {
          const claim = await store.claim(world, { key: 'k', fingerprint, now, leaseMs: lease });
          if (claim.is !== 'ours') throw new Error('not ours');
          return claim;
        };
        const first = await claimed('f');
        expect(first.preconditionHeld).toBe(false);
        const checkpoint = { ...aPlan({ fence: { kind: 'claim', key: 'k', token: first.token } }), last: false, preconditionHeld: true };
        expect(await store.commit(world, checkpoint)).toMatchObject({ ok: true });
        const second = await claimed('f');
        expect(second.preconditionHeld).toBe(true);
        await store.release(world, 'k', second.token);
        const third = await claimed('f', 10_000);
        expect(third.preconditionHeld).toBe(true);
        await store.commit(world, done('k', third.token));
        expect((await claimed('f', 0, 5_000)).preconditionHeld).toBe(false);
      });

      test('a passed precondition is not known to another request', async () => {
        const { store, world } = await opened();
        const first = await store.claim(world, { key: 'k', fingerprint: 'f', now: 1_000, leaseMs: 0 });
        if (first.is !== 'ours') throw new Error('not ours');
        const checkpoint = { ...aPlan({ fence: { kind: 'claim', key: 'k', token: first.token } }), last: false, preconditionHeld: true };
        await store.commit(world, checkpoint);
        expect(await store.claim(world, { key: 'k', fingerprint: 'g', now: 2_000, leaseMs: 0 })).toMatchObject({
          is: 'ours',
          preconditionHeld: false,
        });
      });

      test('a release after the outcome was stored changes nothing', async () => {
        const { store, world } = await opened();
        const claim = await store.claim(world, { key: 'k', fingerprint: 'f', now: 1_000, leaseMs: 10_000 });
        if (claim.is !== 'ours') throw new Error('not ours');
        await store.commit(world, done('k', claim.token));
        await store.release(world, 'k', claim.token);
        expect(await store.claim(world, { key: 'k', fingerprint: 'f', now: 1_500, leaseMs: 10_000 })).toMatchObject({ is: 'done' });
      });
    });

    describe('outbox and deliveries', () => {
      const event = (id: string, subscribers: readonly 'crm'[] = []) => ({ id, topic: 't', key: 'k', json: `{"id":"${id}"}`, subscribers });

      test('acknowledged events leave the outbox in order and are listed from then on', async () => {
        const { adapter, store, world } = await opened();
        await store.commit(world, aPlan({ events: [event('e1'), event('e2')] }));
        expect((await store.drain(world, { token: 'relay' }))?.entries.map(({ id }) => id)).toEqual(['e1', 'e2']);
        expect(await adapter.worlds.events(world, 0, 10)).toEqual([]);
        await store.commit(world, aPlan({ events: [event('e3')] }));
        expect((await store.drain(world, { token: 'relay', sent: ['e1', 'e2'] }))?.entries.map(({ id }) => id)).toEqual(['e3']);
        expect(await store.drain(world, { token: 'relay', sent: ['e3'] })).toBeUndefined();
        expect((await adapter.worlds.events(world, 0, 10)).map(({ id, order }) => [id, order])).toEqual([
          ['e1', 1],
          ['e2', 2],
          ['e3', 3],
        ]);
        expect((await adapter.worlds.events(world, 2, 10)).map(({ id }) => id)).toEqual(['e3']);
      });

      test('events can be filtered by correlation id, subject and type, without additional ones, from any position', async () => {
        const { adapter, store, world } = await opened();
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
        await store.commit(world, aPlan({ events }));
        await store.drain(world, { token: 'relay' });
        await store.drain(world, { token: 'relay', sent: events.map(({ id }) => id) });
        const found = async (what: EventsAbout, after = 0, limit = 10) => {
          const page = await adapter.worlds.eventsAbout(world, what, after, limit);
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

      test('one relay leases an outbox, and releases it in the step that finds it empty', async () => {
        const { store, world } = await opened();
        await store.commit(world, aPlan({ events: [event('e1')] }));
        await store.drain(world, { token: 'first' });
        expect(await store.drain(world, { token: 'second' })).toBeUndefined();
        await store.drain(world, { token: 'first', sent: ['e1'] });
        await store.commit(world, aPlan({ events: [event('e2')] }));
        expect((await store.drain(world, { token: 'second' }))?.entries.map(({ id }) => id)).toEqual(['e2']);
      });

      test('a commit hands the outbox over to the relay that it names, with the events that waited before, unless another relay has it', async () => {
        const { adapter, store, world } = await opened();
        const struck = { ...event('e2', ['crm']), struck: true as const, committedAt: 5, hop: 'req_1' };
        await store.commit(world, aPlan({ events: [event('e1')] }));
        const plan = aPlan({ events: [struck], relay: 'first' });
        const { subscribers: _subscribers, ...entry } = struck;
        const first = await store.commit(world, plan);
        expect(first).toMatchObject({ ok: true, batch: { entries: [{ id: 'e1' }, entry], faults: 0 } });
        expect(first.ok && first.batch?.entries[1]).toEqual(entry);
        expect(await store.commit(world, plan)).toEqual({ ok: true, seq: 2 });
        expect(await store.drain(world, { token: 'second' })).toBeUndefined();
        expect(await store.commit(world, aPlan({ events: [event('e3')], relay: 'second' }))).toEqual({ ok: true, seq: 3 });
        expect((await store.drain(world, { token: 'first', sent: ['e1', 'e2'] }))?.entries.map(({ id }) => id)).toEqual(['e3']);
        expect(await store.drain(world, { token: 'first', sent: ['e3'] })).toBeUndefined();
        expect((await adapter.worlds.events(world, 0, 10)).map(({ id }) => id)).toEqual(['e1', 'e2', 'e3']);
        expect(await store.commit(world, aPlan({ put: [putting('a', 0)], relay: 'first' }))).toEqual({ ok: true, seq: 4 });
        await adapter.worlds.setFault(world, 'f', '{}');
        const { faults } = (await adapter.worlds.current(world)) ?? {};
        expect(await store.commit(world, aPlan({ events: [event('e4')], relay: 'second' }))).toMatchObject({ batch: { faults } });
      });

      test('a commit hands over no more events than a batch has, in their order', async () => {
        const { store, world } = await opened();
        const ids = Array.from({ length: 150 }, (_, n) => `e${n}`);
        await store.commit(world, aPlan({ events: ids.slice(0, 90).map((id) => event(id)) }));
        const committed = await store.commit(world, aPlan({ events: ids.slice(90).map((id) => event(id)), relay: 'first' }));
        const first = committed.ok ? committed.batch?.entries.map(({ id }) => id) : undefined;
        expect(first).toEqual(ids.slice(0, 100));
        expect((await store.drain(world, { token: 'first', sent: first ?? [] }))?.entries.map(({ id }) => id)).toEqual(ids.slice(100));
      });

      test('a batch comes with the revision of the faults, which is 0 while there are none', async () => {
        const { adapter, store, world } = await opened();
        await store.commit(world, aPlan({ events: [event('e1'), event('e2'), event('e3')] }));
        expect(await store.drain(world, { token: 'relay' })).toMatchObject({ faults: 0 });
        await adapter.worlds.setFault(world, 'f', '{}');
        const { faults } = (await adapter.worlds.current(world)) ?? {};
        expect(faults).toBeGreaterThan(0);
        expect(await store.drain(world, { token: 'relay', sent: ['e1'] })).toMatchObject({ faults });
        await adapter.worlds.removeFault(world);
        expect(await store.drain(world, { token: 'relay', sent: ['e2'] })).toMatchObject({ faults: 0 });
      });

      test('a stopping relay acknowledges its sent events and releases the outbox, so that another can lease the rest at once', async () => {
        const { adapter, store, world } = await opened();
        await store.commit(world, aPlan({ events: [event('e1'), event('e2')] }));
        await store.drain(world, { token: 'first' });
        await store.commit(world, aPlan({ events: [event('e3')] }));
        expect(await store.drain(world, { token: 'first', sent: ['e1', 'e2'], isStopping: true })).toBeUndefined();
        expect((await adapter.worlds.events(world, 0, 10)).map(({ id }) => id)).toEqual(['e1', 'e2']);
        expect(await store.unsent()).toEqual([world]);
        expect((await store.drain(world, { token: 'second' }))?.entries.map(({ id }) => id)).toEqual(['e3']);
        await store.drain(world, { token: 'second', isStopping: true });
        expect(await store.unsent()).toEqual([world]);
        await store.drain(world, { token: 'third' });
        expect(await store.drain(world, { token: 'third', sent: ['e3'], isStopping: true })).toBeUndefined();
        expect(await store.unsent()).toEqual([]);
      });

      test('an outbox without a relay is found, and a leased one is not', async () => {
        const { store, world } = await opened();
        expect(await store.unsent()).toEqual([]);
        await store.commit(world, aPlan({ events: [event('e1')] }));
        expect(await store.unsent()).toEqual([world]);
        await store.drain(world, { token: 'first' });
        expect(await store.unsent()).toEqual([]);
      });

      test('a delivery is pending until its subscriber commits, and can be consumed only once', async () => {
        const { adapter, store, world } = await opened();
        const crm = adapter.store('crm');
        await store.commit(world, aPlan({ events: [event('e1', ['crm'])] }));
        expect((await adapter.worlds.ledger(world)).pending).toEqual(['crm|e1']);
        const consume = () => crm.commit(world, aPlan({ fence: { kind: 'delivery', key: 'crm|e1' }, put: [putting(randomUUID(), 0)] }));
        expect(await consume()).toMatchObject({ ok: true });
        expect(await consume()).toMatchObject({ ok: false, why: 'held' });
        expect(await crm.isPending(world, 'crm|e1')).toBe(false);
        expect(await crm.all(world, 'things', PAGE)).toHaveLength(1);
      });

      test('when too many events wait for the bus, requests with events are refused and change nothing, until some are sent', async () => {
        const { store, world } = await opened(EMPTY, { outboxLimit: 2 });
        await store.commit(world, aPlan({ events: [event('e1'), event('e2')] }));
        const claim = await store.claim(world, { key: 'k', fingerprint: 'f', now: 1_000, leaseMs: 60_000 });
        if (claim.is !== 'ours') throw new Error('not ours');
        const fence = { kind: 'claim', key: 'k', token: claim.token } as const;
        const refused = { ok: false, why: 'full', at: '2' };
        expect(await store.commit(world, aPlan({ fence, put: [putting('a', 0)], events: [event('e3')] }))).toEqual(refused);
        expect(await store.commit(world, aPlan({ put: [putting('a', 0)], events: [event('e3')] }))).toEqual(refused);
        expect(await store.object(world, 'things', 'a')).toBeUndefined();
        expect(await store.commit(world, aPlan({ put: [putting('b', 0)] }))).toMatchObject({ ok: true });
        await store.drain(world, { token: 'relay' });
        expect((await store.drain(world, { token: 'relay', sent: ['e1'] }))?.entries.map(({ id }) => id)).toEqual(['e2']);
        expect(await store.commit(world, aPlan({ fence, put: [putting('a', 0)], events: [event('e3')] }))).toMatchObject({ ok: true });
      });

      test('when too many events wait for the bus, deliveries and due work can still commit their events', async () => {
        const { adapter, store, world } = await opened(EMPTY, { outboxLimit: 1 });
        const timer = { kind: 'timer', key: 'x', at: 10, payload: '1', correlationId: 'c' };
        await store.commit(world, aPlan({ events: [event('e1', ['crm'])], due: [timer] }));
        const crm = adapter.store('crm');
        await crm.commit(world, aPlan({ events: [event('c1')] }));
        const delivery = { kind: 'delivery', key: 'crm|e1' } as const;
        expect(await crm.commit(world, aPlan({ fence: delivery, events: [event('c2')] }))).toMatchObject({ ok: true });
        await adapter.worlds.leaseNext(world, { upTo: 10, token: 'mine', leaseMs: 60_000 });
        const due = { kind: 'due', key: 'oms|timer|x', token: 'mine' } as const;
        expect(await store.commit(world, aPlan({ fence: due, events: [event('e2')] }))).toMatchObject({ ok: true });
      });

      test('a world beyond its size and the room for started work refuses commits that enlarge it, and still ends work', async () => {
        const { adapter, store, world } = await opened(EMPTY, { worldBytes: 1_000 });
        const view = () => adapter.worlds.resolve('r');
        const timer = { kind: 'timer', key: 'x', at: 10, payload: '1', correlationId: 'c' };
        expect(await store.commit(world, aPlan({ put: [{ ...putting('a', 0), json: 'x'.repeat(1_300) }], due: [timer] }))).toMatchObject({
          ok: true,
        });
        const size = (await view())?.bytes ?? 0;
        expect(size).toBeGreaterThan(1_250);
        const refused = { ok: false, why: 'space', at: String(size) };
        expect(await store.commit(world, aPlan({ put: [putting('b', 0)] }))).toEqual(refused);
        expect(await store.commit(world, aPlan({ events: [event('e1')] }))).toEqual(refused);
        expect(await store.object(world, 'things', 'b')).toBeUndefined();
        await adapter.worlds.leaseNext(world, { upTo: 10, token: 'mine', leaseMs: 60_000 });
        const fence = { kind: 'due', key: 'oms|timer|x', token: 'mine' } as const;
        expect(await store.commit(world, aPlan({ fence, events: [{ ...event('e2'), struck: true }] }))).toMatchObject({ ok: true });
        expect(await store.commit(world, aPlan({ move: [{ counter: 'n', key: 'k', field: 'f', by: 1 }] }))).toMatchObject({ ok: true });
      });

      test('ended claims count for the size of a world until they are forgotten, and claims that are made again count once', async () => {
        const { adapter, store, world } = await opened();
        const bytes = async () => (await adapter.worlds.resolve('r'))?.bytes ?? 0;
        const claim = async (key: string, now: number) => {
          const made = await store.claim(world, { key, fingerprint: 'f', now, leaseMs: 60_000 });
          if (made.is !== 'ours') throw new Error('not ours');
          return made.token;
        };
        const before = await bytes();
        const token = await claim('k', 1_000);
        expect(await bytes()).toBe(before);
        await store.release(world, 'k', token);
        expect(await bytes()).toBe(before + 200);
        await store.release(world, 'k', await claim('k', 1_000));
        expect(await bytes()).toBe(before + 200);
        const fence = { kind: 'claim', key: 'k', token: await claim('k', 1_000) } as const;
        await store.commit(world, aPlan({ fence, outcome: { json: '12345', keepUntil: 2_000 } }));
        expect(await bytes()).toBe(before + 205);
        await store.release(world, 'other', await claim('other', 3_000));
        expect(await bytes()).toBe(before + 200);
      });

      test('each application has its own outbox, and a full one does not block others', async () => {
        const { adapter, store, world } = await opened(EMPTY, { outboxLimit: 1 });
        await store.commit(world, aPlan({ events: [event('e1')] }));
        expect(await adapter.store('crm').commit(world, aPlan({ events: [event('c1')] }))).toMatchObject({ ok: true });
      });

      test('the outstanding work of one event names its outbox entry, its fault, its subscribers, and its parked deliveries', async () => {
        const { adapter, store, world } = await opened();
        const subscribers = ['crm', 'loyalty-platform'] as const;
        const nothing = { entry: undefined, withheldBy: undefined, pending: [], parked: [] };
        expect(await adapter.worlds.eventWork(world, 'e1')).toEqual(nothing);
        await store.commit(world, aPlan({ events: ['e1', 'e2'].map((id) => ({ ...event(id), subscribers })) }));
        const inOutbox = await adapter.worlds.eventWork(world, 'e1');
        expect([inOutbox.entry?.json, inOutbox.withheldBy]).toEqual(['{"id":"e1"}', undefined]);
        expect([...inOutbox.pending].toSorted()).toEqual(subscribers);
        await store.drain(world, { token: 'relay' });
        const due = { kind: PUBLISH_WITHHELD_EVENT, key: 'e2', at: NEVER, payload: JSON.stringify(event('e2')), correlationId: 'c' };
        await adapter.worlds.setFault(world, 'slow', '{}');
        await store.drain(world, {
          token: 'relay',
          sent: ['e1'],
          withheld: [{ id: 'e2', due: { ...due, withheldBy: 'slow', withheldAt: 1 } }],
        });
        expect(await adapter.worlds.eventWork(world, 'e2')).toMatchObject({ entry: { id: 'e2', json: '{"id":"e2"}' }, withheldBy: 'slow' });
        const crm = adapter.store('crm');
        await crm.commit(world, aPlan({ fence: { kind: 'delivery', key: 'crm|e1' } }));
        await adapter.store('loyalty-platform').park(world, 'loyalty-platform|e1', 'poison\n"1"');
        const parked = [{ application: 'loyalty-platform', error: 'poison\n"1"' }];
        expect(await adapter.worlds.eventWork(world, 'e1')).toEqual({ ...nothing, parked });
      });

      test('a ledger lists the requested number of items and counts all', async () => {
        const { adapter, store, world } = await opened();
        await store.commit(world, aPlan({ events: ['e1', 'e2', 'e3'].map((id) => event(id, ['crm'])) }));
        for (const id of ['e1', 'e2']) await adapter.store('crm').park(world, `crm|${id}`, 'poison');
        const none = { running: 0, withheld: 0 };
        expect(await adapter.worlds.ledger(world, 1)).toMatchObject({
          unsent: ['oms|e1'],
          pending: ['crm|e3'],
          parked: [{ key: 'crm|e1' }],
          counts: { unsent: 3, pending: 1, parked: 2, ...none },
        });
        expect((await adapter.worlds.ledger(world)).unsent).toHaveLength(3);
      });

      test('a ledger neither lists nor counts deliveries of withheld events as pending', async () => {
        const { adapter, store, world } = await opened();
        await adapter.worlds.setFault(world, 'f', '{}');
        await store.commit(world, aPlan({ events: ['e1', 'e2', 'e3'].map((id) => event(id, ['crm'])) }));
        await store.drain(world, { token: 'relay' });
        const due = { kind: PUBLISH_WITHHELD_EVENT, key: 'e1', at: NEVER, payload: '{}', correlationId: 'c', withheldBy: 'f' };
        await store.drain(world, { token: 'relay', sent: ['e2', 'e3'], withheld: [{ id: 'e1', due }] });
        expect(await adapter.worlds.ledger(world, 1)).toMatchObject({
          pending: ['crm|e2'],
          counts: { unsent: 0, pending: 2, withheld: 1 },
        });
      });

      test('a parked delivery is listed and no longer pending', async () => {
        const { adapter, store, world } = await opened();
        await store.commit(world, aPlan({ events: [event('e1', ['crm'])] }));
        await adapter.store('crm').park(world, 'crm|e1', 'poison');
        const ledger = await adapter.worlds.ledger(world);
        expect(ledger.pending).toEqual([]);
        expect(ledger.parked).toMatchObject([{ what: 'delivery', key: 'crm|e1', error: 'poison' }]);
      });
    });

    describe('running work', () => {
      const timer = (at: number | null) => aPlan({ due: [{ kind: 'timer', key: 'x', at, payload: '1', correlationId: 'c' }] });
      const KEY = 'oms|timer|x';

      /** Starts an item, which its application cancels or replaces before it completes. */
      async function overtaken(by: 'cancelled' | 'replaced', leaseMs = 60_000) {
        const scene = await opened();
        await scene.store.commit(scene.world, timer(10));
        const item = await scene.adapter.worlds.leaseNext(scene.world, { upTo: 10, token: 'mine', leaseMs });
        if (!item) throw new Error('nothing due');
        await scene.store.commit(scene.world, timer(by === 'cancelled' ? null : 9_000));
        const running = async () => {
          const { running: names, counts } = await scene.adapter.worlds.ledger(scene.world);
          expect([counts.running, (await scene.adapter.worlds.status(scene.world))?.running]).toEqual([names.length, names.length]);
          return names;
        };
        return { ...scene, item, running };
      }

      test.each(['cancelled', 'replaced'] as const)(
        'counts as running although it was %s, until its last commit is refused',
        async (by) => {
          const { store, world, running } = await overtaken(by);
          expect(await running()).toEqual([KEY]);
          const last = aPlan({ fence: { kind: 'due', key: KEY, token: 'mine' } });
          expect(await store.commit(world, last)).toEqual({ ok: false, why: 'held', at: KEY });
          expect(await running()).toEqual([]);
        },
      );

      test.each(['cancelled', 'replaced'] as const)('counts as running although it was %s, until it failed', async (by) => {
        const { adapter, world, item, running } = await overtaken(by);
        expect(await running()).toEqual([KEY]);
        await adapter.worlds.requeue(world, item, 'mine', { at: 20, attempts: 1 });
        expect(await running()).toEqual([]);
        expect((await adapter.worlds.ledger(world)).next?.at).toBe(by === 'cancelled' ? undefined : 9_000);
      });

      test('counts as running although it was cancelled, until it is released', async () => {
        const { store, world, running } = await overtaken('cancelled');
        expect(await running()).toEqual([KEY]);
        await store.releaseDue(world, { kind: 'timer', key: 'x', token: 'mine' });
        expect(await running()).toEqual([]);
      });

      test('counts in addition to its replacement when both run', async () => {
        const { adapter, world, running } = await overtaken('replaced');
        await adapter.worlds.leaseNext(world, { upTo: 9_000, token: 'yours', leaseMs: 60_000 });
        expect(await running()).toEqual([KEY, KEY]);
      });

      test('no longer counts after its lease has expired', async () => {
        const { adapter, world } = await overtaken('cancelled', 20);
        await eventually('its lease has run out', async () => (await adapter.worlds.status(world))?.running === 0);
        expect((await adapter.worlds.ledger(world)).running).toEqual([]);
      });

      test('notifies watchers of its end', async () => {
        const { adapter, store, world } = await overtaken('cancelled');
        const told: World[] = [];
        const unwatch = adapter.worlds.watch((changed) => told.push(changed));
        await store.commit(world, aPlan({ fence: { kind: 'due', key: KEY, token: 'mine' } }));
        await eventually('it was told', async () => told.includes(world));
        unwatch();
      });
    });

    describe('watchers', () => {
      const event = (id: string) => ({ id, topic: 't', key: 'k', json: '{}', subscribers: ['crm' as const] });
      const timer = (key: string) => ({ kind: 'timer', key, at: 0, payload: 'null', correlationId: 'c' });
      const lease = { token: 't', until: Date.now() + 600_000 };

      async function watched() {
        const scene = await opened();
        const marker = await scene.adapter.worlds.open('marker', EMPTY, CREDENTIALS);
        const told: (readonly [World, number])[] = [];
        scene.adapter.worlds.watch((world, waitMs) => told.push([world, waitMs]));
        /** Until everything before was told: changes are told in their order. */
        async function heard(): Promise<void> {
          const before = told.length;
          await scene.store.commit(marker, aPlan({ due: [timer('marker')] }));
          await eventually('the marker was told', async () => told.slice(before).some(([world]) => world === marker));
        }
        /** The wait after which a change may begin work. A process knows it only of a change that follows another. */
        async function says(change: () => Promise<unknown>): Promise<number> {
          await scene.store.commit(scene.world, aPlan({ due: [timer('before')] }));
          await heard();
          told.length = 0;
          await change();
          await heard();
          return Math.min(...told.flatMap(([world, waitMs]) => (world === scene.world ? [waitMs] : [])));
        }
        return { ...scene, says };
      }

      test('learn that work may begin when it is scheduled, let go, set free by a fault or driven by a clock that was set', async () => {
        const { adapter, store, world, says } = await watched();
        expect(await says(() => store.commit(world, aPlan({ due: [timer('a')] })))).toBe(0);
        expect(await says(() => adapter.worlds.setClock(world, { now: 2_000, flowing: false }))).toBe(0);
        expect(await says(() => adapter.worlds.setFault(world, 'f', '{}'))).toBe(0);
        await store.commit(world, aPlan({ due: [{ ...timer('b'), lease }] }));
        expect(await says(() => store.releaseDue(world, { kind: 'timer', key: 'b', token: 't' }))).toBe(0);
      });

      test('learn when scheduled work may begin: at its instant on a clock that flows, after its lease, or only when a clock that stands is set', async () => {
        async function waits(): Promise<readonly number[]> {
          const { adapter, store, world, says } = await watched();
          const at = (key: string, ms: number) => ({ ...timer(key), at: ms });
          return [
            await says(() => store.commit(world, aPlan({ due: [at('a', 901_000), at('b', 601_000)] }))),
            await says(() => store.commit(world, aPlan({ due: [{ ...timer('c'), lease: { ...lease, until: Date.now() + 300_000 } }] }))),
            await says(() => store.commit(world, aPlan({ due: [{ ...timer('a'), at: null }] }))),
            await says(async () => {
              await adapter.worlds.setClock(world, { now: 2_000, flowing: false });
              await store.commit(world, aPlan({ due: [timer('before')] }));
            }),
            await says(() => store.commit(world, aPlan({ due: [at('d', 601_000)] }))),
          ];
        }
        /** In minutes, of which the test takes less than one. */
        const inMinutes = (found: readonly number[]): readonly number[] => found.map((wait) => Math.ceil(wait / 60_000));
        // A search for lost messages may find a change before its message comes, and then does not know what it was.
        let found = await waits();
        for (let again = 0; again < 3 && found.filter((wait) => wait === 0).length > 1; again++) found = await waits();
        expect(inMinutes(found)).toEqual([10, 5, NEVER_BEGINS, 0, NEVER_BEGINS]);
      });

      test('learn that none can begin when events are committed, published, consumed or parked, or when due work ends', async () => {
        async function quietChanges(): Promise<readonly number[]> {
          const { adapter, store, world, says } = await watched();
          const crm = adapter.store('crm');
          await store.commit(world, aPlan({ due: [{ ...timer('b'), lease }] }));
          return [
            await says(() => store.commit(world, aPlan({ events: [event('e1'), event('e2')] }))),
            await says(async () => {
              await store.drain(world, { token: 'relay' });
              await store.drain(world, { token: 'relay', sent: ['e1'] });
            }),
            await says(() => crm.commit(world, aPlan({ fence: { kind: 'delivery', key: 'crm|e1' } }))),
            await says(() => crm.park(world, 'crm|e2', 'poison')),
            await says(() => store.commit(world, aPlan({ fence: { kind: 'due', key: 'oms|timer|b', token: 't' } }))),
          ];
        }
        // A search for lost messages may find a change before its message comes, and then does not know what it was.
        let found = await quietChanges();
        for (let again = 0; again < 3 && found.includes(0); again++) found = await quietChanges();
        expect(found).toEqual(Array.from({ length: 5 }, () => NEVER_BEGINS));
      });

      test('learn that work may begin when an event that was withheld has gone on: the next one has its turn', async () => {
        const { store, world, says } = await watched();
        await store.commit(world, aPlan({ due: [{ ...timer('e1'), kind: PUBLISH_WITHHELD_EVENT, lease }] }));
        const fence = { kind: 'due', key: `oms|${PUBLISH_WITHHELD_EVENT}|e1`, token: 't' } as const;
        expect(await says(() => store.commit(world, aPlan({ fence })))).toBe(0);
      });
    });

    describe('redriven work', () => {
      const stored = { id: 'e1', topic: 't', key: 'k', json: '{"id":"e1","correlationid":"story"}' };
      async function parkedDelivery() {
        const scene = await opened();
        await scene.adapter.worlds.setClock(scene.world, { now: 1_000, flowing: false });
        await scene.store.commit(scene.world, aPlan({ events: [{ ...stored, subscribers: ['crm'] }] }));
        const crm = scene.adapter.store('crm');
        await crm.park(scene.world, 'crm|e1', 'poison');
        const again = { what: 'delivery', key: 'crm|e1', event: stored } as const;
        return { ...scene, crm, again };
      }

      test('a redriven delivery is pending again, and due at once at its subscriber with its event', async () => {
        const { adapter, world, crm, again } = await parkedDelivery();
        expect(await adapter.worlds.redrive(world, [again])).toEqual([again]);
        expect(await adapter.worlds.ledger(world)).toMatchObject({ parked: [], pending: ['crm|e1'] });
        const item = await adapter.worlds.leaseNext(world, { upTo: 1_000, token: 'mine', leaseMs: 60_000 });
        expect(item).toMatchObject({ application: 'crm', kind: DELIVER_AGAIN, key: 'e1', correlationId: 'story', payload: stored });
        expect(await crm.commit(world, aPlan({ fence: { kind: 'delivery', key: 'crm|e1' } }))).toMatchObject({ ok: true });
      });

      test('due work and a redriven delivery keep the hop that scheduled or published them', async () => {
        const { adapter, store, world } = await opened();
        await adapter.worlds.setClock(world, { now: 1_000, flowing: false });
        const timer = { kind: 'timer', key: 'a', at: 0, payload: 'null', correlationId: 'c', hop: 'req_1' };
        await store.commit(world, aPlan({ events: [{ ...stored, subscribers: ['crm'], hop: 'req_2' }], due: [timer] }));
        expect((await adapter.worlds.leaseNext(world, { upTo: 1_000, token: 'one', leaseMs: 60_000 }))?.hop).toBe('req_1');
        expect((await store.drain(world, { token: 'relay' }))?.entries.map(({ hop }) => hop)).toEqual(['req_2']);
        await store.drain(world, { token: 'relay', sent: ['e1'] });
        const [event] = await adapter.worlds.events(world, 0, 1);
        expect(event).toEqual({ ...stored, order: 1, hop: 'req_2' });
        await adapter.store('crm').park(world, 'crm|e1', 'poison');
        await adapter.worlds.redrive(world, [{ what: 'delivery', key: 'crm|e1', event: { ...stored, hop: 'req_2' } }]);
        expect((await adapter.worlds.leaseNext(world, { upTo: 1_000, token: 'two', leaseMs: 60_000 }))?.hop).toBe('req_2');
        expect((await adapter.worlds.snapshot(world)).due.filter((item) => 'hop' in item)).toEqual([]);
      });

      test('of many concurrent redrives, one succeeds', async () => {
        const { adapter, world, again } = await parkedDelivery();
        const driven = await Promise.all(Array.from({ length: 10 }, () => adapter.worlds.redrive(world, [again])));
        expect(driven.flat()).toHaveLength(1);
        expect(await adapter.worlds.redrive(world, [{ what: 'due', key: 'oms|timer|none' }])).toEqual([]);
      });

      test('a redriven delivery that fails is parked as a delivery again, unless it was consumed meanwhile', async () => {
        const { adapter, world, crm, again } = await parkedDelivery();
        const giveUp = async (token: string) => {
          const item = await adapter.worlds.leaseNext(world, { upTo: 1_000, token, leaseMs: 60_000 });
          if (!item) throw new Error('nothing due');
          await adapter.worlds.requeue(world, item, token, { parked: 'still poison' });
        };
        await adapter.worlds.redrive(world, [again]);
        await giveUp('t1');
        expect(await adapter.worlds.ledger(world)).toMatchObject({
          pending: [],
          parked: [{ what: 'delivery', key: 'crm|e1', error: 'still poison' }],
        });
        await adapter.worlds.redrive(world, [again]);
        await crm.commit(world, aPlan({ fence: { kind: 'delivery', key: 'crm|e1' } }));
        await giveUp('t2');
        expect(await adapter.worlds.ledger(world)).toMatchObject({ pending: [], parked: [], next: undefined });
      });

      test('redriven due work is due at once with its payload, for one attempt', async () => {
        const { adapter, store, world } = await parkedDelivery();
        await store.commit(world, aPlan({ due: [{ kind: 'timer', key: 'x', at: 10, payload: '{"n":1}', correlationId: 'c' }] }));
        const item = await adapter.worlds.leaseNext(world, { upTo: 10, token: 't', leaseMs: 60_000 });
        if (!item) throw new Error('nothing due');
        await adapter.worlds.requeue(world, item, 't', { parked: 'two\nlines and "quotes"' });
        expect((await adapter.worlds.ledger(world)).parked).toMatchObject([
          { key: 'crm|e1' },
          { error: 'two\nlines and "quotes"', at: 1_000 },
        ]);
        await adapter.worlds.redrive(world, [{ what: 'due', key: 'oms|timer|x' }]);
        expect(await adapter.worlds.leaseNext(world, { upTo: 1_000, token: 't', leaseMs: 60_000 })).toEqual({
          ...item,
          at: 1_000,
          seq: expect.any(Number),
          attempts: BACKOFF_MS.length,
        });
        expect((await adapter.worlds.ledger(world)).parked).toMatchObject([{ key: 'crm|e1' }]);
      });

      test('redriven due work does not replace work that the application has scheduled since', async () => {
        const { adapter, store, world } = await parkedDelivery();
        const asked = (at: number) => aPlan({ due: [{ kind: 'timer', key: 'x', at, payload: '1', correlationId: 'c' }] });
        await store.commit(world, asked(10));
        const item = await adapter.worlds.leaseNext(world, { upTo: 10, token: 't', leaseMs: 60_000 });
        if (!item) throw new Error('nothing due');
        await adapter.worlds.requeue(world, item, 't', { parked: 'broken' });
        await store.commit(world, asked(9_000));
        const again = { what: 'due', key: 'oms|timer|x' } as const;
        expect(await adapter.worlds.redrive(world, [again])).toEqual([again]);
        expect((await adapter.worlds.ledger(world)).next).toMatchObject({ key: 'x', at: 9_000 });
      });

      test('a snapshot does not contain the redrive', async () => {
        const { adapter, world, again } = await parkedDelivery();
        await adapter.worlds.redrive(world, [again]);
        expect((await adapter.worlds.snapshot(world)).due).toEqual([]);
      });
    });

    describe('work withheld by faults', () => {
      const event = (id: string) => ({ id, topic: 't', key: 'k', json: `{"id":"${id}"}`, subscribers: ['crm'] as const });
      const entry = (id: string) => ({ id, topic: 't', key: 'k', json: `{"id":"${id}"}` });
      const holding = (id: string, fault: string, at = NEVER) => ({
        id,
        due: { kind: PUBLISH_WITHHELD_EVENT, key: id, at, payload: JSON.stringify(entry(id)), correlationId: 'c', withheldBy: fault },
      });
      const timer = (key: string, withheldBy: string, at = NEVER) => ({
        kind: 'timer',
        key,
        at,
        payload: '1',
        correlationId: 'c',
        withheldBy,
      });
      /** A world at rest with these faults and an outbox with these events. */
      async function holdingWorld(faults: readonly string[], ...ids: readonly string[]) {
        const scene = await opened();
        await scene.adapter.worlds.setClock(scene.world, { now: 1_000, flowing: false });
        for (const fault of faults) await scene.adapter.worlds.setFault(scene.world, fault, '{}');
        if (ids.length > 0) await scene.store.commit(scene.world, aPlan({ events: ids.map(event) }));
        const listed = async () => (await scene.adapter.worlds.events(scene.world, 0, 10)).map(({ id }) => id);
        return { ...scene, listed, ledger: () => scene.adapter.worlds.ledger(scene.world) };
      }

      test('an event that is sent several times is listed each time, in order of sending', async () => {
        const { store, world, listed } = await holdingWorld([], 'e1', 'e2');
        await store.drain(world, { token: 'relay' });
        expect(await store.drain(world, { token: 'relay', sent: ['e2', 'e1', 'e1'] })).toBeUndefined();
        expect(await listed()).toEqual(['e2', 'e1', 'e1']);
      });

      test('a withheld event leaves the outbox, and its delivery is owed but not pending', async () => {
        const { adapter, store, world, listed, ledger } = await holdingWorld(['f'], 'e1', 'e2');
        await store.drain(world, { token: 'relay' });
        expect(await store.drain(world, { token: 'relay', sent: ['e2'], withheld: [holding('e1', 'f')] })).toBeUndefined();
        expect(await listed()).toEqual(['e2']);
        const { unsent, pending, withheld } = await ledger();
        expect([unsent, pending]).toEqual([[], ['crm|e2']]);
        expect(withheld).toMatchObject([{ application: 'oms', key: 'e1', withheldBy: 'f', at: NEVER, payload: entry('e1') }]);
        expect(await adapter.store('crm').isPending(world, 'crm|e1')).toBe(true);
      });

      test('a withheld event that is sent later is listed and no longer withheld', async () => {
        const { store, world, listed, ledger } = await holdingWorld(['f'], 'e1', 'e2');
        await store.drain(world, { token: 'relay' });
        await store.drain(world, { token: 'relay', withheld: [holding('e1', 'f')] });
        expect(await store.drain(world, { token: 'relay', sent: ['e2', entry('e1')] })).toBeUndefined();
        expect(await listed()).toEqual(['e2', 'e1']);
        expect(await ledger()).toMatchObject({ withheld: [], pending: ['crm|e1', 'crm|e2'] });
      });

      test('an event to which a fault was applied is marked in the outbox', async () => {
        const { store, world } = await holdingWorld([]);
        await store.commit(world, aPlan({ events: [event('e1'), { ...event('e2'), struck: true }] }));
        const [first, second] = (await store.drain(world, { token: 'relay' }))?.entries ?? [];
        expect([first?.struck, second?.struck]).toEqual([undefined, true]);
      });

      test.each([
        ['deleted', 'f'],
        ['deleted with all others', undefined],
      ])('withheld work is due at once when the fault is %s', async (_how, name) => {
        const { adapter, store, world, ledger } = await holdingWorld(['f']);
        await store.commit(world, aPlan({ due: [timer('a', 'f'), timer('b', 'f', 5_000)] }));
        expect((await store.withheld(world, 'f')).map(({ key }) => key)).toEqual(['a', 'b']);
        expect(await adapter.worlds.leaseNext(world, { upTo: 4_999, token: 't', leaseMs: 1_000 })).toBeUndefined();
        await adapter.worlds.removeFault(world, name);
        expect((await ledger()).withheld).toEqual([]);
        expect(await adapter.worlds.leaseNext(world, { upTo: 1_000, token: 't', leaseMs: 1_000 })).toMatchObject({ key: 'a', at: 1_000 });
        expect(await adapter.worlds.leaseNext(world, { upTo: 1_000, token: 't', leaseMs: 1_000 })).toMatchObject({ key: 'b', at: 1_000 });
      });

      test('withheld work is due at once when its fault is set again; other faults keep theirs', async () => {
        const { adapter, store, world, ledger } = await holdingWorld(['f', 'g']);
        await store.commit(world, aPlan({ due: [timer('a', 'f'), timer('b', 'g')] }));
        await adapter.worlds.setFault(world, 'f', '{}');
        expect((await ledger()).withheld.map(({ key }) => key)).toEqual(['b']);
        expect((await ledger()).next).toMatchObject({ key: 'a', at: 1_000 });
      });

      test('a removed fault withholds neither events nor other work', async () => {
        const { store, world, ledger } = await holdingWorld([], 'e1');
        await store.drain(world, { token: 'relay' });
        await store.drain(world, { token: 'relay', withheld: [holding('e1', 'f')] });
        await store.commit(world, aPlan({ due: [timer('a', 'f', 5_000)] }));
        expect((await ledger()).withheld).toEqual([]);
        expect((await ledger()).next).toMatchObject({ kind: PUBLISH_WITHHELD_EVENT, key: 'e1', at: 1_000 });
        expect((await ledger()).pending).toEqual(['crm|e1']);
      });

      test('a fault that is set again does not withhold events or work of earlier decisions', async () => {
        const { adapter, store, world, ledger } = await holdingWorld(['f'], 'e1', 'e2');
        const withheldAt = (await adapter.worlds.current(world))?.faults;
        await store.drain(world, { token: 'relay' });
        await adapter.worlds.setFault(world, 'f', '{}');
        const now = (await adapter.worlds.current(world))?.faults;
        const decided = (id: string, revision: number | undefined) => ({ id, due: { ...holding(id, 'f').due, withheldAt: revision } });
        await store.drain(world, { token: 'relay', withheld: [decided('e1', withheldAt), decided('e2', now)] });
        await store.commit(
          world,
          aPlan({
            due: [
              { ...timer('a', 'f'), withheldAt },
              { ...timer('b', 'f'), withheldAt: now },
            ],
          }),
        );
        expect((await ledger()).withheld.map(({ key }) => key)).toEqual(['e2', 'b']);
        expect((await ledger()).next).toMatchObject({ kind: PUBLISH_WITHHELD_EVENT, key: 'e1', at: 1_000 });
      });

      test('delayed work is due at its instant', async () => {
        const { adapter, store, world } = await holdingWorld(['f']);
        await store.commit(world, aPlan({ due: [timer('a', 'f', 5_000)] }));
        expect(await adapter.worlds.leaseNext(world, { upTo: 5_000, token: 't', leaseMs: 1_000 })).toMatchObject({ key: 'a', at: 5_000 });
      });

      test('an application sees only its own withheld work', async () => {
        const { adapter, store, world } = await holdingWorld(['f']);
        await store.commit(world, aPlan({ due: [timer('a', 'f')] }));
        expect(await adapter.store('sim').withheld(world, 'f')).toEqual([]);
      });

      test('a snapshot has no withheld events, and contains other withheld work as due at once', async () => {
        const { adapter, store, world } = await holdingWorld(['f'], 'e1');
        await store.drain(world, { token: 'relay' });
        await store.drain(world, { token: 'relay', withheld: [holding('e1', 'f')] });
        await store.commit(world, aPlan({ due: [timer('a', 'f')] }));
        const { due } = await adapter.worlds.snapshot(world);
        expect(due).toEqual([{ application: 'oms', kind: 'timer', key: 'a', at: 1_000, payload: 1, correlationId: 'c' }]);
      });
    });

    describe('due work', () => {
      const due = (key: string, at: number | null, payload = '1') => ({ kind: 'timer', key, at, payload, correlationId: 'c' });

      test('only due items are leased, in order of time, then of commit', async () => {
        const { adapter, store, world } = await opened();
        await store.commit(world, aPlan({ due: [due('late', 30), due('b', 20)] }));
        await store.commit(world, aPlan({ due: [due('a', 20)] }));
        const taken: string[] = [];
        for (;;) {
          const item = await adapter.worlds.leaseNext(world, { upTo: 25, token: randomUUID(), leaseMs: 60_000 });
          if (!item) break;
          taken.push(item.key);
        }
        expect(taken).toEqual(['b', 'a']);
        expect((await adapter.worlds.ledger(world)).next?.key).toBe('late');
      });

      test('an item with the same kind and key replaces the former one, and null cancels it', async () => {
        const { adapter, store, world } = await opened();
        await store.commit(world, aPlan({ due: [due('x', 10, '1')] }));
        await store.commit(world, aPlan({ due: [due('x', 20, '{"n":2}')] }));
        expect((await adapter.worlds.ledger(world)).next).toMatchObject({ at: 20, payload: { n: 2 } });
        await store.commit(world, aPlan({ due: [due('x', null)] }));
        expect((await adapter.worlds.ledger(world)).next).toBeUndefined();
      });

      test('a leased item has one holder, whose last commit removes it, and whose checkpoint does not', async () => {
        const { adapter, store, world } = await opened();
        await store.commit(world, aPlan({ due: [due('x', 10)] }));
        await adapter.worlds.leaseNext(world, { upTo: 10, token: 'mine', leaseMs: 60_000 });
        expect(await adapter.worlds.leaseNext(world, { upTo: 10, token: 'other', leaseMs: 60_000 })).toBeUndefined();
        expect(await store.due(world, { kind: 'timer', key: 'x', token: 'other' })).toBeUndefined();
        const fence = { kind: 'due', key: 'oms|timer|x', token: 'mine' } as const;
        expect(await store.commit(world, aPlan({ fence: { ...fence, token: 'other' } }))).toMatchObject({ ok: false, why: 'held' });
        expect(await store.commit(world, aPlan({ fence, last: false }))).toMatchObject({ ok: true });
        expect((await adapter.worlds.ledger(world)).running).toEqual(['oms|timer|x']);
        expect(await store.commit(world, aPlan({ fence }))).toMatchObject({ ok: true });
        expect((await adapter.worlds.ledger(world)).running).toEqual([]);
      });

      test('an item that its holder releases is free at once and unchanged, and only the holder can release it', async () => {
        const { adapter, store, world } = await opened();
        await store.commit(world, aPlan({ due: [{ ...due('x', 10), lease: { token: 'mine', until: Date.now() + 60_000 } }] }));
        const before = await store.due(world, { kind: 'timer', key: 'x', token: 'mine' });
        await store.releaseDue(world, { kind: 'timer', key: 'x', token: 'other' });
        expect((await adapter.worlds.ledger(world)).running).toEqual(['oms|timer|x']);
        await store.releaseDue(world, { kind: 'timer', key: 'x', token: 'mine' });
        expect((await adapter.worlds.ledger(world)).running).toEqual([]);
        expect(await adapter.worlds.leaseNext(world, { upTo: 10, token: 'next', leaseMs: 60_000 })).toEqual(before);
      });

      test('an item that reschedules itself stays and can be leased again', async () => {
        const { adapter, store, world } = await opened();
        await store.commit(world, aPlan({ due: [due('x', 10)] }));
        await adapter.worlds.leaseNext(world, { upTo: 10, token: 'mine', leaseMs: 60_000 });
        await store.commit(world, aPlan({ fence: { kind: 'due', key: 'oms|timer|x', token: 'mine' }, due: [due('x', 40)] }));
        expect((await adapter.worlds.ledger(world)).next).toMatchObject({ key: 'x', at: 40, attempts: 0 });
      });

      test('an abandoned item can be leased again, and its former holder can no longer finish it', async () => {
        const { adapter, store, world } = await opened();
        await store.commit(world, aPlan({ due: [due('x', 10)] }));
        await adapter.worlds.leaseNext(world, { upTo: 10, token: 'dead', leaseMs: 0 });
        expect(await adapter.worlds.leaseNext(world, { upTo: 10, token: 'alive', leaseMs: 60_000 })).toMatchObject({ key: 'x' });
        expect(await store.commit(world, aPlan({ fence: { kind: 'due', key: 'oms|timer|x', token: 'dead' } }))).toMatchObject({
          ok: false,
          why: 'held',
        });
      });

      test('event deliveries of one application run one at a time and in order, while other work and other applications continue', async () => {
        const { adapter, store, world } = await opened();
        const carrying = (key: string, at: number) => ({ ...due(key, at), kind: PUBLISH_WITHHELD_EVENT });
        await store.commit(world, aPlan({ due: [carrying('e1', 10), carrying('e2', 11), due('x', 12)] }));
        await adapter.store('crm').commit(world, aPlan({ due: [carrying('c1', 13)] }));
        const take = async (token: string) => (await adapter.worlds.leaseNext(world, { upTo: 20, token, leaseMs: 60_000 }))?.key;
        expect([await take('t1'), await take('t2'), await take('t3'), await take('t4')]).toEqual(['e1', 'x', 'c1', undefined]);
        expect((await adapter.worlds.status(world))?.next).toBeUndefined();
        await store.commit(world, aPlan({ fence: { kind: 'due', key: `oms|${PUBLISH_WITHHELD_EVENT}|e1`, token: 't1' } }));
        expect((await adapter.worlds.status(world))?.next).toMatchObject({ key: 'e2' });
        expect(await take('t5')).toBe('e2');
      });

      test('failed work is rescheduled with its number of attempts, or parked', async () => {
        const { adapter, store, world } = await opened();
        await store.commit(world, aPlan({ due: [due('x', 10)] }));
        const first = await adapter.worlds.leaseNext(world, { upTo: 10, token: 't1', leaseMs: 60_000 });
        if (!first) throw new Error('nothing due');
        await adapter.worlds.requeue(world, first, 't1', { at: 15, attempts: 1 });
        const second = await adapter.worlds.leaseNext(world, { upTo: 15, token: 't2', leaseMs: 60_000 });
        expect(second).toMatchObject({ attempts: 1, seq: first.seq });
        if (!second) throw new Error('nothing due');
        await adapter.worlds.requeue(world, second, 't2', { parked: 'broken' });
        const ledger = await adapter.worlds.ledger(world);
        expect(ledger.next).toBeUndefined();
        expect(ledger.parked).toMatchObject([{ what: 'due', key: 'oms|timer|x', error: 'broken' }]);
      });
    });

    describe('worlds', () => {
      test('two rehearsals never see each other', async () => {
        const { adapter, store, world } = await opened();
        const other = await adapter.worlds.open('other', EMPTY, CREDENTIALS);
        await store.commit(
          world,
          aPlan({ put: [putting('a', 0)], due: [{ kind: 'k', key: 'a', at: 1, payload: '1', correlationId: 'c' }] }),
        );
        expect(await store.object(other, 'things', 'a')).toBeUndefined();
        expect((await adapter.worlds.ledger(other)).next).toBeUndefined();
      });

      test('a reset switches to a fresh world and keeps the credentials; late commits write to the old one', async () => {
        const { adapter, store, world } = await opened();
        await store.commit(world, aPlan({ put: [putting('a', 0)] }));
        const fresh = await adapter.worlds.open('r', EMPTY, { bearer: 'x', apiKey: 'x', webhookSecret: 'x' });
        expect(await adapter.worlds.resolve('r')).toMatchObject({ world: fresh, credentials: CREDENTIALS });
        expect(await adapter.worlds.current(world)).toBeUndefined();
        await store.commit(world, aPlan({ put: [putting('late', 0)] }));
        expect(await store.all(fresh, 'things', PAGE)).toEqual([]);
      });

      test('a removed rehearsal is gone, and a repeated removal reports it', async () => {
        const { adapter } = await opened();
        expect(await adapter.worlds.remove('r')).toBe(true);
        expect(await adapter.worlds.resolve('r')).toBeUndefined();
        expect(await adapter.worlds.remove('r')).toBe(false);
      });

      test('a snapshot opened elsewhere has the same data, uniques, indexes, counters and due work', async () => {
        const { adapter, store, world } = await opened();
        await store.commit(
          world,
          aPlan({
            put: [putting('b', 0), putting('a', 0)],
            unique: [{ collection: 'things', name: 'mail', id: 'a', value: 'x', was: null }],
            index: ['b', 'a'].map((id) => ({ collection: 'things', name: 'kind', id, value: 'k', was: null })),
            move: [{ counter: 'stock', key: 'sku', field: 'onHand', by: 4 }],
            due: [{ kind: 'timer', key: 'x', at: 99, payload: '{"n":1}', correlationId: 'c' }],
          }),
        );
        const copy = await adapter.worlds.open('copy', await adapter.worlds.snapshot(world), CREDENTIALS);
        expect((await store.all(copy, 'things', PAGE)).map(({ id }) => id)).toEqual(['b', 'a']);
        expect((await store.unique(copy, 'things', 'mail', 'x'))?.id).toBe('a');
        expect((await store.index(copy, 'things', 'kind', 'k', PAGE)).map(({ id }) => id)).toEqual(['b', 'a']);
        expect(await store.counters(copy, 'stock', ['sku'])).toEqual([{ onHand: 4 }]);
        expect((await adapter.worlds.ledger(copy)).next).toMatchObject({ kind: 'timer', at: 99, payload: { n: 1 } });
      });

      test('time flows from the instant of opening, stops on request, and continues from the set instant', async () => {
        const { adapter, world } = await opened();
        const early = (await adapter.worlds.current(world))?.now ?? 0;
        expect(early).toBeGreaterThanOrEqual(1_000);
        await eventually('time flows', async () => ((await adapter.worlds.current(world))?.now ?? 0) > early);
        await adapter.worlds.setClock(world, { now: 50_000, flowing: false });
        expect(await adapter.worlds.current(world)).toMatchObject({ now: 50_000, flowing: false });
      });

      test('the members of a progression are set one by one, also at the same time, and the others keep their value', async () => {
        const { adapter, world } = await opened();
        await Promise.all([
          adapter.worlds.setProgression(world, { carrier: 'manual' }),
          adapter.worlds.setProgression(world, { returns: 'immediate' }),
          adapter.worlds.setProgression(world, {}),
        ]);
        const progression = { ...DEFAULT_PROGRESSION, carrier: 'manual', returns: 'immediate' };
        expect(await adapter.worlds.setProgression(world, {})).toEqual(progression);
        expect((await adapter.worlds.current(world))?.progression).toEqual(progression);
      });

      test('the clock has one driver at a time, and an expired lease can be taken over', async () => {
        const { adapter, world } = await opened();
        expect(await adapter.worlds.leaseClock(world, 'a', 60_000)).toBe(true);
        expect(await adapter.worlds.leaseClock(world, 'b', 60_000)).toBe(false);
        await adapter.worlds.releaseClock(world, 'a');
        expect(await adapter.worlds.leaseClock(world, 'b', 0)).toBe(true);
        expect(await adapter.worlds.leaseClock(world, 'c', 60_000)).toBe(true);
      });

      test('while a driver advances the clock, it stands, and no one else can set it or lease due work', async () => {
        const { adapter, store, world } = await opened();
        const { worlds } = adapter;
        await store.commit(world, aPlan({ due: [{ kind: 'timer', key: 'x', at: 1, payload: '1', correlationId: 'c' }] }));
        await worlds.leaseClock(world, 'mine', 60_000);
        const look = await worlds.status(world);
        expect(look).toMatchObject({ flowing: false, advancing: true, running: 0, next: { key: 'x' } });
        expect(await worlds.leaseNext(world, { upTo: 10_000, token: 't', leaseMs: 60_000 })).toBeUndefined();
        expect(await worlds.leaseNext(world, { upTo: 10_000, token: 't', leaseMs: 60_000, driver: 'other' })).toBeUndefined();
        expect(await worlds.setClock(world, { now: 90_000, flowing: true })).toBe(false);
        expect(await worlds.setClock(world, { now: 90_000, flowing: true }, 'other')).toBe(false);
        expect(await worlds.current(world)).toMatchObject({ now: look?.now, flowing: false });
        expect(await worlds.setClock(world, { now: 50_000, flowing: false }, 'mine')).toBe(true);
        expect(await worlds.leaseNext(world, { upTo: 50_000, token: 't', leaseMs: 60_000, driver: 'mine' })).toMatchObject({ key: 'x' });
        expect(await worlds.status(world)).toMatchObject({ now: 50_000, running: 1, next: undefined });
      });

      test('a released clock continues from its instant, if it flowed before', async () => {
        const { adapter, world } = await opened();
        const { worlds } = adapter;
        await worlds.leaseClock(world, 'mine', 60_000);
        await worlds.setClock(world, { now: 50_000, flowing: false }, 'mine');
        await worlds.releaseClock(world, 'other');
        expect(await worlds.status(world)).toMatchObject({ flowing: false, advancing: true });
        await worlds.releaseClock(world, 'mine');
        expect(await worlds.status(world)).toMatchObject({ flowing: true, advancing: false });
        await eventually('time flows', async () => ((await worlds.current(world))?.now ?? 0) > 50_000);
        await worlds.setClock(world, { now: 60_000, flowing: false });
        await worlds.leaseClock(world, 'mine', 60_000);
        await worlds.releaseClock(world, 'mine');
        expect(await worlds.current(world)).toMatchObject({ now: 60_000, flowing: false });
      });

      test('a clock that a dead driver left standing flows again at the next access', async () => {
        const { adapter, world } = await opened();
        const { worlds } = adapter;
        await worlds.leaseClock(world, 'dead', 0);
        expect(await worlds.renewClock(world, 'dead', 0)).toBe(true);
        expect((await worlds.current(world))?.flowing).toBe(false);
        expect(await worlds.status(world)).toMatchObject({ flowing: true, advancing: false });
        expect((await worlds.current(world))?.now).toBeLessThan(60_000);
      });

      test('a driver that lost the clock cannot change it, and its successor knows that it flowed', async () => {
        const { adapter, store, world } = await opened();
        const { worlds } = adapter;
        await store.commit(world, aPlan({ due: [{ kind: 'timer', key: 'x', at: 1, payload: '1', correlationId: 'c' }] }));
        await worlds.leaseClock(world, 'slow', 0);
        await worlds.leaseClock(world, 'heir', 60_000);
        expect(await worlds.renewClock(world, 'slow', 60_000)).toBe(false);
        expect(await worlds.setClock(world, { now: 50_000, flowing: false }, 'slow')).toBe(false);
        expect(await worlds.leaseNext(world, { upTo: 50_000, token: 't', leaseMs: 60_000, driver: 'slow' })).toBeUndefined();
        await worlds.releaseClock(world, 'slow');
        expect(await worlds.status(world)).toMatchObject({ advancing: true });
        await worlds.releaseClock(world, 'heir');
        expect(await worlds.status(world)).toMatchObject({ flowing: true, advancing: false });
        expect(await worlds.renewClock(world, 'heir', 60_000)).toBe(false);
      });

      test('a world that is no longer current has no clock', async () => {
        const { adapter, world } = await opened();
        await adapter.worlds.open('r', EMPTY, CREDENTIALS);
        expect(await adapter.worlds.status(world)).toBeUndefined();
      });

      test('listeners are notified of commits with events or due work until they stop', async () => {
        const { adapter, store, world } = await opened();
        const heard: World[] = [];
        const stop = adapter.worlds.watch((changed) => heard.push(changed));
        await store.commit(world, aPlan({ due: [{ kind: 'k', key: 'a', at: 1, payload: '1', correlationId: 'c' }] }));
        await eventually('the listener hears', async () => heard.includes(world));
        stop();
        const before = heard.length;
        await store.commit(world, aPlan({ due: [{ kind: 'k', key: 'b', at: 1, payload: '1', correlationId: 'c' }] }));
        expect(heard).toHaveLength(before);
      });
    });

    lifetimeSuite(opened);
    journalSuite(opened);
    fullJournalSuite(opened);

    awaitingSuite(opened);
    runSuite(opened);

    describe('faults and journal', () => {
      test('a fault strikes at most its number of times, also for concurrent requests', async () => {
        const { adapter, world } = await opened();
        await adapter.worlds.setFault(world, 'f', '{}');
        const hits = await Promise.all(Array.from({ length: 20 }, () => adapter.control.hit(world, 'f', 3)));
        expect(hits.filter((hit) => hit !== undefined)).toHaveLength(3);
        expect((await adapter.control.faults(world)).rules).toMatchObject([{ name: 'f', hits: 3 }]);
      });

      test('the matches of a fault are counted separately from its hits', async () => {
        const { adapter, world } = await opened();
        await adapter.worlds.setFault(world, 'f', '{}');
        const chances = await Promise.all(Array.from({ length: 5 }, () => adapter.control.chance(world, 'f')));
        expect(chances.toSorted()).toEqual([1, 2, 3, 4, 5]);
        expect((await adapter.control.faults(world)).rules).toMatchObject([{ name: 'f', hits: 0 }]);
        await adapter.worlds.setFault(world, 'f', '{}');
        expect(await adapter.control.chance(world, 'f')).toBe(1);
      });

      test('a world has a limited number of faults, and one of them can be replaced when there is no room', async () => {
        const { adapter, world } = await opened();
        const set = (name: string) => adapter.worlds.setFault(world, name, '{}');
        const names = Array.from({ length: MOST_FAULTS }, (_, n) => `f${n}`);
        expect(new Set(await Promise.all(names.map(set)))).toEqual(new Set([true]));
        const { revision } = await adapter.control.faults(world);
        expect(await set('another')).toBe(false);
        expect((await adapter.control.faults(world)).revision).toBe(revision);
        expect(await set('f0')).toBe(true);
        await adapter.worlds.removeFault(world, 'f1');
        expect([await set('another'), await set('f1')]).toEqual([true, false]);
      });

      test('the revision is 0 without faults and rises with every change', async () => {
        const { adapter, world } = await opened();
        expect((await adapter.worlds.current(world))?.faults).toBe(0);
        await adapter.worlds.setFault(world, 'f', '{}');
        const first = (await adapter.worlds.current(world))?.faults ?? 0;
        await adapter.worlds.setFault(world, 'g', '{}');
        expect((await adapter.worlds.current(world))?.faults).toBeGreaterThan(first);
        expect(await adapter.worlds.removeFault(world, 'f')).toBe(true);
        expect(await adapter.worlds.removeFault(world, 'f')).toBe(false);
        await adapter.worlds.removeFault(world);
        expect((await adapter.worlds.current(world))?.faults).toBe(0);
      });

      const hop = (n: number, entry: Parameters<typeof aHop>[0] = {}): JournalEntry =>
        aHop({ requestId: `r${n}`, correlationId: n % 2 === 0 ? 'even' : 'odd', ...entry });
      const requestsIn = ({ entries }: JournalPage) => entries.map(({ requestId }) => requestId);

      test('the journal keeps the newest records, finds them by correlation id, and reports that older ones are gone', async () => {
        const { adapter, world } = await opened();
        const { worlds, control } = adapter;
        control.journal(world, hop(1));
        await eventually('the journal is written', async () => (await worlds.journaled(world, ['r1'])).size === 1);
        expect(await worlds.journalOf(world)).toMatchObject({ entries: [{ requestId: 'r1', correlationId: 'odd' }], discardedTo: 0 });
        for (let n = 2; n <= 5_010; n++) control.journal(world, hop(n));
        await eventually('the journal is written', async () => (await worlds.journaled(world, ['r5010'])).size === 1);
        const kept = await worlds.journalOf(world);
        expect(kept.entries).toHaveLength(5_000);
        expect(kept.entries[0]?.requestId).toBe('r11');
        expect(kept.discardedTo).toBe(10);
        expect((await worlds.journalOf(world, { correlationId: 'even' })).entries).toHaveLength(2_500);
        expect(requestsIn(await worlds.journalOf(world, { correlationId: 'odd', limit: 2 }))).toEqual(['r5007', 'r5009']);
        expect(requestsIn(await worlds.journalOf(world, { limit: 2 }))).toEqual(['r5009', 'r5010']);
        expect(await worlds.journaled(world, ['r10', 'r11', 'r5010', 'nobody'])).toEqual(new Set(['r11', 'r5010']));
      });

      test('the journal is also bounded in bytes, and forgotten records are no longer found by their correlation id', async () => {
        const { adapter, world } = await opened();
        const { worlds, control } = adapter;
        const bodies = JSON.stringify('x'.repeat(1024 * 1024));
        for (let n = 1; n <= 12; n++) control.journal(world, hop(n, { correlationId: `c${n}`, bodies }));
        await eventually('the journal is written', async () => (await worlds.journaled(world, ['r12'])).size === 1);
        const { entries, discardedTo } = await worlds.journalOf(world);
        expect(entries.length).toBeGreaterThanOrEqual(6);
        expect(entries.length).toBeLessThanOrEqual(8);
        expect(discardedTo).toBeGreaterThan(3);
        expect(await worlds.journalOf(world, { correlationId: 'c1' })).toMatchObject({ entries: [] });
      });

      test('hops of anonymous callers displace no others from the journal, nor all others from a page', async () => {
        const { adapter, world } = await opened();
        const { worlds, control } = adapter;
        for (let n = 1; n <= 10; n++) control.journal(world, hop(n, { correlationId: 'ours' }));
        for (let n = 11; n <= 311; n++) control.journal(world, hop(n, { correlationId: 'ours', anonymous: true }));
        await eventually('the journal is written', async () => (await worlds.journaled(world, ['r311'])).size === 1);
        const all = await worlds.journalOf(world, { correlationId: 'ours' });
        expect(all.discardedTo).toBe(0);
        expect(all.entries.filter(({ anonymous }) => anonymous)).toHaveLength(125);
        expect(requestsIn(all).slice(0, 11)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 187].map((n) => `r${n}`));
        expect(requestsIn(await worlds.journalOf(world, { limit: 4 }))).toEqual(['r8', 'r9', 'r10', 'r311']);
        expect(requestsIn(await worlds.journalOf(world, { limit: 12 }))).toEqual(
          [2, 3, 4, 5, 6, 7, 8, 9, 10]
            .map((n) => `r${n}`)
            .slice(0)
            .concat(['r309', 'r310', 'r311']),
        );
      });
    });
  });
}
