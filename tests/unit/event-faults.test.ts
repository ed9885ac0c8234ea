import { expect, test } from '@jest/globals';
import { TYPE_PREFIX } from '../../shared/catalog/event-names.ts';
import { createEventFaults } from '../../shared/events/event-faults.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';

const CREDENTIALS = { bearer: 'b', apiKey: 'k', webhookSecret: 'w' };

/** The version of an object, as the event of its change. */
const changed = (key: string, version: number) => ({
  id: `${key}-${version}`,
  topic: 'commerce',
  key,
  json: JSON.stringify({ type: `${TYPE_PREFIX}ext.basket-changed`, subject: `basket/${key}`, correlationid: 'c' }),
});

async function diverted(entries: readonly ReturnType<typeof changed>[]) {
  const adapter = createMemoryStore();
  const world = await adapter.worlds.open('r', { now: 1_000, applications: {}, due: [] }, CREDENTIALS);
  const rule = { match: { event: 'ext.basket-changed' }, fault: { kind: 'reorder' } };
  await adapter.worlds.setFault(world, 'swap', JSON.stringify(rule));
  const divert = createEventFaults({ store: adapter.store('ecommerce-platform'), control: adapter.control, directory: adapter.worlds });
  const { send, withhold } = await divert(world, { entries, faults: 1 });
  return { sent: send.map(({ id }) => id), withheld: withhold.map(({ id }) => id) };
}

test('A fault of kind reorder swaps the events of an object pair by pair within one batch', async () => {
  const entries = [1, 2, 3, 4].map((version) => changed('a', version));
  expect(await diverted(entries)).toEqual({ sent: ['a-2', 'a-1', 'a-4', 'a-3'], withheld: [] });
});

test('A fault of kind reorder withholds the last of three events in one batch, and sends each of the others once', async () => {
  const entries = [1, 2, 3].map((version) => changed('a', version));
  expect(await diverted(entries)).toEqual({ sent: ['a-2', 'a-1'], withheld: ['a-3'] });
});

test('A fault of kind reorder swaps events of the same object only', async () =>
  expect(await diverted([changed('a', 1), changed('b', 1), changed('a', 2)])).toEqual({ sent: ['a-2', 'a-1'], withheld: ['b-1'] }));
