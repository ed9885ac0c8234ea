import type { Scenario, Stage } from '../scenario.ts';
import { confirmedOrder, dispatched } from './fulfillment.ts';
import { ADDRESS, basketInCheckout, CARD, stateOf } from './steps.ts';

export const eventsDisordered: Scenario = {
  name: 'events-disordered',
  title: 'Events arrive twice, late and out of order: points are earned once, and no state moves back',
  flows: [3],
  pains: ['out-of-order-events'],
  async run(stage) {
    const points = await stage.step({ title: 'Ada’s points before', call: 'GET /members/loy_ada/balance' });
    await stage.fault('twice', { match: { event: 'order-confirmed' }, fault: { kind: 'duplicate', copies: 2 } });
    await stage.fault('swapped', { match: { event: 'order-created' }, fault: { kind: 'reorder' } });
    await stage.fault('kept', { match: { event: 'ext.order-changed' }, fault: { kind: 'withhold' } });
    const sale = await stage.step({
      title: 'Sell two mugs at the till',
      call: 'POST /transactions',
      body: { storeId: 'store-01', laneId: 'lane-1', lines: [{ sku: 'mug-blue', qty: 2 }], loyaltyId: 'loy_ada' },
    });
    await stage.step({
      title: 'Pay in cash: the order is created, confirmed and completed immediately',
      call: `POST /transactions/${sale.body.id}/payment`,
      body: { tender: { type: 'cash' }, amount: sale.body.totals.total },
    });
    await stage.settle();
    const order = await stage.step({ title: 'The order is complete', call: `GET /orders/${sale.body.id}` });
    stage.expect('order', order.body.state, 'completed');
    const withheld = await stage.step({ title: 'No points yet: the events are withheld', call: 'GET /members/loy_ada/balance' });
    stage.expect('points earned', withheld.body.pointsBalance - points.body.pointsBalance, 0);
    await stage.noFaults();
    await stage.settle();
    await stage.expectSequence('the order is created on the bus after it is confirmed', [
      { what: 'call', name: 'add-payment-api', by: 'client', status: 201 },
      { what: 'event', name: 'order-confirmed' },
      { what: 'event', name: 'order-created' },
    ]);
    const delivered = await stage.step({ title: 'The withheld events have arrived', call: 'GET /members/loy_ada/balance' });
    stage.expect('points earned: one per full 1.00 of goods', delivered.body.pointsBalance - points.body.pointsBalance, 25);
  },
};

/** Flow 7's failure column: checkout continues without points. */
export const loyaltyDown: Scenario = {
  name: 'loyalty-down',
  title: 'The Loyalty Platform is down at checkout',
  flows: [7],
  pains: ['loyalty-down'],
  async run(stage) {
    await stage.fault('down', { match: { application: 'loyalty-platform' }, fault: { kind: 'outage' } });
    const basket = await stage.step({
      title: 'Basket',
      call: 'POST /baskets',
      body: { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 1 }] },
    });
    const checkout = await stage.step({
      title: 'Checkout continues without points',
      call: `POST /baskets/${basket.body.id}/checkout`,
      body: { shippingAddress: ADDRESS },
    });
    stage.expect('loyalty', checkout.body.loyalty?.status, 'unavailable');
    await stage.step({
      title: 'Points cannot be redeemed',
      call: 'POST /members/loy_ada/redeem',
      body: { points: 100, basketId: basket.body.id },
      status: 503,
    });
    const sale = await stage.step({
      title: 'A member buys at the till; the member card cannot be read',
      call: 'POST /transactions',
      body: { storeId: 'store-01', laneId: 'lane-1', lines: [{ sku: 'mug-blue', qty: 1 }], loyaltyId: 'loy_ada' },
    });
    await stage.step({
      title: 'The sale stands',
      call: `POST /transactions/${sale.body.id}/payment`,
      body: { tender: { type: 'cash' }, amount: sale.body.totals.total },
    });
    await stage.noFaults();
    await stage.settle();
    const balance = await stage.step({ title: 'The points of the sale have arrived', call: 'GET /members/loy_ada/balance' });
    stage.expect('points: 500 and one per full 1.00 of the sale', balance.body.pointsBalance, 512);
    await stage.step({
      title: 'The Loyalty Platform is back, and points can be redeemed',
      call: 'POST /members/loy_ada/redeem',
      body: { points: 100, basketId: basket.body.id },
    });
  },
};

/** Variant of flow 6: the Payment Hub is down while an order is cancelled. Compensation waits and runs once. */
export const compensationWaits: Scenario = {
  name: 'compensation-waits',
  title: 'An order is cancelled while the Payment Hub is down',
  flows: [6],
  async run(stage) {
    const { orderId } = await basketInCheckout(stage, { sku: 'mug-blue', qty: 1 });
    await stage.step({ title: 'Authorise', call: 'POST /payments/authorizations', body: { orderId, tender: CARD } });
    await stage.step({ title: 'Confirm', call: `POST /orders/${orderId}/confirm` });
    await stage.fault('down', { match: { application: 'payment-hub' }, fault: { kind: 'outage' } });
    const cancelled = await stage.step({ title: 'Cancel', call: `POST /orders/${orderId}/cancel`, body: { reason: 'changed my mind' } });
    stage.expect('order', cancelled.body.state, 'cancelled');
    stage.expect('compensation', cancelled.body.compensation, 'pending');
    await stage.noFaults();
    await stage.advance('PT5M');
    const done = await stage.step({ title: 'Compensation has completed', call: `GET /orders/${orderId}` });
    stage.expect('compensation', done.body.compensation, undefined);
    stage.expect('payments', stateOf(done.body.payments), ['voided']);
  },
};

/** Starts to pick a fulfillment order and reports a shortage. @returns the path of the picking order's status */
async function foundShort(
  stage: Stage,
  { fulfillmentOrderId, lineId, found }: { fulfillmentOrderId: string; lineId: string; found: number },
) {
  const picking = await stage.step({ title: 'Create the picking order', call: 'POST /picking-orders', body: { fulfillmentOrderId } });
  const status = `PUT /picking-orders/${picking.body.id}/status` as const;
  await stage.step({ title: 'Picking: started', call: status, body: { status: 'started' } });
  const lines = [{ orderLineId: lineId, pickedQty: found }];
  await stage.step({ title: `Picking: short, ${found} found`, call: status, body: { status: 'short', lines } });
  await stage.settle();
  return status;
}

export const shortPick: Scenario = {
  name: 'short-pick',
  title: 'The picker reports a shortage: another node supplies the rest, and the missing unit is refunded',
  flows: [4, 6],
  pains: ['partial-fulfilment'],
  async run(stage) {
    const { orderId, fulfillmentOrderIds } = await confirmedOrder(stage, [{ sku: 'desk-two-nodes', qty: 3 }]);
    const [first = ''] = fulfillmentOrderIds;
    const order = await stage.step({ title: 'Read the node of its line', call: `GET /orders/${orderId}` });
    const { lineId = '', nodeId } = order.body.lines[0] ?? {};
    stage.expect('node', nodeId, 'dc-01');
    const firstStatus = await foundShort(stage, { fulfillmentOrderId: first, lineId, found: 1 });
    const routed = await stage.step({ title: 'The other two come from dc-02', call: `GET /orders/${orderId}` });
    const nodes = routed.body.fulfillmentOrders?.map(({ locationId }) => locationId);
    stage.expect('nodes', nodes, ['dc-01', 'dc-02']);
    const second = routed.body.fulfillmentOrders?.[1]?.id ?? '';
    const secondStatus = await foundShort(stage, { fulfillmentOrderId: second, lineId, found: 1 });
    const short = await stage.step({ title: 'No node has the third unit: it is refunded', call: `GET /orders/${orderId}` });
    stage.expect('cancelled units of the line', short.body.lines[0]?.cancelledQty, 1);
    for (const [status, id] of [[firstStatus, first] as const, [secondStatus, second] as const]) {
      await stage.step({ title: 'Picking: packed', call: status, body: { status: 'packed' } });
      await stage.step({ title: 'Dispatch the picked units', call: `POST /fulfillment/orders/${id}/dispatch`, body: {} });
    }
    await stage.advance('P2D');
    const done = await stage.step({ title: 'Two units have arrived', call: `GET /orders/${orderId}` });
    stage.expect('order', done.body.state, 'completed');
    stage.expect('fulfilled units of the line', done.body.lines[0]?.fulfilledQty, 2);
    stage.expect('payment status', done.body.paymentStatus, 'partially-refunded');
  },
};

export const captureRetried: Scenario = {
  name: 'capture-retried',
  title: 'The capture fails when fulfilment begins: no goods leave until it succeeds',
  flows: [6],
  async run(stage) {
    const { orderId, fulfillmentOrderIds } = await confirmedOrder(stage, [{ sku: 'mug-blue', qty: 1 }]);
    await stage.fault('no-capture', {
      match: { api: 'capture-payment-api' },
      fault: { kind: 'status', status: 402, code: 'payment_declined' },
    });
    const fulfillmentOrderId = fulfillmentOrderIds[0] ?? '';
    const picking = await stage.step({ title: 'Picking begins', call: 'POST /picking-orders', body: { fulfillmentOrderId } });
    for (const status of ['started', 'picked', 'packed']) {
      await stage.step({ title: `Picking: ${status}`, call: `PUT /picking-orders/${picking.body.id}/status`, body: { status } });
    }
    const retrying = await stage.step({ title: 'The capture is being retried', call: `GET /orders/${orderId}` });
    stage.expect('capture status', retrying.body.captureStatus, 'retrying');
    await stage.step({
      title: 'Dispatch is refused before the capture',
      call: `POST /fulfillment/orders/${fulfillmentOrderId}/dispatch`,
      body: {},
      status: 409,
    });
    await stage.noFaults();
    await stage.advance('PT1M');
    const captured = await stage.step({ title: 'A minute later the payment is captured once', call: `GET /orders/${orderId}` });
    stage.expect('payment status', captured.body.paymentStatus, 'paid');
    stage.expect('payments', captured.body.payments.length, 1);
    await stage.step({ title: 'Dispatch', call: `POST /fulfillment/orders/${fulfillmentOrderId}/dispatch`, body: {} });
  },
};

export const carrierDown: Scenario = {
  name: 'carrier-down',
  title: 'The carrier is down at dispatch: the goods leave, and the label is created later',
  flows: [8],
  async run(stage) {
    const { fulfillmentOrderIds } = await confirmedOrder(stage, [{ sku: 'mug-blue', qty: 1 }]);
    await stage.fault('down', { match: { application: 'carrier-platform' }, fault: { kind: 'outage' } });
    const parcel = await dispatched(stage, fulfillmentOrderIds[0] ?? '', {}, []);
    const sent = await stage.step({
      title: 'Dispatch: the parcel has no label yet',
      call: `GET /fulfillment/orders/${fulfillmentOrderIds[0] ?? ''}`,
    });
    stage.expect('parcel', [sent.body.shipments[0]?.state, sent.body.shipments[0]?.labelStatus], ['pending', 'failed']);
    await stage.noFaults();
    await stage.settle();
    await stage.expectSequence('the FMS hands the parcel over as soon as the carrier is back', [
      { what: 'event', name: 'shipment-label-generated', subject: `shipment/${parcel}` },
    ]);
    await stage.advance('P2D');
    const tracking = await stage.step({ title: 'Track the parcel', call: `GET /shipments/${parcel}/tracking`, options: { as: 'api-key' } });
    stage.expect('parcel', tracking.body.state, 'delivered');
  },
};

export const unknownOutcome: Scenario = {
  name: 'unknown-outcome',
  title: 'The answer of a capture is lost: a retry with the key returns it, and a retry without the key captures nothing',
  flows: [6],
  pains: ['unknown-outcome'],
  async run(stage) {
    const { orderId, total } = await basketInCheckout(stage, { sku: 'mug-blue', qty: 1 });
    const payment = await stage.step({ title: 'Authorise', call: 'POST /payments/authorizations', body: { orderId, tender: CARD } });
    await stage.fault('lost', { match: { api: 'capture-payment-api' }, fault: { kind: 'lost-response' }, times: 1 });
    const capture = `POST /payments/authorizations/${payment.body.id}/capture` as const;
    const options = { headers: { 'idempotency-key': 'capture-1' } };
    await stage.step({ title: 'The capture succeeds, but its answer is lost', call: capture, body: {}, options, status: 504 });
    const again = await stage.step({ title: 'Repeat with the same key: the lost answer is returned', call: capture, body: {}, options });
    stage.expect('payment', [again.body.state, again.body.capturedAmount.amount], ['captured', total]);
    await stage.step({ title: 'Repeat without the key: it is captured already', call: capture, body: {}, status: 409 });
    const order = await stage.step({ title: 'The payment is captured once', call: `GET /orders/${orderId}` });
    stage.expect('payment status', order.body.paymentStatus, 'paid');
    await stage.step({ title: 'Cancel the order: its payment is refunded', call: `POST /orders/${orderId}/cancel` });
    const cancelled = await stage.step({ title: 'The order is refunded', call: `GET /orders/${orderId}` });
    stage.expect('payment status', cancelled.body.paymentStatus, 'refunded');
  },
};

export const inventoryDown: Scenario = {
  name: 'inventory-down',
  title: 'The Inventory Service is down: reservations fail completely',
  flows: [5],
  async run(stage) {
    await stage.fault('down', { match: { application: 'inventory-service' }, fault: { kind: 'outage' } });
    await stage.step({
      title: 'Reserve',
      call: 'POST /inventory/reservations',
      body: { items: [{ sku: 'mug-blue', qty: 1 }] },
      status: 503,
    });
    await stage.noFaults();
    const stock = await stage.step({ title: 'Nothing is reserved', call: 'GET /inventory/items/mug-blue' });
    const reserved = stock.body.locations.map((location) => location.reserved);
    stage.expect('reserved', Math.max(...reserved), 0);
    await stage.step({ title: 'Reserve', call: 'POST /inventory/reservations', body: { items: [{ sku: 'mug-blue', qty: 1 }] } });
  },
};
