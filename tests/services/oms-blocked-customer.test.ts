import { describe, expect, test } from '@jest/globals';
import { ordering, TTL } from './oms-scenes.ts';

async function blockable() {
  const scene = await ordering();
  const move = (verb: 'block' | 'unblock') => scene.rehearsal.ok('POST', `/_control/customers/cus_ada/${verb}`, {}, { as: 'admin' });
  return { ...scene, move, [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() };
}

const refused = {
  status: 409,
  body: { code: 'customer_blocked', objectType: 'customer', id: 'cus_ada', retryable: false },
};

describe('Confirm Order of a customer who was blocked since the order was created', () => {
  test('is refused, and writes nothing', async () => {
    await using scene = await blockable();
    const { id } = await scene.paidDraft();
    const before = await scene.order(id);
    await scene.move('block');
    expect(await scene.confirm(id)).toMatchObject(refused);
    expect(await scene.order(id)).toEqual(before);
    await scene.rehearsal.verify();
  });

  test('succeeds once the customer is unblocked', async () => {
    await using scene = await blockable();
    const { id } = await scene.paidDraft();
    await scene.move('block');
    await scene.confirm(id);
    await scene.move('unblock');
    expect(await scene.confirm(id)).toMatchObject({ status: 200, body: { state: 'confirmed' } });
    await scene.rehearsal.verify();
  });

  test('lets the hold expire and the authorisation end with the draft', async () => {
    await using scene = await blockable();
    const { id } = await scene.paidDraft({ qty: 2 });
    await scene.move('block');
    await scene.confirm(id);
    expect(await scene.reserved('mug-blue')).toBe(2);
    await scene.rehearsal.advance(TTL);
    expect(await scene.reserved('mug-blue')).toBe(0);
    expect(await scene.order(id)).toMatchObject({ state: 'draft', paymentStatus: 'authorised' });
    await scene.rehearsal.advance('P1D');
    expect(await scene.order(id)).toMatchObject({ state: 'cancelled', cancelReason: 'expired', payments: [{ state: 'voided' }] });
    await scene.rehearsal.verify();
  });

  test('that was confirmed before the block answers a repeat as usual', async () => {
    await using scene = await blockable();
    const { id } = await scene.confirmed();
    await scene.move('block');
    expect(await scene.confirm(id)).toMatchObject({ status: 200, body: { state: 'confirmed' } });
  });

  test('is refused while the CRM is down; nothing is written', async () => {
    await using scene = await blockable();
    const { id } = await scene.paidDraft();
    await scene.rehearsal.fault('down', { match: { application: 'crm' }, fault: { kind: 'outage' } });
    expect(await scene.confirm(id)).toMatchObject({ status: 503, body: { code: 'dependency_unavailable', dependency: 'crm' } });
    const order = await scene.order(id);
    expect(order.state).toBe('draft');
    expect(order).not.toHaveProperty('pendingAction');
    await scene.rehearsal.noFaults();
    expect((await scene.confirm(id)).status).toBe(200);
  });

  test('succeeds for a sale of the till, whose goods are on the counter', async () => {
    await using scene = await blockable();
    const { rehearsal } = scene;
    const sale = await rehearsal.ok('POST', '/transactions', {
      ...{ storeId: 'store-01', laneId: 'lane-1', lines: [{ sku: 'mug-blue', qty: 1 }], loyaltyId: 'loy_ada' },
    });
    await scene.move('block');
    await rehearsal.ok('POST', `/transactions/${sale.id}/payment`, { tender: { type: 'cash' }, amount: sale.totals.total });
    expect(await scene.order(sale.id)).toMatchObject({ state: 'completed' });
    await rehearsal.verify();
  });
});
