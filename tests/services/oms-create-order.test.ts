import { describe, expect } from '@jest/globals';
import { eventually, newRehearsal } from '../support/estate.ts';
import { testIn } from '../support/test-in.ts';

async function opened() {
  const rehearsal = await newRehearsal({ warehouse: 'manual' });
  return {
    ...rehearsal,
    create: (basketId: string, headers: Record<string, string> = {}) => rehearsal.call('create-order-api', { body: { basketId }, headers }),
  };
}
const test = testIn(opened);

describe('Create Order', () => {
  test('Create Order makes a draft with the lines, prices and reservation of a basket in checkout, and a number to read out', async (rehearsal) => {
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
  });

  test.each([
    ['a repeat with the same key', 504, 'timeout', { 'idempotency-key': 'k-1' }],
    ['a repeat without a key', 504, 'timeout', {}],
    ['due work', 502, 'reset', undefined],
  ] as const)('An order whose conversion has no answer is completed by %s', async (rehearsal, _, status, as, headers) => {
    const { id } = await rehearsal.checkedOut();
    await rehearsal.fault('lost', { match: { api: 'convert-basket' }, fault: { kind: 'lost-response', as }, times: 1 });
    expect((await rehearsal.create(id, headers)).status).toBe(status);
    const { orderId } = await rehearsal.object('basket', id);
    expect((await rehearsal.call('get-order-api', { params: { id: orderId } })).status).toBe(404);
    if (headers) expect(await rehearsal.create(id, headers)).toMatchObject({ status: 201, body: { id: orderId } });
    else await rehearsal.advance('PT1M');
    expect(await rehearsal.order(orderId)).toMatchObject({ id: orderId, basketId: id, state: 'draft' });
  });
});

test('Create Order refuses a customer who was blocked since the checkout, unless the basket is already bound to an order', async (rehearsal) => {
  const move = (verb: 'block' | 'unblock') => rehearsal.control('move-customer-by-hand', { params: { id: 'cus_ada', verb } });
  const { id } = await rehearsal.checkedOut();
  await move('block');
  expect(await rehearsal.create(id)).toMatchObject({ status: 409, body: { code: 'customer_blocked', id: 'cus_ada' } });
  expect(await rehearsal.object('basket', id)).toMatchObject({ state: 'locked' });
  await move('unblock');
  await rehearsal.fault('lost', { match: { api: 'convert-basket' }, fault: { kind: 'lost-response' }, times: 1 });
  expect((await rehearsal.create(id)).status).toBe(504);
  await move('block');
  expect((await rehearsal.create(id)).status).toBe(201);
});

describe('Orders', () => {
  test('A draft that is not confirmed is cancelled after a day: payments voided, stock released', async (rehearsal) => {
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
  });
});
