import { expect } from '@jest/globals';
import { byHand } from '../support/steps/by-hand.ts';
import { eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(byHand);

const failing = (status: number, times?: number) => ({ match: { api: 'cancel-fulfillment' }, fault: { kind: 'status', status }, times });
const LOST = { match: { api: 'cancel-fulfillment' }, fault: { kind: 'lost-response' }, times: 1 };
const CANCELLED = { state: 'cancelled', fulfillmentOrders: [{ state: 'cancelled' }] };
const PENDING = { state: 'confirmed', pendingAction: { action: 'cancel' } };

test('Cancel Order voids the payments of a draft and releases its stock and vouchers before it answers', async (rehearsal) => {
  const draft = await rehearsal.authorised({ customerId: 'cus_ben', voucherCodes: ['WELCOME10'] });
  const { status, body, headers } = await rehearsal.cancel(draft.id, { reason: 'changed my mind' });
  expect([status, headers['etag']]).toEqual([200, `"${body.version}"`]);
  expect(body).toMatchObject({ state: 'cancelled', cancelReason: 'changed my mind', paymentStatus: 'unpaid' });
  expect(body.payments).toMatchObject([{ state: 'voided' }]);
  for (const absent of ['compensation', 'pendingAction']) expect(body).not.toHaveProperty(absent);
  expect(await rehearsal.order(draft.id)).toEqual(body);
  expect(await rehearsal.object('reservation', draft.lines[0].reservationId)).toMatchObject({ state: 'released' });
  const uses = (await rehearsal.journal()).filter(({ api }) => api === 'record-voucher-use').map(({ request }) => request.state);
  expect(uses).toEqual(['locked', 'released']);
  const changes = ['order-created v1', 'ext.order-changed v2', 'order-cancelled v3', 'ext.order-changed v4'];
  expect(await rehearsal.orderEvents(draft.id)).toEqual(changes);
});

test('Cancel Order refunds captured and voids authorised payments of a confirmed order', async (rehearsal) => {
  const { id, totals } = await rehearsal.draft();
  const first = await rehearsal.authorisation(id, 1000);
  await rehearsal.authorisation(id);
  const confirmed = await rehearsal.confirmed(id);
  await rehearsal.api('capture-payment-api', { params: { id: first.id } });
  const { status, body } = await rehearsal.cancel(id);
  expect([status, body]).toMatchObject([200, { state: 'cancelled', paymentStatus: 'refunded' }]);
  expect(body.payments).toMatchObject([
    { id: first.id, state: 'fully-refunded', refundedAmount: eur(1000) },
    { state: 'voided', amount: eur(totals.total.amount - 1000) },
  ]);
  expect(body).not.toHaveProperty('cancelReason');
  expect((await rehearsal.object('reservation', confirmed.lines[0].reservationId)).state).toBe('released');
  const [cancelled] = await rehearsal.events({ type: 'order-cancelled' });
  expect(cancelled.data).toMatchObject({ previousState: 'confirmed', object: { compensation: 'pending' } });
});

test.each([
  ['before picking', undefined],
  ['with a picking order', []],
  ['while it is picked', ['started']],
  ['when it is picked', ['started', 'picked']],
  ['when it is packed', ['started', 'picked', 'packed']],
] as const)('Cancel Order %s returns the money and releases the stock', async (rehearsal, _, steps) => {
  const order = await rehearsal.confirmed();
  if (steps) await rehearsal.picked(order.fulfillmentOrders[0].id, ...steps);
  await rehearsal.settle();
  const { status, body } = await rehearsal.cancel(order.id);
  expect([status, body]).toMatchObject([200, { ...CANCELLED, paymentStatus: steps ? 'refunded' : 'unpaid' }]);
  expect(body).not.toHaveProperty('pendingAction');
  expect(await rehearsal.stockOf('mug-blue')).toMatchObject({ 'dc-01': [1000, 0] });
  expect((await rehearsal.cancel(order.id)).body).toEqual(body);
});

test('Cancel Order releases the replacement reservations of short units', async (rehearsal) => {
  const order = await rehearsal.confirmed({ qty: 3 });
  await rehearsal.short(order, await rehearsal.onlyFulfilment(order.id), 1);
  expect((await rehearsal.cancel(order.id)).body).toMatchObject({ state: 'cancelled', paymentStatus: 'refunded' });
  expect(await rehearsal.stockOf('mug-blue')).toMatchObject({ 'dc-01': [998, 0], 'dc-02': [1000, 0] });
});

test('Cancel Order is refused once goods are dispatched, cancels no fulfillment order, and the order continues', async (rehearsal) => {
  const { order, mugs, desks } = await rehearsal.orderOfTwoNodes();
  const mug = await rehearsal.dispatched(mugs);
  const { status, body } = await rehearsal.cancel(order.id, { reason: 'too late' });
  expect([status, body]).toMatchObject([409, { code: 'invalid_state_transition', currentState: 'in-fulfilment', retryable: false }]);
  // The state of the order is not the reason for the refusal, so `allowedFrom` omits it.
  expect([body.allowedFrom, body.fulfillmentOrderId]).toEqual([['draft', 'confirmed', 'cancelled'], mugs]);
  const after = await rehearsal.order(order.id);
  expect(after.fulfillmentOrders.map(({ state }) => state)).toEqual(['dispatched', 'allocated']);
  for (const absent of ['pendingAction', 'cancelReason']) expect(after).not.toHaveProperty(absent);
  await rehearsal.delivered(mug);
  await rehearsal.delivered(await rehearsal.dispatched(desks));
  expect((await rehearsal.order(order.id)).state).toBe('completed');
});

test('Cancel Order does not call the FMS for an order that was never routed', async (rehearsal) => {
  await rehearsal.progress({ route: 'manual' });
  const { id } = await rehearsal.confirmed();
  await rehearsal.down('fms');
  expect((await rehearsal.cancel(id)).body).toMatchObject({ state: 'cancelled', fulfillmentOrders: [] });
  await rehearsal.noFaults();
  expect((await rehearsal.call('route-order-api', { params: { id } })).status).toBe(409);
});

test('Cancel Order with a lost answer of the FMS keeps its intent while the FMS is down, and is finished by a repeat', async (rehearsal) => {
  const { id } = await rehearsal.confirmed();
  await rehearsal.fault('lost', LOST);
  expect((await rehearsal.cancel(id)).status).toBe(504);
  expect(await rehearsal.order(id)).toMatchObject(PENDING);
  await rehearsal.fault('down', failing(503, 1));
  expect((await rehearsal.cancel(id)).status).toBe(503);
  expect(await rehearsal.order(id)).toMatchObject(PENDING);
  expect((await rehearsal.cancel(id)).body).toMatchObject(CANCELLED);
});

test('Cancel Order leaves no fulfillment order behind when the FMS never answered the routing', async (rehearsal) => {
  const { id } = await rehearsal.authorised();
  await rehearsal.fault('lost', { match: { api: 'create-fulfillment-orders' }, fault: { kind: 'lost-response' } });
  await rehearsal.confirm(id);
  await rehearsal.noFaults();
  expect((await rehearsal.cancel(id)).body).toMatchObject(CANCELLED);
  await rehearsal.advance('PT1H');
  expect(await rehearsal.order(id)).toMatchObject(CANCELLED);
});

test('Cancel Order wins over a routing that reaches the FMS after it', async (rehearsal) => {
  await rehearsal.progress({ route: 'manual' });
  const { id } = await rehearsal.confirmed();
  await rehearsal.fault('slow', { match: { api: 'create-fulfillment-orders' }, fault: { kind: 'latency', ms: 1_000 }, times: 1 });
  const routing = rehearsal.call('route-order-api', { params: { id } });
  await rehearsal.struck('slow');
  expect((await rehearsal.cancel(id)).body.state).toBe('cancelled');
  expect((await routing).status).toBe(409);
  expect(await rehearsal.routed(id)).toEqual([]);
});

test.each([1, 2, 3, 4, 5, 6])(
  'Concurrent Cancel Order and Dispatch cancel the order or let the goods leave, never both (%i)',
  async (rehearsal, round) => {
    const { orderId, fulfillmentOrderId: id } = await rehearsal.packedOrder();
    await rehearsal.settle();
    const racing = [() => rehearsal.cancel(orderId), () => rehearsal.dispatch(id)];
    const replies = await Promise.all((round % 2 === 0 ? racing : racing.reverse()).map((send) => send()));
    await rehearsal.advance('PT2M');
    const { state, fulfillmentOrders, pendingAction } = await rehearsal.order(orderId);
    expect(['cancelled cancelled', 'in-fulfilment dispatched']).toContain(`${state} ${fulfillmentOrders[0].state}`);
    expect(replies.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(pendingAction).toBeUndefined();
  },
);

test('Cancel Order whose outcome is unknown stops goods that are about to be dispatched', async (rehearsal) => {
  const { orderId, fulfillmentOrderId } = await rehearsal.packedOrder();
  await rehearsal.settle();
  await rehearsal.fault('slow', failing(504, 1));
  expect((await rehearsal.cancel(orderId)).status).toBe(504);
  const stopped = { code: 'invalid_state_transition', retryable: true };
  expect(await rehearsal.dispatch(fulfillmentOrderId)).toMatchObject({ status: 409, body: stopped });
  expect((await rehearsal.cancel(orderId)).body.state).toBe('cancelled');
});
