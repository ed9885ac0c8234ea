import { expect, test } from '@jest/globals';
import { estate, newRehearsal } from '../support/estate.ts';
import { card, eur } from '../support/steps/tender.ts';
import { startAdapter } from './example-adapter.ts';

test('The example adapter reads the amount of an order within its call, and reports what its provider does unasked', async () => {
  await using adapter = await startAdapter(estate.gateway);
  await using rehearsal = await newRehearsal(undefined, undefined, { 'payment-hub': { url: adapter.url } });
  const order = await rehearsal.draft();
  const { body: payment } = await rehearsal.call('authorize-payment-api', { body: { orderId: order.id, tender: card() } });
  expect(payment).toMatchObject({ state: 'authorised', amount: order.totals.total });

  expect(await adapter.expire(payment.id)).toBe(200);
  expect(await rehearsal.object('payment', payment.id)).toMatchObject({ state: 'voided', version: 2 });
  const events = await rehearsal.events({ subject: `payment/${payment.id}`, ext: true });
  expect(events.map(({ type }) => type)).toEqual(['com.unified-commerce.payment-authorized', 'com.unified-commerce.ext.payment-changed']);

  const forged = { method: 'POST', headers: { 'provider-signature': `t=1,v1=${'0'.repeat(64)}` }, body: '{"intent":{}}' };
  expect((await fetch(`${adapter.url}/webhook`, forged)).status).toBe(401);
  const { items } = await rehearsal.control('list-swaps');
  expect(items).toMatchObject([{ application: 'payment-hub', failed: 0, violations: [] }]);
});

test.each(['gift-card', 'loyalty', 'exchange-credit'])('The example adapter declines the tender %s by name', async (type) => {
  await using adapter = await startAdapter();
  const payable = { orderId: 'ord_1', channel: 'web', state: 'draft', total: eur(2_598) };
  const response = await fetch(`${adapter.url}/payments/authorizations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-rehearsal': 'team-a', 'idempotency-key': 'k1' },
    body: JSON.stringify({ orderId: 'ord_1', tender: { type, token: 'gift_5' }, payable }),
  });
  expect([response.status, await response.json()]).toEqual([
    402,
    expect.objectContaining({ code: 'payment_declined', declineCode: 'tender_not_supported', detail: expect.stringContaining(type) }),
  ]);
});
