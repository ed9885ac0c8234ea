import { describe, expect } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

const once = (rehearsal: TestRehearsal, api: string, status: number) =>
  rehearsal.fault('once', { match: { api }, fault: { kind: 'status', status }, times: 1 });

/** Statuses that report a decision of the application. */
describe.each([402, 404, 409, 412])('Status %i without a code between applications', (status) => {
  test(`A call that gets ${status} without a code is answered 502, and its key can be used again`, async (rehearsal) => {
    await once(rehearsal, 'get-customer-api', status);
    const request = { body: { channel: 'web', customerId: 'cus_ada' }, headers: { 'idempotency-key': 'mine' } };
    const body = { code: 'dependency_error', detail: `crm answered ${status}: Injected by the fault once.` };
    expect(await rehearsal.call('create-basket-api', request)).toMatchObject({ status: 502, body });
    expect((await rehearsal.call('create-basket-api', request)).status).toBe(201);
  });

  test(`A sale whose basket gets ${status} is voided and keeps no stock`, async (rehearsal) => {
    const { id } = await rehearsal.sale();
    await once(rehearsal, 'abandon-basket', status);
    expect((await rehearsal.voidSale(id)).status).toBe(200);
    await rehearsal.advance('PT1H');
  });

  test.each(['close-return', 'list-payments'])(`A return is refunded although %s gets ${status}`, async (rehearsal, api) => {
    await rehearsal.progress({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id } = await rehearsal.announced(await rehearsal.completed());
    await rehearsal.moved(id, 'approve', 'receive');
    await once(rehearsal, api, status);
    await rehearsal.moved(id, 'inspect');
    await rehearsal.advance('PT3H');
    expect((await rehearsal.object('return', id)).state).toBe('refunded');
  });

  test.each(['record-picking', 'ensure-captured', 'dispatch-fulfillment-order-api', 'get-reservation'])(
    `An order is delivered although %s gets ${status}`,
    async (rehearsal, api) => {
      await rehearsal.progress({ warehouse: 'immediate', carrier: 'immediate' });
      await once(rehearsal, api, status);
      const { id } = await rehearsal.confirmed();
      await rehearsal.advance('PT3H');
      expect((await rehearsal.order(id)).state).toBe('completed');
    },
  );
});
