import { describe, expect, test } from '@jest/globals';
import type { World } from '../../shared/domain/world.ts';
import { journalLimits } from '../../shared/store/journal-limits.ts';
import type { StoreAdapter } from '../../shared/store/ports/estate-store.ts';
import { eventually } from '../support/eventually.ts';
import { aHop } from './a-hop.ts';

type Opened = () => Promise<{ readonly adapter: StoreAdapter; readonly world: World }>;

const MOST = journalLimits().hops.records;

export function fullJournalSuite(opened: Opened): void {
  async function journaling() {
    const { adapter, world } = await opened();
    const { worlds, control } = adapter;
    let recorded = 0;
    return {
      worlds,
      world,
      async record(correlationId: string, count: number, entry: Parameters<typeof aHop>[0] = {}) {
        for (let n = 1; n <= count; n++) {
          recorded += 1;
          control.journal(world, aHop({ requestId: `r${recorded}`, correlationId, ...entry }));
        }
        await eventually('the journal is written', async () => (await worlds.journalOf(world, { limit: 1 })).newest === recorded);
      },
      hopsOf: async (correlationId: string) => (await worlds.journalOf(world, { correlationId })).entries.length,
    };
  }

  describe('A full journal', () => {
    test('A full journal discards whole traces, the trace with the oldest last hop first', async () => {
      const { worlds, world, record, hopsOf } = await journaling();
      await record('first', 1);
      await record('second', 1_000);
      await record('third', 2_000);
      await record('first', 999);
      expect(await worlds.journalOf(world, { limit: 1 })).toMatchObject({ discardedTo: 0 });
      await record('fourth', 1_001);
      expect([await hopsOf('first'), await hopsOf('second'), await hopsOf('third'), await hopsOf('fourth')]).toEqual([
        1_000, 0, 2_000, 1_001,
      ]);
      expect(await worlds.journalOf(world, { limit: 1 })).toMatchObject({ discardedTo: 1_001 });
      expect(await worlds.journalSize(world)).toEqual({ hops: 4_001, traces: 3, discarded: 1 });
      expect(await worlds.hop(world, 'r2')).toBeUndefined();
      expect(await worlds.tracesOf(world, ['second'])).toEqual([]);
    });

    test('A full journal keeps the first trace of each API and outcome, until the trace gets another hop', async () => {
      const { worlds, world, record, hopsOf } = await journaling();
      const paid = { facts: { api: 'authorize-payment-api', status: 201 } };
      const declined = { facts: { api: 'authorize-payment-api', status: 402 } };
      await record('paid', 3, paid);
      await record('declined', 2, declined);
      await record('work', 2, { facts: { kind: 'due', api: 'due:expire' } });
      await record('paid again', 3, paid);
      for (let n = 1; n <= 3; n++) await record(`load${n}`, MOST / 2);
      const found = await Promise.all(['paid', 'declined', 'work', 'paid again', 'load2', 'load3'].map(hopsOf));
      expect(found).toEqual([3, 2, 0, 0, 0, MOST / 2]);
      expect(await worlds.hop(world, 'r1')).toMatchObject({ correlationId: 'paid' });
      expect(await worlds.tracesOf(world, ['paid'])).toMatchObject([{ requests: 3 }]);
      expect(await worlds.journalSize(world)).toEqual({ hops: MOST / 2 + 5, traces: 3, discarded: 4 });
      await record('paid', 100, paid);
      for (let n = 4; n <= 5; n++) await record(`load${n}`, MOST / 2);
      expect([await hopsOf('paid'), await hopsOf('declined')]).toEqual([0, 2]);
    });

    test('A trace that fills half of the journal loses its oldest hops, and other traces lose none', async () => {
      const { worlds, world, record, hopsOf } = await journaling();
      for (let n = 1; n <= 5; n++) await record(`short${n}`, 10);
      await record('long', MOST);
      expect(await hopsOf('long')).toBe(MOST / 2);
      expect(await hopsOf('short1')).toBe(10);
      expect(await worlds.journalSize(world)).toEqual({ hops: MOST / 2 + 50, traces: 6, discarded: 0 });
      expect(await worlds.tracesOf(world, ['long'])).toMatchObject([{ requests: MOST, sequence: 51 }]);
    });

    test('A full journal is bounded in characters, by the same rules', async () => {
      const { worlds, world, record, hopsOf } = await journaling();
      const bodies = JSON.stringify('x'.repeat(1024 * 1024));
      await record('long', 7, { bodies });
      expect(await hopsOf('long')).toBe(3);
      for (let n = 1; n <= 7; n++) await record(`c${n}`, 1, { bodies });
      const { entries } = await worlds.journalOf(world);
      expect(entries.map(({ correlationId }) => correlationId)).toEqual(['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7']);
    });

    test('Counts of hops and calls include discarded hops, deliveries and due work', async () => {
      const { worlds, world, record } = await journaling();
      await record('one', 2, { facts: { application: 'oms', kind: 'request' } });
      await record('one', 1, { facts: { application: 'sim', kind: 'call', caller: 'oms', status: 503, faults: ['slow', 'cut'] } });
      await record('two', 1, { facts: { application: 'sim', kind: 'delivery' }, anonymous: true });
      await record('two', 1, { facts: { application: 'sim', kind: 'due', status: 0 } });
      await record('long', MOST, { facts: { application: 'crm', kind: 'request', status: 404 } });
      const { applications, calls } = await worlds.hopCounts(world);
      expect(applications.toSorted((a, b) => a.application.localeCompare(b.application))).toEqual([
        { application: 'crm', hops: MOST, failed: MOST, faults: [] },
        { application: 'oms', hops: 2, failed: 0, faults: [] },
        { application: 'sim', hops: 3, failed: 2, faults: ['cut', 'slow'] },
      ]);
      expect(calls.toSorted((a, b) => a.to.localeCompare(b.to))).toEqual([
        { from: 'client', to: 'crm', calls: MOST, failed: MOST },
        { from: 'client', to: 'oms', calls: 2, failed: 0 },
        { from: 'oms', to: 'sim', calls: 1, failed: 1 },
      ]);
    });
  });
}
