import { describe, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';

/** Refusals that would be decisions of an application if it had made them. */
const STATUSES = [402, 404, 409, 412];

const once = (rehearsal: TestRehearsal, api: string, status: number) =>
  rehearsal.fault('once', { match: { api }, fault: { kind: 'status', status }, times: 1 });

/** A confirmed order that the estate carries out by itself. */
async function confirmedOrder(rehearsal: TestRehearsal): Promise<string> {
  const { id } = await rehearsal.checkedOut({ qty: 1 });
  const order = await rehearsal.draft(id);
  await rehearsal.authorisation(order.id);
  await rehearsal.confirmed(order.id);
  return order.id;
}

describe.each(STATUSES)('A status %s without a code, between applications', (status) => {
  test('is no decision: the call is answered 502, and its key can be used again', async () => {
    await using rehearsal = await newRehearsal();
    await once(rehearsal, 'get-customer-api', status);
    const basket = () =>
      rehearsal.call('create-basket-api', { body: { channel: 'web', customerId: 'cus_ada' }, headers: { 'idempotency-key': 'mine' } });
    const refused = await basket();
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      ...[502, 'dependency_error', `crm answered ${status}: Injected by the fault once.`],
    ]);
    expect((await basket()).status).toBe(201);
  });

  test('leaves no stock held for a voided transaction', async () => {
    await using rehearsal = await newRehearsal();
    const body = { storeId: 'store-01', laneId: 'l1', lines: [{ sku: 'mug-blue', qty: 2 }] };
    const { id } = await rehearsal.api('create-transaction-api', { body });
    await once(rehearsal, 'abandon-basket', status);
    await rehearsal.api('void-transaction-api', { params: { id } });
    await rehearsal.advance('PT1H');
    await rehearsal.verify();
  });

  test.each(['close-return', 'list-payments'])('of %s does not keep a return from being refunded', async (api) => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id } = await scene.announced(await scene.completed());
    await scene.moved(id, 'approve', 'receive');
    await once(scene, api, status);
    await scene.moved(id, 'inspect');
    await scene.advance('PT3H');
    expect((await scene.object('return', id)).state).toBe('refunded');
    await scene.verify();
  });

  test.each(['record-picking', 'ensure-captured', 'dispatch-fulfillment-order-api', 'get-reservation'])(
    'of %s does not keep an order from being delivered',
    async (api) => {
      await using rehearsal = await newRehearsal();
      await rehearsal.progress({ warehouse: 'immediate', carrier: 'immediate' });
      await once(rehearsal, api, status);
      const id = await confirmedOrder(rehearsal);
      await rehearsal.advance('PT3H');
      expect((await rehearsal.order(id)).state).toBe('completed');
      await rehearsal.verify();
    },
  );
});
