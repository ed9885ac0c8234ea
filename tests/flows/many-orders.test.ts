import { expect, test } from '@jest/globals';
import type { ApiId } from '../../shared/catalog/apis.ts';
import { ADDRESS, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { card } from '../support/steps/tender.ts';

/** Repeats a retryable refusal with the same key, as a client does. */
async function insist(rehearsal: TestRehearsal, n: number, api: ApiId, body: object = {}, id = '') {
  for (let attempt = 1; attempt <= 20; attempt++) {
    const reply = await rehearsal.call(api, { params: { id }, body, headers: { 'idempotency-key': `${api}-${n}` } });
    if (reply.body?.retryable !== true) return reply;
    await new Promise((resolve) => setTimeout(resolve, 20 * attempt));
  }
  throw new Error(`${api} was refused twenty times.`);
}

/** @returns the end of the nth order */
async function order(rehearsal: TestRehearsal, n: number): Promise<'sold out' | 'unpaid' | 'cancelled' | 'confirmed'> {
  const lines = [{ sku: n % 4 === 0 ? 'desk-two-nodes' : 'mug-blue', qty: 1 + (n % 2) }];
  const basket = await insist(rehearsal, n, 'create-basket-api', { channel: 'web', customerId: 'cus_ada', lines });
  const basketId: string = basket.body.id;
  const checkout = await insist(rehearsal, n, 'checkout-basket-api', { shippingAddress: ADDRESS }, basketId);
  if (checkout.status === 409) {
    expect(checkout.body.code).toBe('insufficient_stock');
    return 'sold out';
  }
  const { body } = await insist(rehearsal, n, 'create-order-api', { basketId });
  const orderId: string = body.id;
  const tender = card(n % 7 === 0 ? 'tok_decline_do_not_honor' : 'tok_visa');
  const paid = await insist(rehearsal, n, 'authorize-payment-api', { orderId, tender });
  const confirmation = await insist(rehearsal, n, 'confirm-order-api', {}, orderId);
  if (n % 7 === 0) {
    expect([paid.status, confirmation.body.code]).toEqual([402, 'payment_incomplete']);
    return 'unpaid';
  }
  expect([paid.status, confirmation.status]).toEqual([201, 200]);
  if (n % 5 !== 0) return 'confirmed';
  expect((await insist(rehearsal, n, 'cancel-order-api', {}, orderId)).body.state).toBe('cancelled');
  return 'cancelled';
}

test('Two hundred concurrent orders in ten rehearsals reach their expected end, and every invariant holds', async () => {
  const rehearsals = await Promise.all(Array.from({ length: 10 }, () => newRehearsal()));
  const ends = await Promise.all(rehearsals.flatMap((rehearsal) => Array.from({ length: 20 }, (_, n) => order(rehearsal, n + 1))));
  const count = (end: string): number => ends.filter((one) => one === end).length;
  expect(count('unpaid')).toBe(20);
  expect(count('cancelled')).toBeGreaterThanOrEqual(30);
  expect(count('confirmed')).toBeGreaterThan(90);
  for (const rehearsal of rehearsals) {
    await rehearsal.verify();
    await rehearsal[Symbol.asyncDispose]();
  }
});
