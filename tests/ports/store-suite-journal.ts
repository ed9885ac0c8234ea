import { describe, expect, test } from '@jest/globals';
import type { World } from '../../shared/domain/world.ts';
import type { StoreAdapter } from '../../shared/store/ports/estate-store.ts';
import type { JournalPage } from '../../shared/store/ports/journal.ts';
import type { TracePage } from '../../shared/store/ports/traces.ts';
import { eventually } from '../support/eventually.ts';
import { aHop } from './a-hop.ts';

type Opened = () => Promise<{ readonly adapter: StoreAdapter; readonly world: World }>;

/** Contract of the journal and its traces. */
export function journalSuite(opened: Opened): void {
  async function journaling() {
    const { adapter, world } = await opened();
    const { worlds, control } = adapter;
    return {
      worlds,
      world,
      record: (...hops: readonly Parameters<typeof aHop>[0][]) => {
        for (const hop of hops) control.journal(world, aHop(hop));
      },
      written: (sequence: number) =>
        eventually('the journal is written', async () => (await worlds.journalOf(world, { limit: 1 })).newest === sequence),
    };
  }
  const requestsIn = ({ entries }: JournalPage) => entries.map(({ requestId }) => requestId);
  const idsIn = ({ traces }: TracePage) => traces.map(({ correlationId }) => correlationId);
  const ids = (prefix: string, from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => `${prefix}${from + n}`);

  describe('the journal', () => {
    test('numbers hops in the order of recording, across callers with and without a credential', async () => {
      const { worlds, world, record, written } = await journaling();
      expect(await worlds.journalOf(world)).toMatchObject({ entries: [], discardedTo: 0, newest: 0 });
      record({ requestId: 'r1' }, { requestId: 'r2', anonymous: true }, { requestId: 'r3' });
      await written(3);
      const { entries, newest } = await worlds.journalOf(world);
      expect(entries.map(({ sequence, requestId, anonymous }) => [sequence, requestId, anonymous])).toEqual([
        [1, 'r1', undefined],
        [2, 'r2', true],
        [3, 'r3', undefined],
      ]);
      expect(newest).toBe(3);
    });

    test('lists the oldest hops after a sequence, of all or of one correlation id', async () => {
      const { worlds, world, record, written } = await journaling();
      for (let n = 1; n <= 12; n++) {
        record({ requestId: `r${n}`, correlationId: n % 2 === 0 ? 'even' : 'odd', ...(n % 5 === 0 && { anonymous: true }) });
      }
      await written(12);
      expect(requestsIn(await worlds.journalOf(world, { after: 3, limit: 4 }))).toEqual(['r4', 'r5', 'r6', 'r7']);
      expect(requestsIn(await worlds.journalOf(world, { after: 0, limit: 2 }))).toEqual(['r1', 'r2']);
      expect(requestsIn(await worlds.journalOf(world, { after: 3, limit: 3, correlationId: 'odd' }))).toEqual(['r5', 'r7', 'r9']);
      expect(await worlds.journalOf(world, { after: 12 })).toMatchObject({ entries: [], newest: 12 });
      expect(await worlds.journalOf(world, { after: 99 })).toMatchObject({ entries: [], newest: 12 });
    });

    test('reads heads without bodies, and one hop with its bodies', async () => {
      const { worlds, world, record, written } = await journaling();
      record({ requestId: 'r1', head: '{"a":1}', bodies: '{"request":{}}' }, { requestId: 'r2', head: '{"a":2}', anonymous: true });
      await written(2);
      const { entries } = await worlds.journalOf(world, { bodies: false });
      expect(entries.map(({ head, bodies }) => [head, bodies])).toEqual([
        ['{"a":1}', undefined],
        ['{"a":2}', undefined],
      ]);
      expect((await worlds.journalOf(world)).entries[0]).toMatchObject({ bodies: '{"request":{}}' });
      expect(await worlds.hop(world, 'r1')).toMatchObject({ sequence: 1, correlationId: 'c', head: '{"a":1}', bodies: '{"request":{}}' });
      expect(await worlds.hop(world, 'r2')).toMatchObject({ sequence: 2, head: '{"a":2}', anonymous: true });
      expect(await worlds.hop(world, 'nobody')).toBeUndefined();
    });

    test('counts hops and traces', async () => {
      const { worlds, world, record, written } = await journaling();
      expect(await worlds.journalSize(world)).toEqual({ hops: 0, traces: 0, discarded: 0 });
      record({ requestId: 'r1' }, { requestId: 'r2' }, { requestId: 'r3', anonymous: true });
      record({ requestId: 'r4', correlationId: 'd', anonymous: true }, { requestId: 'r5', correlationId: 'e' });
      await written(5);
      expect(await worlds.journalSize(world)).toEqual({ hops: 5, traces: 3, discarded: 0 });
    });
  });

  describe('a trace', () => {
    const call = (n: number, status = 200) =>
      ({
        requestId: `c${n}`,
        facts: {
          kind: 'call',
          application: 'sim',
          api: 'reserve-internal',
          method: 'POST',
          path: '/r',
          status,
          startedAt: 1_010 + n,
          durationMs: 5,
        },
      }) as const;

    test('sums up its hops and is named after the worst of its requests from outside', async () => {
      const { worlds, world, record, written } = await journaling();
      record(call(1, 503), { ...call(2), facts: { ...call(2).facts, faults: ['slow', 'cut'] } });
      await written(2);
      expect(await worlds.tracesOf(world, ['c', 'none'])).toMatchObject([
        {
          correlationId: 'c',
          sequence: 1,
          method: 'POST',
          path: '/r',
          application: 'sim',
          status: 503,
          requests: 0,
          calls: 2,
          failed: 1,
          startedAt: 1_011,
        },
      ]);
      record({ requestId: 'r1', facts: { path: '/orders/1', status: 201, startedAt: 1_005, at: 77, durationMs: 20.4 } });
      record({
        requestId: 'r2',
        facts: { kind: 'delivery', api: 'event:order-created', method: 'CONSUME', path: 'order/1', startedAt: 1_040, status: 500 },
      });
      record({ requestId: 'r3', facts: { kind: 'due', api: 'due:expire', method: 'DUE', path: 'k', startedAt: 1_003, at: 70 } });
      record({ requestId: 'r4', facts: { path: '/orders/2', status: 404, startedAt: 1_050, durationMs: 3.25, faults: ['cut'] } });
      record({ requestId: 'r5', facts: { path: '/orders/3', status: 0, startedAt: 1_060 } });
      await written(7);
      expect(await worlds.tracesOf(world, ['c'])).toEqual([
        {
          correlationId: 'c',
          sequence: 1,
          startedAt: 1_003,
          at: 70,
          lastAt: 1_061,
          method: 'GET',
          path: '/orders/3',
          api: 'get-order-api',
          application: 'oms',
          status: 0,
          durationMs: 1,
          requests: 2,
          calls: 2,
          deliveries: 1,
          failed: 4,
          faults: ['cut', 'slow'],
          applications: ['oms', 'sim'],
          apis: ['due:expire', 'event:order-created', 'get-order-api', 'reserve-internal'],
        },
      ]);
    });

    test('is about one request from outside: a failure before a refusal, a refusal before a success, then the latest', async () => {
      const { worlds, world, record, written } = await journaling();
      const about = async () => (await worlds.tracesOf(world, ['c'])).map(({ path, status, durationMs }) => [path, status, durationMs]);
      record({ requestId: 'r1', facts: { path: '/fine', startedAt: 1_000, durationMs: 1 } });
      record({ requestId: 'r2', facts: { path: '/later', startedAt: 1_010, durationMs: 2 } });
      await written(2);
      expect(await about()).toEqual([['/later', 200, 2]]);
      record({ requestId: 'r3', facts: { path: '/refused', status: 404, startedAt: 1_020, durationMs: 3 } });
      record({ requestId: 'r4', facts: { path: '/fine', startedAt: 1_030, durationMs: 4 } });
      await written(4);
      expect(await about()).toEqual([['/refused', 404, 3]]);
      // The application goes on when the gateway has given up, and answers nobody.
      record({ requestId: 'r5', facts: { application: 'gateway', path: '/slow', status: 504, startedAt: 1_040, durationMs: 5 } });
      record({ requestId: 'r5', facts: { path: '/slow', startedAt: 1_041, durationMs: 9 } });
      record({ requestId: 'r6', facts: { path: '/dropped', status: 0, startedAt: 1_050, durationMs: 6 } });
      await written(7);
      expect(await about()).toEqual([['/slow', 504, 5]]);
    });

    test('is listed newest first, in pages', async () => {
      const { worlds, world, record, written } = await journaling();
      for (let n = 1; n <= 5; n++) record({ requestId: `r${n}`, correlationId: `c${n}`, ...(n === 3 && { anonymous: true }) });
      record({ requestId: 'r6', correlationId: 'c1' });
      await written(6);
      const first = await worlds.traces(world, { limit: 2 });
      expect([idsIn(first), first.next]).toEqual([['c5', 'c4'], 4]);
      const second = await worlds.traces(world, { limit: 2, before: first.next });
      expect([idsIn(second), second.next]).toEqual([['c3', 'c2'], 2]);
      const third = await worlds.traces(world, { limit: 2, before: second.next });
      expect([idsIn(third), third.next]).toEqual([['c1'], undefined]);
      expect(await worlds.traces(world, { limit: 2, before: 1 })).toEqual({ traces: [] });
    });

    test('counts the hops of callers with and without a credential, at the place of the former', async () => {
      const { worlds, world, record, written } = await journaling();
      record({ requestId: 'r1', anonymous: true, facts: { path: '/anonymous', startedAt: 900 } }, { requestId: 'r2', correlationId: 'd' });
      record({ requestId: 'r3', facts: { path: '/known', status: 409, startedAt: 1_100 } });
      record({ requestId: 'r4', anonymous: true, facts: { startedAt: 1_200, status: 404 } });
      await written(4);
      const { traces } = await worlds.traces(world, { limit: 10 });
      expect(traces).toMatchObject([
        { correlationId: 'c', sequence: 3, path: '/orders/ord_1', status: 404, requests: 3, startedAt: 900, failed: 2 },
        { correlationId: 'd', sequence: 2 },
      ]);
      const pages = await worlds.traces(world, { limit: 1, before: 2 });
      expect(pages.traces).toEqual([]);
    });

    test('ends with its last hop, and traces of callers without a credential displace no others', async () => {
      const { worlds, world, record, written } = await journaling();
      for (let n = 1; n <= 10; n++) record({ requestId: `a${n}`, correlationId: `ours${n}` });
      for (let n = 1; n <= 300; n++) record({ requestId: `b${n}`, correlationId: `theirs${n}`, anonymous: true });
      await written(310);
      expect(await worlds.journalSize(world)).toEqual({ hops: 260, traces: 260, discarded: 0 });
      expect(await worlds.tracesOf(world, ['theirs50', 'theirs51', 'ours1'])).toMatchObject([
        { correlationId: 'theirs51' },
        { correlationId: 'ours1' },
      ]);
      const all = await worlds.traces(world, { limit: 500 });
      expect(idsIn(all)).toEqual([...ids('theirs', 51, 300).reverse(), ...ids('ours', 1, 10).reverse()]);
    });

    test('counts hops that the journal has discarded, as long as it keeps one', async () => {
      const { worlds, world, record, written } = await journaling();
      for (let n = 1; n <= 400; n++) record({ requestId: `b${n}`, correlationId: n % 2 === 0 ? 'long' : `short${n}`, anonymous: true });
      await written(400);
      expect(await worlds.tracesOf(world, ['long', 'short149', 'short151'])).toMatchObject([
        { correlationId: 'long', requests: 200, sequence: 2 },
        { correlationId: 'short151' },
      ]);
    });

    test('takes room from the hops, so that summaries have a bound as well', async () => {
      const { worlds, world, record, written } = await journaling();
      for (let n = 1; n <= 250; n++)
        record({ requestId: `b${n}`, correlationId: `c${n}`, anonymous: true, facts: { path: `/${'x'.repeat(2_000)}` } });
      await written(250);
      const { traces, hops } = await worlds.journalSize(world);
      expect(traces).toBe(hops);
      expect(traces).toBeGreaterThan(50);
      expect(traces).toBeLessThan(150);
    });
  });
}
