import { expect, test } from '@jest/globals';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import { aHop } from './a-hop.ts';
import { storeSuite } from './store-suite.ts';

storeSuite('memory', async (options) => createMemoryStore(options));

test('A store without a journal records no hops', async () => {
  const { worlds, control } = createMemoryStore({ journal: 'off' });
  const world = await worlds.open('r', { now: 1_000, applications: {}, due: [] }, { bearer: '', apiKey: '', webhookSecret: '' });
  control.journal(world, aHop());
  expect((await worlds.journalOf(world)).entries).toEqual([]);
});
