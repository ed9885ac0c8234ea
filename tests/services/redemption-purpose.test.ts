import { expect } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const byHand = () => newRehearsal({ warehouse: 'manual' });
const test = testIn(byHand);

const redeem = async (rehearsal: TestRehearsal, member: string, purpose: object): Promise<string> =>
  (await rehearsal.api('redeem-points-api', { params: { id: member }, body: { points: 200, ...purpose } })).redemption.id;
const pay = (rehearsal: TestRehearsal, orderId: string, token: string, amount = 200, headers: Record<string, string> = {}) =>
  rehearsal.call('authorize-payment-api', { body: { orderId, tender: { type: 'loyalty', token }, amount: eur(amount) }, headers });
const declined = { status: 402, body: { code: 'payment_declined', declineCode: 'redemption_not_applicable' } };
const orderFor = (rehearsal: TestRehearsal, customerId = 'cus_ada') => rehearsal.draft({ qty: 1, customerId });

test.each([
  ['for a basket', ({ basketId }: { basketId: string }) => ({ basketId })],
  ['for an order', ({ id }: { id: string }) => ({ orderId: id })],
])('A redemption %s pays for its order alone, and stays open after a wrong attempt', async (rehearsal, _what, purposeOf) => {
  const [order, other, foreign] = [await orderFor(rehearsal), await orderFor(rehearsal), await orderFor(rehearsal, 'cus_ben')];
  const token = await redeem(rehearsal, 'loy_ada', purposeOf(order));
  for (const { id } of [other, foreign]) expect(await pay(rehearsal, id, token)).toMatchObject(declined);
  expect(await pay(rehearsal, order.id, token)).toMatchObject({ status: 201, body: { state: 'authorised' } });
});

test('A redemption is validated again when its payment is resumed after a lost answer', async (rehearsal) => {
  const [order, other] = [await orderFor(rehearsal), await orderFor(rehearsal)];
  const token = await redeem(rehearsal, 'loy_ada', { orderId: order.id });
  for (const [{ id }, outcome] of [
    [other, declined],
    [order, { status: 201 }],
  ] as const) {
    const send = () => pay(rehearsal, id, token, 200, { 'idempotency-key': `pay ${id}` });
    await rehearsal.fault('lost', { match: { api: 'put-ledger-entry' }, fault: { kind: 'drop' }, times: 1 });
    expect((await send()).status).toBeGreaterThanOrEqual(502);
    expect(await send()).toMatchObject(outcome);
  }
});

test('A redemption made at the till for its basket does not pay for another sale', async (rehearsal) => {
  const [one, other] = [await rehearsal.sale({ loyaltyId: 'loy_ada' }), await rehearsal.sale({ loyaltyId: 'loy_ada' })];
  const tender = { type: 'loyalty', token: await redeem(rehearsal, 'loy_ada', { basketId: one.basketId }) };
  expect(await rehearsal.pay(other.id, tender, 200)).toMatchObject(declined);
  expect(await rehearsal.pay(one.id, tender, 200)).toMatchObject({ status: 201 });
});

test('A redemption worth less than the amount is declined, and the refusal has its worth', async (rehearsal) => {
  const { id } = await rehearsal.draft();
  const { status, body } = await pay(rehearsal, id, await redeem(rehearsal, 'loy_ada', { orderId: id }), 201);
  expect([status, body.declineCode, body.availableAmount]).toEqual([402, 'insufficient_points', eur(200)]);
  expect(body.detail).toContain('2.00 EUR');
});
