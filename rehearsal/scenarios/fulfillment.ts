import type { Scenario, Stage } from '../scenario.ts';
import { ADDRESS, CARD } from './steps.ts';

interface Line {
  readonly sku: string;
  readonly qty: number;
}

/** Places, confirms and routes an order. @returns its id and the ids of its fulfillment orders */
export async function confirmedOrder(
  stage: Stage,
  lines: readonly Line[],
): Promise<{ orderId: string; fulfillmentOrderIds: readonly string[] }> {
  const basket = await stage.step({ title: 'Basket', call: 'POST /baskets', body: { channel: 'web', customerId: 'cus_ada', lines } });
  await stage.step({ title: 'Check out', call: `POST /baskets/${basket.body.id}/checkout`, body: { shippingAddress: ADDRESS } });
  const order = await stage.step({ title: 'Create the order', call: 'POST /orders', body: { basketId: basket.body.id } });
  const orderId = order.body.id;
  await stage.step({ title: 'Authorise', call: 'POST /payments/authorizations', body: { orderId, tender: CARD } });
  await stage.step({ title: 'Confirm: the order is routed', call: `POST /orders/${orderId}/confirm` });
  const read = await stage.step({ title: 'Read the order', call: `GET /orders/${orderId}` });
  return { orderId, fulfillmentOrderIds: (read.body.fulfillmentOrders ?? []).map(({ id }) => id) };
}

/** Picks, packs and hands over the goods. @returns the parcel's id */
export async function dispatched(
  stage: Stage,
  fulfillmentOrderId: string,
  body: object = {},
  events: readonly string[] = ['shipment-label-generated'],
  title: string = 'Dispatch: the payment is captured, the stock leaves, the label is created',
): Promise<string> {
  const picking = await stage.step({ title: 'Create the picking order', call: 'POST /picking-orders', body: { fulfillmentOrderId } });
  for (const status of ['started', 'picked', 'packed']) {
    await stage.step({ title: `Picking: ${status}`, call: `PUT /picking-orders/${picking.body.id}/status`, body: { status } });
  }
  const sent = await stage.step({
    title,
    call: `POST /fulfillment/orders/${fulfillmentOrderId}/dispatch`,
    body,
    events,
  });
  return sent.body.shipments[0]?.id ?? '';
}

export const deliveredOrder: Scenario = {
  name: 'delivered-order',
  title: 'A digital order, from basket to delivered parcel and loyalty points',
  flows: [2, 6, 8],
  async run(stage) {
    const points = await stage.step({ title: 'Ada’s points before', call: 'GET /members/loy_ada/balance' });
    const { orderId, fulfillmentOrderIds } = await confirmedOrder(stage, [{ sku: 'mug-blue', qty: 2 }]);
    const parcel = await dispatched(stage, fulfillmentOrderIds[0] ?? '');
    const label = await stage.step({
      title: 'The label was created at dispatch',
      call: `POST /shipments/${parcel}/label`,
      status: 200,
      options: { as: 'api-key' },
    });
    await stage.step({
      title: 'The label is a PDF; its address needs no credential',
      call: `GET ${label.body.label?.url as `/${string}`}`,
      options: { as: 'none' },
    });
    await stage.advance('P2D');
    const tracking = await stage.step({ title: 'Track the parcel', call: `GET /shipments/${parcel}/tracking`, options: { as: 'api-key' } });
    stage.expect('parcel', tracking.body.state, 'delivered');
    const order = await stage.step({ title: 'Read the order', call: `GET /orders/${orderId}` });
    stage.expect('order', order.body.state, 'completed');
    stage.expect('payment status', order.body.paymentStatus, 'paid');
    const after = await stage.step({ title: 'Ada’s points after', call: 'GET /members/loy_ada/balance' });
    stage.expect('points earned: one per full 1.00 of goods', after.body.pointsBalance - points.body.pointsBalance, 25);
  },
};

export const clickAndCollect: Scenario = {
  name: 'click-and-collect',
  title: 'A customer collects in a store what she bought on the web, another one pays there, and a third one never comes',
  flows: [],
  async run(stage) {
    const points = await stage.step({
      title: 'Stores that have two mugs',
      call: 'GET /collection-points?sku=mug-blue&qty=2&near=53.27,-9.06',
    });
    const [nearest] = points.body.items;
    stage.expect('the nearest store', nearest?.locationId, 'store-01');
    const first = await collectionAtCounter(stage, 'store-01');
    await stage.step({
      title: 'A wrong code is refused',
      call: `POST /fulfillment/orders/${first.fulfillmentOrderId}/hand-over`,
      body: { code: first.code === '000000' ? '000001' : '000000' },
      status: 403,
    });
    const collected = await stage.step({
      title: 'The customer shows the code: the goods are handed over',
      call: `POST /fulfillment/orders/${first.fulfillmentOrderId}/hand-over`,
      body: { code: first.code },
    });
    stage.expect('fulfillment order', collected.body.state, 'delivered');
    await paidAtCounter(stage);
    const second = await collectionAtCounter(stage, 'store-01');
    await stage.advance('P20D');
    const order = await stage.step({ title: 'The first order', call: `GET /orders/${first.orderId}` });
    stage.expect('collected order', [order.body.state, order.body.paymentStatus], ['completed', 'paid']);
    const gone = await stage.step({ title: 'Nobody collected the second order', call: `GET /orders/${second.orderId}` });
    stage.expect('order that nobody collected', [gone.body.state, gone.body.paymentStatus], ['cancelled', 'refunded']);
  },
};

export const collectByTransfer: Scenario = {
  name: 'collect-by-transfer',
  title: 'A store lacks the goods that a customer collects there: a warehouse sends them',
  flows: [],
  async run(stage) {
    const stock = async (title: string) => {
      const { body } = await stage.step({ title, call: 'GET /inventory/items/desk-two-nodes' });
      return body.locations
        .filter(({ locationId }) => locationId === 'dc-01' || locationId === 'store-01')
        .map(({ onHand, reserved }) => [onHand, reserved]);
    };
    const points = await stage.step({
      title: 'Stores that can hand out two desks',
      call: 'GET /collection-points?sku=desk-two-nodes&qty=2&near=53.27,-9.06',
    });
    const [nearest] = points.body.items;
    stage.expect('the nearest store', [nearest?.locationId, nearest?.from], ['store-01', 'transfer']);
    const { orderId, fulfillmentOrderId } = await toBeCollected(stage, 'store-01', [{ sku: 'desk-two-nodes', qty: 2 }]);
    await dispatched(stage, fulfillmentOrderId, {});
    stage.expect('desks while they are on their way', await stock('The desks left the warehouse'), [
      [1, 0],
      [0, 0],
    ]);
    await stage.advance('P2D');
    const ready = await stage.step({
      title: 'The carrier brought them to the store',
      call: `GET /fulfillment/orders/${fulfillmentOrderId}`,
    });
    stage.expect('parcel', ready.body.shipments[0]?.state, 'held-at-depot');
    stage.expect('desks at the counter', await stock('The store has them, promised to the customer'), [
      [1, 0],
      [2, 2],
    ]);
    await stage.step({
      title: 'The customer shows the code: the goods are handed over',
      call: `POST /fulfillment/orders/${fulfillmentOrderId}/hand-over`,
      body: { code: ready.body.collection?.code ?? '' },
    });
    await stage.advance('PT5M');
    const order = await stage.step({ title: 'Read the order', call: `GET /orders/${orderId}` });
    stage.expect('order', [order.body.state, order.body.paymentStatus], ['completed', 'paid']);
    stage.expect('desks afterwards', await stock('The desks are gone'), [
      [1, 0],
      [0, 0],
    ]);
  },
};
/** An order that its customer pays at the counter: goods are never handed over unpaid. */
async function paidAtCounter(stage: Stage): Promise<void> {
  const { orderId, fulfillmentOrderId, code } = await collectionAtCounter(stage, 'store-01', 'collection');
  await stage.step({
    title: 'Unpaid goods stay at the counter',
    call: `POST /fulfillment/orders/${fulfillmentOrderId}/hand-over`,
    body: { code },
    status: 409,
  });
  const till = { storeId: 'store-01', laneId: 'lane-1' };
  const opened = await stage.step({ title: 'A till opens the order', call: 'POST /transactions', body: { ...till, orderId } });
  stage.expect('outstanding at the till', opened.body.outstanding, { amount: 2598, currency: 'EUR' });
  const paid = await stage.step({
    title: 'The customer pays in cash',
    call: `POST /transactions/${orderId}/payment`,
    body: { tender: { type: 'cash' }, amount: { amount: 3000, currency: 'EUR' } },
  });
  stage.expect('change', paid.body.change, { amount: 402, currency: 'EUR' });
  stage.expect('receipt', paid.body.receipt?.totals.total, { amount: 2598, currency: 'EUR' });
  await stage.step({
    title: 'The goods are handed over',
    call: `POST /fulfillment/orders/${fulfillmentOrderId}/hand-over`,
    body: { code },
  });
}

/** Places an order to be collected, and has the store put it on its counter. */
async function collectionAtCounter(
  stage: Stage,
  locationId: string,
  payAt?: 'collection',
): Promise<{ readonly orderId: string; readonly fulfillmentOrderId: string; readonly code: string }> {
  const { orderId, fulfillmentOrderId } = await toBeCollected(stage, locationId, [{ sku: 'mug-blue', qty: 2 }], payAt);
  await dispatched(stage, fulfillmentOrderId, {}, undefined, 'Dispatch: the goods go to the counter, and the customer gets a code');
  const ready = await stage.step({ title: 'The goods wait at the counter', call: `GET /fulfillment/orders/${fulfillmentOrderId}` });
  return { orderId, fulfillmentOrderId, code: ready.body.collection?.code ?? '' };
}

/** Places an order to be collected. */
async function toBeCollected(
  stage: Stage,
  locationId: string,
  lines: { sku: string; qty: number }[],
  payAt?: 'collection',
): Promise<{ readonly orderId: string; readonly fulfillmentOrderId: string }> {
  const basket = await stage.step({ title: 'Basket', call: 'POST /baskets', body: { channel: 'web', customerId: 'cus_ada', lines } });
  const checkout = await stage.step({
    title: 'Check out, to collect in the store',
    call: `POST /baskets/${basket.body.id}/checkout`,
    body: { collection: { locationId }, payAt, placeOrder: true },
  });
  const orderId = checkout.body.orderId ?? '';
  if (payAt === undefined) await stage.step({ title: 'Authorise', call: 'POST /payments/authorizations', body: { orderId, tender: CARD } });
  await stage.step({ title: 'Confirm: the order is routed', call: `POST /orders/${orderId}/confirm` });
  const read = await stage.step({ title: 'Read the order', call: `GET /orders/${orderId}` });
  const fulfillmentOrderId = read.body.fulfillmentOrders?.[0]?.id ?? '';
  return { orderId, fulfillmentOrderId };
}

export const lostParcel: Scenario = {
  name: 'lost-parcel',
  title: 'A parcel is lost, refunded, and found after all',
  flows: [8],
  pains: ['lost-parcel'],
  async run(stage) {
    const { orderId, fulfillmentOrderIds } = await confirmedOrder(stage, [{ sku: 'mug-blue', qty: 1 }]);
    const parcel = await dispatched(stage, fulfillmentOrderIds[0] ?? '', { service: 'LOST' });
    await stage.advance('P20D');
    const tracking = await stage.step({
      title: 'The parcel is lost after two weeks without a scan',
      call: `GET /shipments/${parcel}/tracking`,
      options: { as: 'api-key' },
    });
    stage.expect('parcel', tracking.body.state, 'lost');
    const refunded = await stage.step({ title: 'The order is cancelled and refunded', call: `GET /orders/${orderId}` });
    stage.expect('order', refunded.body.state, 'cancelled');
    stage.expect('payment status', refunded.body.paymentStatus, 'refunded');
    await stage.scan(parcel, 'find');
    const found = await stage.step({
      title: 'The parcel is found: the order stays cancelled and is marked for reconciliation',
      call: `GET /orders/${orderId}`,
    });
    stage.expect('order', found.body.state, 'cancelled');
    stage.expect('reconciliation', found.body.reconciliation?.length, 1);
  },
};

export const damagedReplaced: Scenario = {
  name: 'damaged-replaced',
  title: 'A mug arrives damaged: another one is sent at no charge, and the damaged one comes back',
  flows: [],
  async run(stage) {
    const points = await stage.step({ title: 'Ada’s points before', call: 'GET /members/loy_ada/balance' });
    const { orderId, fulfillmentOrderIds } = await confirmedOrder(stage, [{ sku: 'mug-blue', qty: 2 }]);
    await dispatched(stage, fulfillmentOrderIds[0] ?? '');
    await stage.advance('P2D');
    const delivered = await stage.step({ title: 'The order is delivered', call: `GET /orders/${orderId}` });
    const orderLineId = delivered.body.lines[0]?.lineId ?? '';
    const replaced = await stage.step({
      title: 'One mug is damaged: send another one',
      call: `POST /orders/${orderId}/replacements`,
      body: { lines: [{ orderLineId, qty: 1 }], reason: 'damaged' },
    });
    const again = await stage.step({
      title: 'Replacing both mugs is refused: one is replaced already',
      call: `POST /orders/${orderId}/replacements`,
      body: { lines: [{ orderLineId, qty: 2 }], reason: 'damaged' },
      status: 409,
    });
    stage.expect('refusal', again.body.code, 'replacement_quantity_exceeded');
    await stage.settle();
    const routed = await stage.step({ title: 'A warehouse has a second fulfillment order', call: `GET /orders/${orderId}` });
    await dispatched(stage, routed.body.fulfillmentOrders?.[1]?.id ?? '', {}, undefined, 'Dispatch: the stock leaves, and nothing is paid');
    await stage.step({
      title: 'The damaged mug comes back to a store',
      call: 'POST /returns',
      body: {
        orderId,
        replacementId: replaced.body.id,
        lines: [{ orderLineId, qty: 1, reason: 'damaged' }],
        dropOff: 'store',
        locationId: 'store-01',
      },
      events: ['return-requested', 'return-created'],
    });
    await stage.advance('P2D');
    const { body: order } = await stage.step({ title: 'Read the order', call: `GET /orders/${orderId}` });
    const [replacement] = order.replacements ?? [];
    stage.expect('units of the replacement that arrived', replacement?.lines[0]?.deliveredQty, 1);
    stage.expect('order', [order.state, order.paymentStatus], ['completed', 'paid']);
    stage.expect('return', [order.returns?.[0]?.state, order.returns?.[0]?.refundAmount.amount], ['refunded', 0]);
    stage.expect('refunded', order.refunds, []);
    const after = await stage.step({ title: 'Ada’s points after', call: 'GET /members/loy_ada/balance' });
    stage.expect('points earned: for the goods, once', after.body.pointsBalance - points.body.pointsBalance, 25);
  },
};

export const partialDelivery: Scenario = {
  name: 'partial-delivery',
  title: 'One order ships from two nodes: one parcel arrives, the other is returned',
  flows: [8],
  pains: ['partial-fulfilment', 'lost-parcel'],
  async run(stage) {
    await stage.step({
      title: 'Another customer reserves most desks of dc-01',
      call: 'POST /inventory/reservations',
      body: { items: [{ sku: 'desk-two-nodes', qty: 2 }], locationId: 'dc-01' },
    });
    const { orderId, fulfillmentOrderIds } = await confirmedOrder(stage, [
      { sku: 'mug-blue', qty: 1 },
      { sku: 'desk-two-nodes', qty: 2 },
    ]);
    stage.expect('fulfillment orders', fulfillmentOrderIds.length, 2);
    await dispatched(stage, fulfillmentOrderIds[0] ?? '');
    await dispatched(stage, fulfillmentOrderIds[1] ?? '', { service: 'RTS' });
    await stage.advance('P2D');
    const half = await stage.step({ title: 'The first parcel has arrived', call: `GET /orders/${orderId}` });
    stage.expect('order', half.body.state, 'partially-fulfilled');
    await stage.advance('P5D');
    const end = await stage.step({ title: 'The second parcel is returned and its line is refunded', call: `GET /orders/${orderId}` });
    stage.expect('order', end.body.state, 'completed');
    stage.expect('payment status', end.body.paymentStatus, 'partially-refunded');
  },
};

/** By hand: three desks are at each of two warehouses. Of five, two are worth the floor of 2/5 of their line. */
export const splitLine: Scenario = {
  name: 'split-line',
  title: 'No warehouse has five desks: two of them serve the line together, and the units of a lost parcel are refunded',
  flows: [6, 8],
  pains: ['partial-fulfilment', 'lost-parcel'],
  data: { retailer: { splitLines: true } },
  async run(stage) {
    const seen = await stage.step({
      title: 'Five desks are available, though no location has them',
      call: 'GET /inventory/desk-two-nodes/availability?qty=5',
    });
    stage.expect('available', [seen.body.available, seen.body.maxPerLine], [true, 6]);
    const { orderId, fulfillmentOrderIds } = await confirmedOrder(stage, [{ sku: 'desk-two-nodes', qty: 5 }]);
    const order = await stage.step({ title: 'Read where the line is served', call: `GET /orders/${orderId}` });
    const [line] = order.body.lines;
    const nodes = line?.nodes?.map(({ locationId, qty }) => [locationId, qty]);
    stage.expect('locations of the line', nodes, [
      ['dc-01', 3],
      ['dc-02', 2],
    ]);
    await dispatched(stage, fulfillmentOrderIds[0] ?? '');
    const lost = await dispatched(stage, fulfillmentOrderIds[1] ?? '', { service: 'LOST' });
    stage.expect('parcels', lost !== '', true);
    await stage.advance('P2D');
    const half = await stage.step({ title: 'The first parcel has arrived', call: `GET /orders/${orderId}` });
    stage.expect('order', half.body.state, 'partially-fulfilled');
    await stage.advance('P14D');
    const end = await stage.step({ title: 'The second parcel is lost, and its two desks are refunded', call: `GET /orders/${orderId}` });
    stage.expect('order', end.body.state, 'completed');
    stage.expect('units', [end.body.lines[0]?.fulfilledQty, end.body.lines[0]?.cancelledQty], [3, 2]);
    const worth = Math.floor(((line?.lineTotal.amount ?? 0) * 2) / 5);
    stage.expect('refunded', end.body.payments[0]?.refundedAmount.amount, worth);
  },
};

export const webhookStorm: Scenario = {
  name: 'webhook-storm',
  title: 'Webhooks arrive late, twice and out of order',
  flows: [8],
  pains: ['duplicate-webhooks'],
  async run(stage) {
    const { orderId, fulfillmentOrderIds } = await confirmedOrder(stage, [{ sku: 'mug-blue', qty: 1 }]);
    const parcel = await dispatched(stage, fulfillmentOrderIds[0] ?? '');
    const at = (minutes: number): string => new Date(stage.now() + minutes * 60_000).toISOString();
    const scan = (status: string, minutes: number) => ({
      type: 'shipment.tracking.updated',
      timestamp: at(minutes),
      data: { shipmentId: parcel, status, occurredAt: at(minutes) },
    });
    await stage.webhook('Delivered arrives first', { id: 'storm-3', body: scan('delivered', 3), status: 204 });
    await stage.webhook('In transit arrives after it', { id: 'storm-2', body: scan('in-transit', 2), status: 204 });
    await stage.webhook('Delivered arrives again', { id: 'storm-3', body: scan('delivered', 3), status: 204 });
    await stage.webhook('Out for delivery arrives, older than the known state', {
      id: 'storm-1',
      body: scan('out-for-delivery', 1),
      status: 204,
    });
    await stage.webhook('A forged webhook arrives', {
      id: 'storm-4',
      body: scan('lost', 4),
      status: 401,
      secret: 'whsec_Zm9yZ2VkLWZvcmdlZC1mb3JnZWQ=',
    });
    const fulfillmentOrder = await stage.step({
      title: 'The fulfillment order is still delivered',
      call: `GET /fulfillment/orders/${fulfillmentOrderIds[0] ?? ''}`,
    });
    stage.expect('fulfillment order', fulfillmentOrder.body.state, 'delivered');
    await stage.settle();
    const order = await stage.step({ title: 'The order is completed once', call: `GET /orders/${orderId}` });
    stage.expect('order', order.body.state, 'completed');
  },
};
