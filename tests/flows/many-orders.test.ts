import { describe, expect, test } from '@jest/globals';
import { ADDRESS, newRehearsal, type TestRehearsal } from '../support/estate.ts';

/** Retries like a client: a retryable refusal is repeated with the same key. */
async function insist(rehearsal: TestRehearsal, method: string, path: string, body: unknown, key: string) {
  for (let attempt = 1; attempt <= 20; attempt++) {
    const reply = await rehearsal.call(method, path, body, { headers: { 'idempotency-key': key } });
    if (reply.body?.retryable !== true) return reply;
    await new Promise((resolve) => setTimeout(resolve, 20 * attempt));
  }
  throw new Error(`${method} ${path} was refused twenty times.`);
}

async function order(rehearsal: TestRehearsal, n: number): Promise<string> {
  const sku = n % 4 === 0 ? 'desk-two-nodes' : 'mug-blue';
  const basket = await insist(
    rehearsal,
    'POST',
    '/baskets',
    { channel: 'web', customerId: 'cus_ada', lines: [{ sku, qty: 1 + (n % 2) }] },
    `basket-${n}`,
  );
  expect(basket.status).toBe(201);
  const checkout = await insist(rehearsal, 'POST', `/baskets/${basket.body.id}/checkout`, { shippingAddress: ADDRESS }, `checkout-${n}`);
  if (checkout.status === 409) {
    expect(checkout.body.code).toBe('insufficient_stock');
    return 'sold out';
  }
  expect(checkout.status).toBe(200);
  const created = await insist(rehearsal, 'POST', '/orders', { basketId: basket.body.id }, `order-${n}`);
  const orderId = created.body.id as string;
  const tender = { type: 'card', token: n % 7 === 0 ? 'tok_decline_do_not_honor' : 'tok_visa' };
  const paid = await insist(rehearsal, 'POST', '/payments/authorizations', { orderId, tender }, `pay-${n}`);
  if (n % 7 === 0) {
    expect(paid.status).toBe(402);
    expect((await insist(rehearsal, 'POST', `/orders/${orderId}/confirm`, {}, `confirm-${n}`)).body.code).toBe('payment_incomplete');
    return 'unpaid';
  }
  expect((await insist(rehearsal, 'POST', `/orders/${orderId}/confirm`, {}, `confirm-${n}`)).status).toBe(200);
  if (n % 5 === 0) {
    expect((await insist(rehearsal, 'POST', `/orders/${orderId}/cancel`, {}, `cancel-${n}`)).body.state).toBe('cancelled');
    return 'cancelled';
  }
  return 'confirmed';
}

describe('Two hundred concurrent orders in ten rehearsals', () => {
  test('reach their expected end, and every invariant holds in each rehearsal', async () => {
    const rehearsals = await Promise.all(Array.from({ length: 10 }, () => newRehearsal()));
    const ends = await Promise.all(rehearsals.flatMap((rehearsal) => Array.from({ length: 20 }, (_, n) => order(rehearsal, n + 1))));
    const count = (end: string): number => ends.filter((one) => one === end).length;
    expect(count('unpaid')).toBe(20);
    expect(count('cancelled')).toBeGreaterThanOrEqual(30);
    expect(count('confirmed') + count('sold out')).toBe(200 - count('unpaid') - count('cancelled'));
    expect(count('confirmed')).toBeGreaterThan(90);
    for (const rehearsal of rehearsals) {
      const { invariants } = await rehearsal.verify();
      expect(invariants.map(({ id }) => id)).toEqual([
        'money',
        'points',
        'stock',
        'fulfilment',
        'returns',
        'till',
        'one-effect',
        'event-versions',
        'moving',
        'parked',
        'replay',
      ]);
      await rehearsal[Symbol.asyncDispose]();
    }
  });
});
