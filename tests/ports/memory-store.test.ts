import { expect, test } from '@jest/globals';
import type { World } from '../../shared/domain/world.ts';
import { journalLimits } from '../../shared/store/journal-limits.ts';
import { createMemoryJournal } from '../../shared/store/memory/journal.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import { aHop } from './a-hop.ts';
import { CREDENTIALS, EMPTY, times } from './open-store.ts';
import { storeSuite } from './store-suite.ts';

storeSuite('memory', async (options) => createMemoryStore(options));

test('A store without a journal records no hops', async () => {
  const { worlds, control } = createMemoryStore({ journal: 'off' });
  const world = await worlds.open('r', { now: 1_000, applications: {}, due: [] }, { bearer: '', apiKey: '', webhookSecret: '' });
  control.journal(world, aHop());
  expect((await worlds.journalOf(world)).entries).toEqual([]);
});

const MIB = 1_048_576;

test.each([
  ['small', 0, 20],
  ['of 10 MiB', 10, 3],
])('A store in memory drops the oldest of many replaced worlds that are %s, long before their time', async (_size, mib, kept) => {
  const { worlds, close } = createMemoryStore();
  const object = { id: 'o', version: 1, json: JSON.stringify('x'.repeat(mib * MIB)) };
  const from = { ...EMPTY, applications: { oms: { objects: { things: [object] }, unique: {}, index: {}, counters: {} } } };
  const replaced: World[] = [];
  for (const _ of times(30, Number)) replaced.push(await worlds.open('r', from, CREDENTIALS));
  const current = replaced.pop();
  const isKept = (world: World) =>
    worlds.origin(world).then(
      () => true,
      () => false,
    );
  const found = await Promise.all(replaced.map(isKept));
  expect(found).toEqual(times(29, (n) => n >= 29 - kept));
  expect(current && (await isKept(current))).toBe(true);
  await close();
});

test('A journal in memory shrinks to its share of the memory, and keeps its newest hops', () => {
  let room = 1_000_000;
  const journal = createMemoryJournal(journalLimits(), () => room);
  const record = (from: number, to: number) => {
    for (let n = from; n <= to; n++) journal.add(aHop({ requestId: `r${n}`, correlationId: `r${n}`, bodies: 'x'.repeat(10_000) }));
  };
  record(1, 500);
  expect(journal.contents().bytes).toBeGreaterThan(900_000);
  expect(journal.contents().bytes).toBeLessThanOrEqual(room);
  room = 200_000;
  record(501, 501);
  expect(journal.contents().bytes).toBeLessThanOrEqual(room);
  room = 0;
  record(502, 502);
  expect([journal.contents().records > 1, journal.contents().bytes < 100_000]).toEqual([true, true]);
  expect([journal.has('r502'), journal.has('r480')]).toEqual([true, false]);
});
