import { expect, test } from '@jest/globals';
import { startRetailer } from '../support/own-retailer.ts';
import { rehearsalAt } from '../support/steps/rehearsal-at.ts';

test.each([
  { currency: 'JPY', total: '2598 JPY' },
  { currency: 'USD', total: '25.98 USD' },
  { currency: 'BHD', total: '2.598 BHD' },
])('An order in $currency is paid, delivered and refunded in its currency', async ({ currency, total }) => {
  await using retailer = await startRetailer({ currency });
  await using rehearsal = await rehearsalAt(retailer.gateway);
  const order = await rehearsal.draft({ sku: 'mug-blue', qty: 2 });
  expect(order.totals.total).toEqual({ amount: 3_088, currency });
  const tender = { type: 'card', token: 'tok_visa' } as const;
  const foreign = await rehearsal.call('authorize-payment-api', {
    body: { orderId: order.id, tender, amount: { amount: 100, currency: 'EUR' } },
  });
  const errors = [
    { pointer: '/amount/currency', code: 'unsupported_currency', detail: `This must be ${currency}, the currency of this rehearsal.` },
  ];
  expect(foreign).toMatchObject({ status: 422, body: { errors } });
  const payment = await rehearsal.api('authorize-payment-api', { body: { orderId: order.id, tender } });
  await rehearsal.confirmed(order.id);
  await rehearsal.advance('P10D');
  expect(await rehearsal.order(order.id)).toMatchObject({ state: 'completed' });
  const refund = (amount: number) =>
    rehearsal.call('refund-payment-api', { params: { id: payment.id }, body: { amount: { amount, currency } } });
  expect((await refund(490)).body).toMatchObject({ refundedAmount: { amount: 490, currency } });
  expect((await refund(2_599)).body.detail).toContain(total);
  await rehearsal.verify();
});
