import { describe, expect, test } from '@jest/globals';
import { eventually, newRehearsal } from '../support/estate.ts';
import { TTL } from '../support/steps/order.ts';

async function opened() {
  const rehearsal = await newRehearsal({ warehouse: 'manual' });
  return {
    ...rehearsal,
    create: (basketId: string, headers: Record<string, string> = {}) => rehearsal.call('create-order-api', { body: { basketId }, headers }),
  };
}

describe('Create Order', () => {
  test('Create Order makes a draft with the lines, prices and reservation of a basket in checkout, and a number to read out', async () => {
    await using rehearsal = await opened();
    const basket = await rehearsal.checkedOut();
    const { status, body: order, headers } = await rehearsal.create(basket.id);
    expect([status, headers['etag']]).toEqual([201, '"1"']);
    expect(order).toMatchObject({
      ...{ state: 'draft', version: 1, channel: 'web', basketId: basket.id, customerId: 'cus_ada', totals: basket.totals },
      ...{ shippingAddress: basket.shippingAddress, shippingMethod: 'STANDARD', payments: [], paymentStatus: 'unpaid' },
      ...{ id: expect.stringMatching(/^ord_[0-9A-Z]{26}$/), orderNumber: expect.stringMatching(/^\d{6}-[0-9A-Z]{6}$/) },
    });
    const { reservationId } = basket;
    expect(order.lines).toEqual([{ ...basket.lines[0], reservationId, fulfilledQty: 0, returnedQty: 0, cancelledQty: 0 }]);
    expect(await rehearsal.object('basket', basket.id)).toMatchObject({ state: 'converted', orderId: order.id });
    expect(await rehearsal.orderEvents(order.id)).toEqual(['order-created v1']);
    await rehearsal.verify();
  });

  test('Five concurrent Create Order make one order of a basket', async () => {
    await using rehearsal = await opened();
    const { id } = await rehearsal.checkedOut();
    await rehearsal.fault('together', { match: { api: 'convert-basket' }, fault: { kind: 'barrier', parties: 5 } });
    const replies = await Promise.all(Array.from({ length: 5 }, () => rehearsal.create(id)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 201]);
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
    expect(await rehearsal.events({ type: 'order-created' })).toHaveLength(1);
    await rehearsal.verify();
  });

  test.each([
    ['a repeat with the same key', 504, 'timeout', { 'idempotency-key': 'k-1' }],
    ['a repeat without a key', 504, 'timeout', {}],
    ['due work', 502, 'reset', undefined],
  ] as const)('An order whose conversion has no answer is completed by %s', async (_, status, as, headers) => {
    await using rehearsal = await opened();
    const { id } = await rehearsal.checkedOut();
    await rehearsal.fault('lost', { match: { api: 'convert-basket' }, fault: { kind: 'lost-response', as }, times: 1 });
    expect((await rehearsal.create(id, headers)).status).toBe(status);
    const { orderId } = await rehearsal.object('basket', id);
    expect((await rehearsal.call('get-order-api', { params: { id: orderId } })).status).toBe(404);
    if (headers) expect(await rehearsal.create(id, headers)).toMatchObject({ status: 201, body: { id: orderId } });
    else await rehearsal.advance('PT1M');
    expect(await rehearsal.order(orderId)).toMatchObject({ id: orderId, basketId: id, state: 'draft' });
    await rehearsal.verify();
  });

  test('Create Order stores nothing when the basket was not converted', async () => {
    await using rehearsal = await opened();
    const { id } = await rehearsal.checkedOut();
    await rehearsal.down({ api: 'convert-basket' });
    expect((await rehearsal.create(id)).status).toBe(503);
    await rehearsal.noFaults();
    await rehearsal.advance('PT1M');
    expect(await rehearsal.object('basket', id)).toMatchObject({ state: 'locked' });
    expect(await rehearsal.events({ type: 'order-created' })).toEqual([]);
  });

  test('Create Order refuses a basket before its checkout, after its checkout expired, and without lines', async () => {
    await using rehearsal = await opened();
    const { id } = await rehearsal.basket();
    const { status, body } = await rehearsal.create(id);
    const open = { code: 'invalid_state_transition', objectType: 'basket', id, currentState: 'open', retryable: false };
    expect([status, body]).toMatchObject([409, open]);
    expect(body.allowedFrom).toContain('locked');
    await rehearsal.checkedOut(id);
    await rehearsal.advance(TTL);
    expect(await rehearsal.create(id)).toMatchObject({ status: 409, body: open });
    const empty = await rehearsal.api('create-basket-api', { body: { channel: 'web', customerId: 'cus_ada' } });
    expect(await rehearsal.create(empty.id)).toMatchObject({ status: 409, body: { code: 'basket_empty', id: empty.id } });
  });

  test('Create Order refuses members that only services may send', async () => {
    await using rehearsal = await opened();
    const basket = await rehearsal.checkedOut();
    const refused = await rehearsal.call('create-order-api', { body: { basketId: basket.id, basket } });
    expect(refused).toMatchObject({ status: 422, body: { code: 'validation_failed', errors: [{ pointer: '/basket' }] } });
  });

  test('Create Order for a customer is refused while the CRM is down', async () => {
    await using rehearsal = await opened();
    const { id } = await rehearsal.checkedOut();
    await rehearsal.down('crm');
    expect(await rehearsal.create(id)).toMatchObject({ status: 503, body: { code: 'dependency_unavailable', dependency: 'crm' } });
    await rehearsal.noFaults();
    expect((await rehearsal.create(id)).status).toBe(201);
  });
});

describe('Orders', () => {
  const apis = ['get-order-api', 'confirm-order-api', 'route-order-api', 'cancel-order-api'] as const;
  test.each(apis)('The %s answers 404 for an unknown order', async (api) => {
    await using rehearsal = await opened();
    const unknown = await rehearsal.call(api, { params: { id: 'ord_nobody' } });
    expect(unknown).toMatchObject({ status: 404, body: { code: 'not_found', objectType: 'order' } });
  });

  test('A draft that is not confirmed is cancelled after a day: payments voided, stock released', async () => {
    await using rehearsal = await opened();
    const { id } = await rehearsal.authorised();
    const { id: confirmed } = await rehearsal.confirmed({ sku: 'mug-green', qty: 1 });
    await rehearsal.advance('PT24H1S');
    const expired = await eventually('expiry', async () => {
      const found = await rehearsal.order(id);
      return found.state === 'cancelled' && found.compensation === undefined && found;
    });
    expect(expired).toMatchObject({ cancelReason: 'expired', paymentStatus: 'unpaid', payments: [{ state: 'voided' }] });
    expect(await rehearsal.reserved('mug-blue')).toBe(0);
    expect(await rehearsal.orderEvents(id)).toEqual(['order-created v1', 'order-cancelled v2', 'ext.order-changed v3']);
    expect(await rehearsal.order(confirmed)).toMatchObject({ state: 'confirmed', paymentStatus: 'authorised' });
    await rehearsal.verify();
  });
});
