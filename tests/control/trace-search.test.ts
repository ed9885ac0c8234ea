import { expect, test } from '@jest/globals';
import { findTraces } from '../../control/traces/reader.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import { aHop } from '../ports/a-hop.ts';

const CREDENTIALS = { bearer: 'b', apiKey: 'k', webhookSecret: 'w' };

async function searching(traces: number) {
  const { worlds, control } = createMemoryStore();
  const world = await worlds.open('r', { now: 1_000, applications: {}, due: [] }, CREDENTIALS);
  for (let n = 1; n <= traces; n++)
    control.journal(world, aHop({ requestId: `r${n}`, correlationId: `c${n}`, facts: { path: `/${n % 2_000}` } }));
  let looked = 0;
  const counting: typeof worlds.traces = async (...asked) => {
    const page = await worlds.traces(...asked);
    looked += page.traces.length;
    return page;
  };
  return {
    find: (before?: number) => findTraces({ ...worlds, traces: counting }, world, { fault: 'none', limit: 50, before }),
    findText: (q: string, before?: number) => findTraces({ ...worlds, traces: counting }, world, { q, limit: 1, before }),
    looked: () => looked,
  };
}

test('A search for traces reads at most 1,000 summaries at a time, and returns where to continue', async () => {
  const { find, looked } = await searching(2_500);
  const first = await find();
  expect([first, looked()]).toEqual([{ traces: [], next: 1_501 }, 1_000]);
  const second = await find(first.next);
  expect([second, looked()]).toEqual([{ traces: [], next: 501 }, 2_000]);
  expect([await find(second.next), looked()]).toEqual([{ traces: [], next: undefined }, 2_500]);
});

test('A search for traces finds a match beyond that limit when it continues', async () => {
  const { findText } = await searching(1_500);
  const first = await findText('C3');
  expect(first).toEqual({ traces: [], next: 501 });
  const second = await findText('C3', first.next);
  expect([second.traces.map(({ correlationId }) => correlationId), second.next]).toEqual([['c399'], 399]);
});
