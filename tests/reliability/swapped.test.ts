import { expect, test } from '@jest/globals';
import { seedData } from '../../estate/seeding.ts';
import { loadFixtures } from '../../fixtures/load.ts';
import { Swap } from '../../shared/catalog/swap.ts';
import { crashingEstate } from '../support/crashing-estate.ts';
import { startPaymentHub } from '../support/real-payment-hub.ts';
import { card, eur } from '../support/steps/tender.ts';

const SEEDED = Date.UTC(2030, 0, 7);

test('A process that dies between the call of a real system and its commit repeats the call with the same key: one payment, one capture', async () => {
  await using hub = await startPaymentHub();
  const swap = { ...Swap.parse({ url: hub.url }), isDefault: false };
  const from = seedData((await loadFixtures()).at(SEEDED), SEEDED, { 'payment-hub': swap });
  let crashed = 0;
  for (const when of ['before', 'after'] as const) {
    for (let commit = 1; ; commit++) {
      const estate = await crashingEstate({ from });
      const effects = hub.effects();
      estate.crashAt({ application: 'payment-hub', commit, when });
      const body = { orderId: 'ord_1', tender: card(), amount: eur(500) };
      const paid = await estate.insist('payment-hub', 'POST', '/payments/authorizations', body);
      const captured = await estate.insist('payment-hub', 'POST', `/payments/authorizations/${paid.body.id}/capture`, {});
      expect([commit, captured.body.state, captured.body.version]).toEqual([commit, 'captured', 2]);
      expect([commit, hub.effects() - effects]).toEqual([commit, 2]);
      await estate.settle();
      for (const { id, violations } of await estate.verify()) expect([commit, id, violations]).toEqual([commit, id, []]);
      const crashes = estate.crashes();
      await estate.close();
      crashed += crashes;
      if (crashes === 0) break;
    }
  }
  expect(crashed).toBeGreaterThanOrEqual(4);
});
