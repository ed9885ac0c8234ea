import { expect } from '@jest/globals';
import { newRehearsal } from '../support/estate.ts';
import { testIn } from '../support/test-in.ts';

/** Two mugs and their shipping. */
const TOTAL = 3088;
/** The Payment Hub refuses to authorise anything. */
const declining = (times?: number) => ({
  ...{ match: { api: 'authorize-payment-api' }, fault: { kind: 'status', status: 402, code: 'payment_declined' }, times },
});
const AWAY = { match: { api: 'authorize-payment-api' }, fault: { kind: 'outage' } };
const LOST = { match: { api: 'authorize-payment-api' }, fault: { kind: 'lost-response' }, times: 1 };
const PAID = { state: 'confirmed', paymentStatus: 'authorised' };
const UNPAID = { state: 'confirmed', paymentStatus: 'unpaid' };
const ENDED = { state: 'cancelled', cancelReason: 'authorisation-lost' };

async function opened() {
  const rehearsal = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
  return {
    ...rehearsal,
    payments: async (id: string) =>
      (await rehearsal.order(id)).payments.map(({ state, tender, amount }) => `${state} ${tender.type} ${amount.amount}`),
    is: async (id: string, expected: object) => {
      expect(await rehearsal.order(id)).toMatchObject(expected);
      await rehearsal.verify();
    },
  };
}
const test = testIn(opened);

test('An authorisation is renewed with the same tender whenever it expires, and is captured like any other', async (rehearsal) => {
  const { id } = await rehearsal.confirmed();
  await rehearsal.advance('P7D');
  expect(await rehearsal.payments(id)).toEqual([`voided card ${TOTAL}`, `authorised card ${TOTAL}`]);
  await rehearsal.advance('P8D');
  expect(await rehearsal.payments(id)).toEqual([...Array(2).fill(`voided card ${TOTAL}`), `authorised card ${TOTAL}`]);
  await rehearsal.picked(await rehearsal.onlyFulfilment(id));
  await rehearsal.settle();
  await rehearsal.is(id, { state: 'in-fulfilment', paymentStatus: 'paid' });
});

test.each([
  ['that expires after 30 days', undefined, 'P29D authorised, P6DT1H unpaid, P1D cancelled'],
  ['whose renewal is declined', declining(1), 'P7D unpaid, PT23H unpaid, PT1H cancelled'],
  ['that cannot be renewed for 20 hours', AWAY, 'P7DT20H unpaid, PT1H authorised'],
  ['whose renewal has no answer', LOST, 'P7DT2H authorised, PT1H authorised'],
])('An order with an authorisation %s (%j) is: %s', async (rehearsal, _, fault, way) => {
  const { id } = await rehearsal.confirmed();
  if (fault) await rehearsal.fault('trouble', fault);
  const steps = way.split(', ').map((step) => step.split(' '));
  for (const [by = '', word = ''] of steps) {
    const expected = word === 'authorised' ? PAID : word === 'unpaid' ? UNPAID : ENDED;
    if (by === steps.at(-1)?.[0]) await rehearsal.noFaults();
    await rehearsal.advance(by);
    const order = await rehearsal.order(id);
    expect([by, order]).toMatchObject([by, expected]);
    expect(order.fulfillmentOrders).toMatchObject([{ state: expected === ENDED ? 'cancelled' : 'allocated' }]);
    expect(await rehearsal.reserved('mug-blue')).toBe(expected === ENDED ? 0 : 2);
  }
  if (fault === LOST) expect(await rehearsal.payments(id)).toEqual([`voided card ${TOTAL}`, `authorised card ${TOTAL}`]);
});

test('Each of several tenders is renewed with its own part of the total', async (rehearsal) => {
  const { id } = await rehearsal.draft();
  await rehearsal.authorisation(id, 1000, 'tok_mastercard');
  await rehearsal.authorisation(id, 500, { type: 'gift-card', token: 'gift_5' });
  await rehearsal.authorisation(id, 1588, { type: 'bnpl' });
  await rehearsal.advance('PT2M');
  await rehearsal.confirmed(id);
  await rehearsal.advance('P9D');
  const live = (await rehearsal.order(id)).payments.filter(({ state }) => state === 'authorised');
  expect(live.map(({ tender, amount }) => `${tender.type} ${tender.token} ${amount.amount}`)).toEqual([
    ...['gift-card gift_5 500', 'card tok_mastercard 1000', 'bnpl undefined 1588'],
  ]);
  await rehearsal.is(id, PAID);
});

test('An authorisation that a client voids is not renewed; without a new payment the order is cancelled after a day', async (rehearsal) => {
  const { id, payments } = await rehearsal.confirmed();
  await rehearsal.api('void-payment-api', { params: { id: payments[0].id } });
  await rehearsal.advance('PT23H');
  await rehearsal.is(id, UNPAID);
  await rehearsal.advance('PT1H');
  await rehearsal.is(id, ENDED);
  expect(await rehearsal.reserved('mug-blue')).toBe(0);
});

test('A payment with gift cards and points does not expire: its order waits for the warehouse without limit', async (rehearsal) => {
  const { id } = await rehearsal.draft();
  const { redemption } = await rehearsal.api('redeem-points-api', { params: { id: 'loy_ada' }, body: { points: 300, orderId: id } });
  const gift = await rehearsal.authorisation(id, TOTAL - 300, { type: 'gift-card', token: 'gift_50' });
  const points = await rehearsal.authorisation(id, 300, { type: 'loyalty', token: redemption.id });
  for (const payment of [gift, points]) expect(payment).not.toHaveProperty('authorizationExpiresAt');
  await rehearsal.confirmed(id);
  await rehearsal.advance('P40D');
  await rehearsal.is(id, PAID);
});

test.each([
  ['renewed', 'P3D', PAID],
  ['declined', 'P3D', ENDED],
])('An authorisation that expires during an outage of the Payment Hub is %s after it (%s)', async (rehearsal, how, length, expected) => {
  const { id } = await rehearsal.confirmed();
  await rehearsal.advance('P6D');
  await rehearsal.down('payment-hub');
  await rehearsal.advance(length);
  if (how === 'declined') await rehearsal.fault('declining', declining());
  await rehearsal.control('delete-fault', { params: { name: 'down' } });
  await rehearsal.settle();
  await rehearsal.advance('PT2H');
  await rehearsal.is(id, expected);
});
