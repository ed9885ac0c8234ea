import { describe, expect, test } from '@jest/globals';
import { newRehearsal } from '../support/estate.ts';
import { TTL } from '../support/steps/order.ts';

async function blockable() {
  const scene = await newRehearsal({ warehouse: 'manual' });
  const move = (verb: 'block' | 'unblock') => scene.control('move-customer-by-hand', { params: { id: 'cus_ada', verb } });
  return { ...scene, move, [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() };
}

const refused = {
  status: 409,
  body: { code: 'customer_blocked', objectType: 'customer', id: 'cus_ada', retryable: false },
};

describe('Confirm Order of a customer who was blocked since the order was created', () => {
  test('is refused, and writes nothing', async () => {
    await using scene = await blockable();
    const { id } = await scene.authorised();
    const before = await scene.order(id);
    await scene.move('block');
    expect(await scene.confirm(id)).toMatchObject(refused);
    expect(await scene.order(id)).toEqual(before);
    await scene.verify();
  });

  test('succeeds once the customer is unblocked', async () => {
    await using scene = await blockable();
    const { id } = await scene.authorised();
    await scene.move('block');
    await scene.confirm(id);
    await scene.move('unblock');
    expect(await scene.confirm(id)).toMatchObject({ status: 200, body: { state: 'confirmed' } });
    await scene.verify();
  });

  test('lets the hold expire and the authorisation end with the draft', async () => {
    await using scene = await blockable();
    const { id } = await scene.authorised({ qty: 2 });
    await scene.move('block');
    await scene.confirm(id);
    expect(await scene.reserved('mug-blue')).toBe(2);
    await scene.advance(TTL);
    expect(await scene.reserved('mug-blue')).toBe(0);
    expect(await scene.order(id)).toMatchObject({ state: 'draft', paymentStatus: 'authorised' });
    await scene.advance('P1D');
    expect(await scene.order(id)).toMatchObject({ state: 'cancelled', cancelReason: 'expired', payments: [{ state: 'voided' }] });
    await scene.verify();
  });

  test('that was confirmed before the block answers a repeat as usual', async () => {
    await using scene = await blockable();
    const { id } = await scene.confirmed();
    await scene.move('block');
    expect(await scene.confirm(id)).toMatchObject({ status: 200, body: { state: 'confirmed' } });
  });

  test('is refused while the CRM is down; nothing is written', async () => {
    await using scene = await blockable();
    const { id } = await scene.authorised();
    await scene.down('crm');
    expect(await scene.confirm(id)).toMatchObject({ status: 503, body: { code: 'dependency_unavailable', dependency: 'crm' } });
    const order = await scene.order(id);
    expect(order.state).toBe('draft');
    expect(order).not.toHaveProperty('pendingAction');
    await scene.noFaults();
    expect((await scene.confirm(id)).status).toBe(200);
  });

  test('succeeds for a sale of the till, whose goods are on the counter', async () => {
    await using scene = await blockable();

    const sale = await scene.api('create-transaction-api', {
      body: {
        ...{ storeId: 'store-01', laneId: 'lane-1', lines: [{ sku: 'mug-blue', qty: 1 }], loyaltyId: 'loy_ada' },
      },
    });
    await scene.move('block');
    await scene.api('add-payment-api', { params: { id: sale.id }, body: { tender: { type: 'cash' }, amount: sale.totals.total } });
    expect(await scene.order(sale.id)).toMatchObject({ state: 'completed' });
    await scene.verify();
  });
});
