import { expect } from '@jest/globals';
import type { TestRehearsal } from '../support/estate.ts';
import { byHand } from '../support/steps/by-hand.ts';
import { CASH, eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(byHand);

/** Two mugs at 12.99 earn 25 points; the shipping earns none. */
const WORTH = 2598;

const earn = (rehearsal: TestRehearsal, orderId: string, amount = WORTH, id = 'loy_ada') =>
  rehearsal.call('earn-points-api', { params: { id }, body: { orderId, amount: eur(amount) } });
const account = (rehearsal: TestRehearsal, id = 'loy_ada') => rehearsal.api('get-member-balance-api', { params: { id } });

const earnedFor = async (rehearsal: TestRehearsal, order: string, id?: string): Promise<number[]> =>
  (await account(rehearsal, id)).entries.filter(({ type, orderId }) => type === 'earn' && orderId === order).map(({ points }) => points);

/** A completed order whose event the Loyalty Platform has not received. */
async function unreported(rehearsal: TestRehearsal) {
  await rehearsal.fault('silence', { match: { event: 'ext.order-changed' }, fault: { kind: 'withhold' } });
  return rehearsal.completed();
}
async function report(rehearsal: TestRehearsal) {
  await rehearsal.noFaults();
  await rehearsal.settle();
}
const ofAnother = { status: 422, code: 'validation_failed', errors: [{ pointer: '/orderId', code: 'order_of_another' }] };

test('Earn Points books the points of an order once, before or after the event of the order', async (rehearsal) => {
  const { id } = await unreported(rehearsal);
  expect(await earnedFor(rehearsal, id)).toEqual([]);
  expect(await earn(rehearsal, id)).toMatchObject({ status: 201, body: { id: 'loy_ada', pointsBalance: 525 } });
  await report(rehearsal);
  expect(await earn(rehearsal, id)).toMatchObject({ status: 200, body: { pointsBalance: 525 } });
  expect(await earnedFor(rehearsal, id)).toEqual([25]);
  const other = await rehearsal.completed();
  await rehearsal.settle();
  expect(await earn(rehearsal, other.id)).toMatchObject({ status: 200, body: { pointsBalance: 550 } });
  expect(await earnedFor(rehearsal, other.id)).toEqual([25]);
});

test('Earn Points refuses a wrong amount or member before and after the event, and names the right amount', async (rehearsal) => {
  const { id } = await unreported(rehearsal);
  const otherAmount = { pointer: '/amount', code: 'other_amount', detail: expect.stringContaining('25.98 EUR') };
  for (const amount of [100, WORTH + 490])
    expect((await earn(rehearsal, id, amount)).body).toMatchObject({ status: 422, code: 'validation_failed', errors: [otherAmount] });
  expect((await earn(rehearsal, id, WORTH, 'loy_clara')).body).toMatchObject(ofAnother);
  await report(rehearsal);
  const repeat = { status: 409, code: 'conflicting_repeat', objectType: 'order', id, standing: { amount: eur(WORTH) } };
  expect((await earn(rehearsal, id, 100)).body).toMatchObject(repeat);
  expect([await earnedFor(rehearsal, id), await earnedFor(rehearsal, id, 'loy_clara')]).toEqual([[25], []]);
});

test('Earn Points takes back the same points for a refund as the event, in either order', async (rehearsal) => {
  const { id, payments } = await unreported(rehearsal);
  await rehearsal.api('refund-payment-api', { params: { id: payments[0].id }, body: { amount: eur(1299) } });
  await rehearsal.settle();
  // The refund was recorded before; the call and its repeat book both.
  for (const status of [201, 200]) expect(await earn(rehearsal, id)).toMatchObject({ status, body: { pointsBalance: 512 } });
  await report(rehearsal);
  expect(await account(rehearsal)).toMatchObject({ pointsBalance: 512 });
});

test('Earn Points gives the points of an order without a member to the first member who claims them', async (rehearsal) => {
  const { id } = await rehearsal.sale();
  await rehearsal.pay(id, CASH, WORTH);
  for (const status of [201, 200]) expect((await earn(rehearsal, id, WORTH, 'loy_clara')).status).toBe(status);
  expect(await earnedFor(rehearsal, id, 'loy_clara')).toEqual([25]);
  expect((await earn(rehearsal, id)).body).toMatchObject(ofAnother);
});

test('Earn Points refuses an order that is draft, confirmed, in fulfilment or cancelled, and earns once it is completed', async (rehearsal) => {
  const refusedIn = async (id: string, currentState: string) => {
    const { body } = await earn(rehearsal, id);
    expect(body).toMatchObject({ status: 409, code: 'invalid_state_transition', objectType: 'order', id, currentState, action: 'earn' });
    expect([body.allowedFrom, body.retryable]).toEqual([['completed', 'return-in-progress'], false]);
  };
  const { id } = await rehearsal.authorised();
  await refusedIn(id, 'draft');
  await rehearsal.confirmed(id);
  await refusedIn(id, 'confirmed');
  const parcel = await rehearsal.dispatched(await rehearsal.onlyFulfilment(id));
  await refusedIn(id, 'in-fulfilment');
  await rehearsal.delivered(parcel);
  expect(await earnedFor(rehearsal, id)).toEqual([25]);
  const other = await rehearsal.draft({ qty: 1 });
  await rehearsal.cancel(other.id);
  await refusedIn(other.id, 'cancelled');
});
