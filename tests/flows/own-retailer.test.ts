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

test('A retailer sets the prices of shipping, and a reset keeps them', async () => {
  await using retailer = await startRetailer({ shipping: { STANDARD: 100, EXPRESS: 250, freeFrom: 2_598 } });
  await using rehearsal = await rehearsalAt(retailer.gateway);
  const shipping = async (qty: number, shippingMethod: 'STANDARD' | 'EXPRESS') =>
    (await rehearsal.checkedOut({ sku: 'mug-blue', qty }, { shippingMethod })).totals.shipping.amount;
  expect([await shipping(1, 'STANDARD'), await shipping(1, 'EXPRESS'), await shipping(2, 'STANDARD')]).toEqual([100, 250, 0]);
  await rehearsal.call('POST', '/_control/reset', {}, { as: 'admin' });
  expect(await shipping(1, 'STANDARD')).toBe(100);
});

test('A retailer sets how long a checkout holds its stock', async () => {
  await using retailer = await startRetailer({ windows: { checkoutHold: 'PT2M' } });
  await using rehearsal = await rehearsalAt(retailer.gateway);
  const { id } = await rehearsal.checkedOut();
  const state = async () => (await rehearsal.api('get-basket-api', { params: { id } })).state;
  await rehearsal.advance('PT1M59S');
  expect(await state()).toBe('locked');
  await rehearsal.advance('PT2S');
  expect(await state()).toBe('open');
});

test('A retailer sets the amount that earns a point', async () => {
  await using retailer = await startRetailer({ loyalty: { earnPer: 1_000 } });
  await using rehearsal = await rehearsalAt(retailer.gateway);
  const balance = async () => (await rehearsal.api('get-member-balance-api', { params: { id: 'loy_ada' } })).pointsBalance;
  const before = await balance();
  await rehearsal.confirmed({ sku: 'mug-blue', qty: 2 });
  await rehearsal.advance('P10D');
  expect((await balance()) - before).toBe(2);
  await rehearsal.verify();
});

test('A retailer sets how long goods may be announced for return', async () => {
  await using retailer = await startRetailer({ windows: { return: 'P1D' } });
  await using rehearsal = await rehearsalAt(retailer.gateway, { returns: 'time' });
  const { id } = await rehearsal.confirmed();
  await rehearsal.advance('P10D');
  const announced = await rehearsal.announced(await rehearsal.order(id));
  await rehearsal.advance('P1D');
  const rejected = await rehearsal.returned(announced.id);
  expect(rejected).toMatchObject({ state: 'rejected' });
  expect(JSON.stringify(rejected)).toContain('Announced later than 1 day after the order was completed.');
});

test('A retailer sets how long redeemed points wait for a payment', async () => {
  await using retailer = await startRetailer({ windows: { redemption: 'PT1H' } });
  await using rehearsal = await rehearsalAt(retailer.gateway);
  const { id: basketId } = await rehearsal.basket();
  const params = { id: 'loy_ada' };
  const balance = async () => (await rehearsal.api('get-member-balance-api', { params })).pointsBalance;
  await rehearsal.api('redeem-points-api', { params, body: { points: 100, basketId } });
  await rehearsal.advance('PT59M');
  expect(await balance()).toBe(400);
  await rehearsal.advance('PT2M');
  expect(await balance()).toBe(500);
});
