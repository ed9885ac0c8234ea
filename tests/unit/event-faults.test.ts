import { expect, test } from '@jest/globals';
import { TYPE_PREFIX } from '../../shared/catalog/event-names.ts';
import { createEventFaults } from '../../shared/events/event-faults.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';

const CREDENTIALS = { bearer: 'b', apiKey: 'k', webhookSecret: 'w' };

/** The event of a change, whose id begins with the key of its object. */
const changed = (id: string) => {
  const [key = ''] = id.split('-');
  const json = JSON.stringify({ type: `${TYPE_PREFIX}ext.basket-changed`, subject: `basket/${key}`, correlationid: 'c' });
  return { id, topic: 'commerce', key, json };
};

async function diverted(entries: readonly ReturnType<typeof changed>[]) {
  const adapter = createMemoryStore();
  const world = await adapter.worlds.open('r', { now: 1_000, applications: {}, due: [] }, CREDENTIALS);
  const rule = { match: { event: 'ext.basket-changed' }, fault: { kind: 'reorder' } };
  await adapter.worlds.setFault(world, 'swap', JSON.stringify(rule));
  const divert = createEventFaults({ store: adapter.store('ecommerce-platform'), control: adapter.control, directory: adapter.worlds });
  const { send, withhold } = await divert(world, { entries, faults: 1 });
  return { sent: send.map(({ id }) => id), withheld: withhold.map(({ id }) => id) };
}

test.each([
  ['swaps the events of an object pair by pair', ['a-1', 'a-2', 'a-3', 'a-4'], ['a-2', 'a-1', 'a-4', 'a-3'], []],
  ['withholds the last of three events, and sends each of the others once', ['a-1', 'a-2', 'a-3'], ['a-2', 'a-1'], ['a-3']],
  ['swaps events of the same object only', ['a-1', 'b-1', 'a-2'], ['a-2', 'a-1'], ['b-1']],
])('A fault of kind reorder, within one batch, %s', async (_what, entries, sent, withheld) =>
  expect(await diverted(entries.map(changed))).toEqual({ sent, withheld }),
);
