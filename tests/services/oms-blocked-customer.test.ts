import { describe, expect, test } from '@jest/globals';
import { newRehearsal } from '../support/estate.ts';
import { TTL } from '../support/steps/order.ts';

async function blockable() {
  const rehearsal = await newRehearsal({ warehouse: 'manual' });
  const move = (verb: 'block' | 'unblock') => rehearsal.control('move-customer-by-hand', { params: { id: 'cus_ada', verb } });
  return { ...rehearsal, block: () => move('block'), unblock: () => move('unblock') };
}

describe('Confirm Order of a customer who was blocked since the order was created', () => {
  test('Confirm Order of a blocked customer is refused and writes nothing; it succeeds when the customer is unblocked', async () => {
    await using rehearsal = await blockable();
    const { id } = await rehearsal.authorised();
    const before = await rehearsal.order(id);
    await rehearsal.block();
    const body = { code: 'customer_blocked', objectType: 'customer', id: 'cus_ada', retryable: false };
    expect(await rehearsal.confirm(id)).toMatchObject({ status: 409, body });
    expect(await rehearsal.order(id)).toEqual(before);
    await rehearsal.unblock();
    expect(await rehearsal.confirm(id)).toMatchObject({ status: 200, body: { state: 'confirmed' } });
    await rehearsal.block();
    expect(await rehearsal.confirm(id)).toMatchObject({ status: 200, body: { state: 'confirmed' } });
    await rehearsal.verify();
  });

  test('The reservation of a refused order expires, and its authorisation ends with the draft', async () => {
    await using rehearsal = await blockable();
    const { id } = await rehearsal.authorised({ qty: 2 });
    await rehearsal.block();
    await rehearsal.confirm(id);
    expect(await rehearsal.reserved('mug-blue')).toBe(2);
    await rehearsal.advance(TTL);
    expect(await rehearsal.reserved('mug-blue')).toBe(0);
    expect(await rehearsal.order(id)).toMatchObject({ state: 'draft', paymentStatus: 'authorised' });
    await rehearsal.advance('P1D');
    expect(await rehearsal.order(id)).toMatchObject({ state: 'cancelled', cancelReason: 'expired', payments: [{ state: 'voided' }] });
    await rehearsal.verify();
  });

  test('A sale of the till to a blocked customer is completed, since its goods are on the counter', async () => {
    await using rehearsal = await blockable();
    const { id, totals } = await rehearsal.sale({ loyaltyId: 'loy_ada' });
    await rehearsal.block();
    await rehearsal.pay(id, { type: 'cash' }, totals.total.amount);
    expect(await rehearsal.order(id)).toMatchObject({ state: 'completed' });
    await rehearsal.verify();
  });
});
