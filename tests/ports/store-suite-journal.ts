import { describe, expect, test } from '@jest/globals';
import type { JournalPage, TracePage } from '../../shared/store/ports/journal.ts';
import { eventually } from '../support/eventually.ts';
import { aHop } from './a-hop.ts';
import { type Opened, times } from './open-store.ts';

type Hop = Parameters<typeof aHop>[0];

export function journalSuite(opened: Opened): void {
  async function journaling() {
    const { worlds, control, world } = await opened();
    const journal = (page?: Parameters<typeof worlds.journalOf>[1]) => worlds.journalOf(world, page);
    return {
      worlds,
      world,
      journal,
      /** Records hops, and waits until the journal has this many in all. */
      recorded: async (newest: number, ...hops: readonly Hop[]) => {
        for (const hop of hops) control.journal(world, aHop(hop));
        await eventually('the journal is written', async () => (await journal({ limit: 1 })).newest === newest);
      },
      requests: async (page?: Parameters<typeof worlds.journalOf>[1]) => requestsIn(await journal(page)),
    };
  }
  const requestsIn = ({ entries }: JournalPage) => entries.map(({ requestId }) => requestId);
  const idsIn = ({ traces }: TracePage) => traces.map(({ correlationId }) => correlationId);
  const ids = (prefix: string, from: number, to: number) => times(to - from + 1, (n) => `${prefix}${from + n}`);
  const hops = (from: number, to: number, hop: (n: number) => Hop = () => ({})) =>
    times(to - from + 1, (n) => ({ requestId: `r${from + n}`, ...hop(from + n) }));

  describe('the journal', () => {
    test('The journal numbers hops as they are recorded, across callers with and without a credential', async () => {
      const { journal, recorded } = await journaling();
      expect(await journal()).toMatchObject({ entries: [], discardedTo: 0, newest: 0 });
      await recorded(3, { requestId: 'r1' }, { requestId: 'r2', anonymous: true }, { requestId: 'r3' });
      const { entries, newest } = await journal();
      expect(entries.map(({ sequence, requestId, anonymous }) => [sequence, requestId, anonymous])).toEqual([
        [1, 'r1', undefined],
        [2, 'r2', true],
        [3, 'r3', undefined],
      ]);
      expect(newest).toBe(3);
    });

    test('The journal lists the oldest hops after a sequence, of all or of one correlation id', async () => {
      const { journal, recorded, requests } = await journaling();
      const hop = (n: number) => ({ correlationId: n % 2 === 0 ? 'even' : 'odd', ...(n % 5 === 0 && { anonymous: true as const }) });
      await recorded(12, ...hops(1, 12, hop));
      expect(await requests({ after: 3, limit: 4 })).toEqual(['r4', 'r5', 'r6', 'r7']);
      expect(await requests({ after: 0, limit: 2 })).toEqual(['r1', 'r2']);
      expect(await requests({ after: 3, limit: 3, correlationId: 'odd' })).toEqual(['r5', 'r7', 'r9']);
      for (const after of [12, 99]) expect(await journal({ after })).toMatchObject({ entries: [], newest: 12 });
    });

    test('The journal reads heads without bodies, and one hop with its bodies', async () => {
      const { worlds, world, journal, recorded } = await journaling();
      const bodies = '{"request":{}}';
      await recorded(2, { requestId: 'r1', head: '{"a":1}', bodies }, { requestId: 'r2', head: '{"a":2}', anonymous: true });
      const { entries } = await journal({ bodies: false });
      expect(entries.map(({ head, bodies: shown }) => [head, shown])).toEqual([
        ['{"a":1}', undefined],
        ['{"a":2}', undefined],
      ]);
      expect((await journal()).entries[0]).toMatchObject({ bodies });
      expect(await worlds.hop(world, 'r1')).toMatchObject({ sequence: 1, correlationId: 'c', head: '{"a":1}', bodies });
      expect(await worlds.hop(world, 'r2')).toMatchObject({ sequence: 2, head: '{"a":2}', anonymous: true });
      expect(await worlds.hop(world, 'nobody')).toBeUndefined();
    });

    test('The journal keeps the newest records, finds them by correlation id, and reports that older records were discarded', async () => {
      const { worlds, world, journal, recorded, requests } = await journaling();
      const hop = (n: number) => ({ correlationId: n % 2 === 0 ? 'even' : 'odd' });
      await recorded(1, ...hops(1, 1, hop));
      expect(await journal()).toMatchObject({ entries: [{ requestId: 'r1', correlationId: 'odd' }], discardedTo: 0 });
      await recorded(5_010, ...hops(2, 5_010, hop));
      const { entries, discardedTo } = await journal();
      expect([entries.length, entries[0]?.requestId, discardedTo]).toEqual([5_000, 'r11', 10]);
      expect((await journal({ correlationId: 'even' })).entries).toHaveLength(2_500);
      expect(await requests({ correlationId: 'odd', limit: 2 })).toEqual(['r5007', 'r5009']);
      expect(await requests({ limit: 2 })).toEqual(['r5009', 'r5010']);
      expect(await worlds.journaled(world, ['r10', 'r11', 'r5010', 'nobody'])).toEqual(new Set(['r11', 'r5010']));
    });

    test('The journal answers a question about more hops than a command has arguments', async () => {
      const { worlds, world, recorded } = await journaling();
      await recorded(2, ...hops(1, 2));
      const asked = ['r1', ...Array.from({ length: 200_000 }, (_, n) => `unknown-${n}`), 'r2'];
      expect(await worlds.journaled(world, asked)).toEqual(new Set(['r1', 'r2']));
    });

    test('Hops of anonymous callers evict no hops of authenticated callers, and do not fill a whole page', async () => {
      const { journal, recorded, requests } = await journaling();
      await recorded(311, ...hops(1, 10), ...hops(11, 311, () => ({ anonymous: true })));
      const all = await journal({ correlationId: 'c' });
      expect(all.discardedTo).toBe(0);
      expect(all.entries.filter(({ anonymous }) => anonymous)).toHaveLength(125);
      expect(requestsIn(all).slice(0, 11)).toEqual([...ids('r', 1, 10), 'r187']);
      expect(await requests({ limit: 4 })).toEqual(['r8', 'r9', 'r10', 'r311']);
      expect(await requests({ limit: 12 })).toEqual([...ids('r', 2, 10), 'r309', 'r310', 'r311']);
    });
  });

  describe('traces', () => {
    const CALL = { kind: 'call', application: 'sim', api: 'reserve-internal', method: 'POST', path: '/r', durationMs: 5 } as const;

    test('A trace summarises its hops, and its name comes from the worst of its requests from outside', async () => {
      const { worlds, world, recorded } = await journaling();
      await recorded(
        2,
        { requestId: 'c1', facts: { ...CALL, status: 503, startedAt: 1_011 } },
        { requestId: 'c2', facts: { ...CALL, startedAt: 1_012, faults: ['slow', 'cut'] } },
      );
      const named = { correlationId: 'c', sequence: 1, method: 'POST', path: '/r', application: 'sim', status: 503, startedAt: 1_011 };
      expect(await worlds.tracesOf(world, ['c', 'none'])).toMatchObject([{ ...named, requests: 0, calls: 2, failed: 1 }]);
      const delivery = { kind: 'delivery', api: 'event:order-created', method: 'CONSUME', path: 'order/1' } as const;
      await recorded(
        7,
        { requestId: 'r1', facts: { path: '/orders/1', status: 201, startedAt: 1_005, at: 77, durationMs: 20.4 } },
        { requestId: 'r2', facts: { ...delivery, startedAt: 1_040, status: 500 } },
        { requestId: 'r3', facts: { kind: 'due', api: 'due:expire', method: 'DUE', path: 'k', startedAt: 1_003, at: 70 } },
        { requestId: 'r4', facts: { path: '/orders/2', status: 404, startedAt: 1_050, durationMs: 3.25, faults: ['cut'] } },
        { requestId: 'r5', facts: { path: '/orders/3', status: 0, startedAt: 1_060 } },
      );
      const worst = { method: 'GET', path: '/orders/3', api: 'get-order-api', application: 'oms', status: 0, durationMs: 1 };
      const lasting = { correlationId: 'c', sequence: 1, startedAt: 1_003, at: 70, lastAt: 1_061 };
      const counts = { requests: 2, calls: 2, deliveries: 1, failed: 4, faults: ['cut', 'slow'], applications: ['oms', 'sim'] };
      const apis = ['due:expire', 'event:order-created', 'get-order-api', 'reserve-internal'];
      expect(await worlds.tracesOf(world, ['c'])).toEqual([{ ...worst, ...lasting, ...counts, apis }]);
    });

    test('A trace describes one request from outside: a failure before a refusal, a refusal before a success, then the latest', async () => {
      const { worlds, world, recorded } = await journaling();
      const about = async () => (await worlds.tracesOf(world, ['c'])).map(({ path, status, durationMs }) => [path, status, durationMs]);
      await recorded(
        2,
        { requestId: 'r1', facts: { path: '/fine', startedAt: 1_000, durationMs: 1 } },
        { requestId: 'r2', facts: { path: '/later', startedAt: 1_010, durationMs: 2 } },
      );
      expect(await about()).toEqual([['/later', 200, 2]]);
      await recorded(
        4,
        { requestId: 'r3', facts: { path: '/refused', status: 404, startedAt: 1_020, durationMs: 3 } },
        { requestId: 'r4', facts: { path: '/fine', startedAt: 1_030, durationMs: 4 } },
      );
      expect(await about()).toEqual([['/refused', 404, 3]]);
      // The application continues after the gateway has timed out.
      await recorded(
        7,
        { requestId: 'r5', facts: { application: 'gateway', path: '/slow', status: 504, startedAt: 1_040, durationMs: 5 } },
        { requestId: 'r5', facts: { path: '/slow', startedAt: 1_041, durationMs: 9 } },
        { requestId: 'r6', facts: { path: '/dropped', status: 0, startedAt: 1_050, durationMs: 6 } },
      );
      expect(await about()).toEqual([['/slow', 504, 5]]);
    });

    test('Traces are listed newest first, in pages', async () => {
      const { worlds, world, recorded } = await journaling();
      const hop = (n: number): Hop => ({ correlationId: `c${n}`, ...(n === 3 && { anonymous: true }) });
      await recorded(6, ...hops(1, 5, hop), { requestId: 'r6', correlationId: 'c1' });
      let before: number | undefined;
      const pages: unknown[] = [];
      do {
        const page = await worlds.traces(world, { limit: 2, before });
        before = page.next;
        pages.push([idsIn(page), before]);
      } while (before !== undefined);
      expect(pages).toEqual([
        [['c5', 'c4'], 4],
        [['c3', 'c2'], 2],
        [['c1'], undefined],
      ]);
      expect(await worlds.traces(world, { limit: 2, before: 1 })).toEqual({ traces: [] });
    });

    test('A trace counts hops with and without a credential, and has the position of the latest hop with one', async () => {
      const { worlds, world, recorded } = await journaling();
      await recorded(
        4,
        { requestId: 'r1', anonymous: true, facts: { path: '/anonymous', startedAt: 900 } },
        { requestId: 'r2', correlationId: 'd' },
        { requestId: 'r3', facts: { path: '/known', status: 409, startedAt: 1_100 } },
        { requestId: 'r4', anonymous: true, facts: { startedAt: 1_200, status: 404 } },
      );
      expect((await worlds.traces(world, { limit: 10 })).traces).toMatchObject([
        { correlationId: 'c', sequence: 3, path: '/orders/ord_1', status: 404, requests: 3, startedAt: 900, failed: 2 },
        { correlationId: 'd', sequence: 2 },
      ]);
      expect((await worlds.traces(world, { limit: 1, before: 2 })).traces).toEqual([]);
    });

    test('A trace ends with its last hop, and traces without a credential evict no traces with one', async () => {
      const { worlds, world, recorded } = await journaling();
      const theirs = (n: number): Hop => ({ correlationId: `theirs${n}`, anonymous: true });
      await recorded(310, ...hops(1, 10, (n) => ({ correlationId: `ours${n}` })), ...hops(1, 300, theirs));
      expect(await worlds.journalSize(world)).toEqual({ hops: 260, traces: 260, discarded: 0 });
      expect(idsIn({ traces: await worlds.tracesOf(world, ['theirs50', 'theirs51', 'ours1']) })).toEqual(['theirs51', 'ours1']);
      const all = await worlds.traces(world, { limit: 500 });
      expect(idsIn(all)).toEqual([...ids('theirs', 51, 300).reverse(), ...ids('ours', 1, 10).reverse()]);
    });

    test('A trace counts discarded hops as long as the journal has one of its hops', async () => {
      const { worlds, world, recorded } = await journaling();
      await recorded(400, ...hops(1, 400, (n) => ({ correlationId: n % 2 === 0 ? 'long' : `short${n}`, anonymous: true })));
      expect(await worlds.tracesOf(world, ['long', 'short149', 'short151'])).toMatchObject([
        { correlationId: 'long', requests: 200, sequence: 2 },
        { correlationId: 'short151' },
      ]);
    });

    test('Summaries of traces count towards the limit of the journal', async () => {
      const { worlds, world, recorded } = await journaling();
      const facts = { path: `/${'x'.repeat(2_000)}` };
      await recorded(250, ...hops(1, 250, (n) => ({ correlationId: `c${n}`, anonymous: true, facts })));
      const size = await worlds.journalSize(world);
      expect(size.traces).toBe(size.hops);
      expect(size.traces > 50 && size.traces < 150).toBe(true);
    });
  });
}
