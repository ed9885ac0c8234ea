import { describe, expect, test } from '@jest/globals';
import { returning } from '../services/return-scenes.ts';
import { ADDRESS, newRehearsal, type TestRehearsal } from '../support/estate.ts';

/** Refusals that would be decisions of an application if it had made them. */
const STATUSES = [402, 404, 409, 412];

const once = (rehearsal: TestRehearsal, api: string, status: number) =>
  rehearsal.fault('once', { match: { api }, fault: { kind: 'status', status }, times: 1 });

/** A confirmed order that the estate carries out by itself. */
async function confirmedOrder(rehearsal: TestRehearsal): Promise<string> {
  const body = { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 1 }] };
  const { id } = await rehearsal.ok('POST', '/baskets', body);
  await rehearsal.ok('POST', `/baskets/${id}/checkout`, { shippingAddress: ADDRESS });
  const order = await rehearsal.ok('POST', '/orders', { basketId: id });
  await rehearsal.ok('POST', '/payments/authorizations', { orderId: order.id, tender: { type: 'card', token: 'tok_visa' } });
  await rehearsal.ok('POST', `/orders/${order.id}/confirm`);
  return order.id;
}

describe.each(STATUSES)('A status %s without a code, between applications', (status) => {
  test('is no decision: the call is answered 502, and its key can be used again', async () => {
    await using rehearsal = await newRehearsal();
    await once(rehearsal, 'get-customer-api', status);
    const basket = () =>
      rehearsal.call('POST', '/baskets', { channel: 'web', customerId: 'cus_ada' }, { headers: { 'idempotency-key': 'mine' } });
    const refused = await basket();
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      ...[502, 'dependency_error', `crm answered ${status}: Injected by the fault once.`],
    ]);
    expect((await basket()).status).toBe(201);
  });

  test('leaves no stock held for a voided transaction', async () => {
    await using rehearsal = await newRehearsal();
    const body = { storeId: 'store-01', laneId: 'l1', lines: [{ sku: 'mug-blue', qty: 2 }] };
    const { id } = await rehearsal.ok('POST', '/transactions', body);
    await once(rehearsal, 'abandon-basket', status);
    await rehearsal.ok('POST', `/transactions/${id}/void`);
    await rehearsal.advance('PT1H');
    await rehearsal.verify();
  });

  test.each(['close-return', 'list-payments'])('of %s does not keep a return from being refunded', async (api) => {
    await using scene = await returning();
    const { id } = await scene.requested(await scene.completed());
    await scene.moved(id, 'approve', 'receive');
    await once(scene.rehearsal, api, status);
    await scene.moved(id, 'inspect');
    await scene.rehearsal.advance('PT3H');
    expect((await scene.object(id)).state).toBe('refunded');
    await scene.rehearsal.verify();
  });

  test.each(['record-picking', 'ensure-captured', 'dispatch-fulfillment-order-api', 'get-reservation'])(
    'of %s does not keep an order from being delivered',
    async (api) => {
      await using rehearsal = await newRehearsal();
      await rehearsal.ok('PUT', '/_control/progression', { warehouse: 'immediate', carrier: 'immediate' }, { as: 'admin' });
      await once(rehearsal, api, status);
      const id = await confirmedOrder(rehearsal);
      await rehearsal.advance('PT3H');
      expect((await rehearsal.ok('GET', `/orders/${id}`)).state).toBe('completed');
      await rehearsal.verify();
    },
  );
});
