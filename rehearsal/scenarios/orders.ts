import type { Scenario } from '../scenario.ts';
import { ADDRESS, basketInCheckout, CARD, stateOf } from './steps.ts';

/** Flows 2, 4, 5 and 7: from the product page to a confirmed order whose stock, money and events agree. */
export const digitalOrder: Scenario = {
  name: 'digital-order',
  title: 'A digital order, from product page to confirmation',
  flows: [2, 4, 5, 7],
  async run(stage) {
    const before = await stage.step({ title: 'Look at the product', call: 'GET /products/mug-blue' });
    const basket = await stage.step({
      title: 'Open a basket for Ada',
      call: 'POST /baskets',
      body: { channel: 'web', customerId: 'cus_ada' },
      events: ['basket-created'],
    });
    const BSK = basket.body.id;
    await stage.step({ title: 'Put two mugs in', call: `POST /baskets/${BSK}/lines`, body: { sku: 'mug-blue', qty: 2 }, events: [] });
    const checkout = await stage.step({
      title: 'Check out: the price is fixed and the stock is reserved',
      call: `POST /baskets/${BSK}/checkout`,
      body: { shippingAddress: ADDRESS },
      events: ['inventory-reserved', 'reservation-created', 'checkout-started'],
    });
    stage.expect('total', checkout.body.totals.total, { amount: 3_088, currency: 'EUR' });
    const order = await stage.step({ title: 'Create the order', call: 'POST /orders', body: { basketId: BSK }, events: ['order-created'] });
    const ORD = order.body.id;
    stage.expect('order', order.body.state, 'draft');
    const payment = await stage.step({
      title: 'Authorise the payment',
      call: 'POST /payments/authorizations',
      body: { orderId: ORD, tender: CARD },
      events: ['payment-authorized'],
    });
    stage.expect('authorised', payment.body.authorizedAmount, { amount: 3_088, currency: 'EUR' });
    await stage.step({
      title: 'Confirm the order',
      call: `POST /orders/${ORD}/confirm`,
      events: ['order-confirmed', 'fulfillment-order-created'],
    });
    const confirmed = await stage.step({ title: 'Read the order', call: `GET /orders/${ORD}` });
    stage.expect('order', confirmed.body.state, 'confirmed');
    stage.expect('payment status', confirmed.body.paymentStatus, 'authorised');
    await stage.step({
      title: 'Create the order again: it is the same order',
      call: 'POST /orders',
      body: { basketId: BSK },
      status: 200,
      events: [],
    });
    const after = await stage.step({ title: 'Look at the product again', call: 'GET /products/mug-blue' });
    stage.expect('units less to promise', (before.body.availability.atp ?? 0) - (after.body.availability.atp ?? 0), 2);
  },
};

/** An order that begins in a web shop, whose number it keeps. */
export const shopOrder: Scenario = {
  name: 'shop-order',
  title: 'An order keeps its number of the web shop: repeated a month later, it is the same order, and the number finds it',
  flows: [2],
  async run(stage) {
    const reference = { source: 'web-shop', id: '#1001' };
    const open = {
      call: 'POST /baskets',
      body: { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 2 }], reference },
    } as const;
    const basket = await stage.step({ title: 'Open a basket with the number of the shop', ...open, events: ['basket-created'] });
    await stage.step({ title: 'Check out', call: `POST /baskets/${basket.body.id}/checkout`, body: { shippingAddress: ADDRESS } });
    const create = { call: 'POST /orders', body: { basketId: basket.body.id, reference, metadata: { campaign: 'spring' } } } as const;
    const order = await stage.step({ title: 'Create the order with the same number', ...create, events: ['order-created'] });
    const ORD = order.body.id;
    stage.expect('number', order.body.reference?.id, '#1001');
    await stage.step({
      title: 'Pay',
      call: 'POST /payments/authorizations',
      body: { orderId: ORD, tender: CARD },
      events: ['payment-authorized'],
    });
    await stage.step({ title: 'Confirm', call: `POST /orders/${ORD}/confirm`, events: ['order-confirmed', 'fulfillment-order-created'] });
    await stage.advance('P30D');
    const repeated = await stage.step({ title: 'A month later, the shop creates the order again', ...create, status: 200, events: [] });
    stage.expect('order', [repeated.body.id, repeated.body.state], [ORD, 'completed']);
    const other = await stage.step({
      title: 'Another order with the number is refused',
      call: 'POST /orders',
      body: { ...create.body, metadata: { campaign: 'summer' } },
      status: 409,
      events: [],
    });
    stage.expect('refused as', other.body.code, 'conflicting_repeat');
    const found = await stage.step({
      title: 'The number finds the order',
      call: 'GET /orders?referenceSource=web-shop&referenceId=%231001',
    });
    stage.expect(
      'found',
      found.body.items.map(({ id }) => id),
      [ORD],
    );
  },
};

/** A customer changes her mind before the warehouse begins. */
export const changedOrder: Scenario = {
  name: 'changed-order',
  title: 'Before picking, an order loses a unit and gets another address; the difference is given back, and later changes are refused',
  flows: [],
  async run(stage) {
    const { orderId } = await basketInCheckout(stage, { sku: 'mug-blue', qty: 3 });
    await stage.step({
      title: 'Pay',
      call: 'POST /payments/authorizations',
      body: { orderId, tender: CARD },
      events: ['payment-authorized'],
    });
    const confirmed = await stage.step({
      title: 'Confirm',
      call: `POST /orders/${orderId}/confirm`,
      events: ['order-confirmed', 'fulfillment-order-created'],
    });
    const [line] = confirmed.body.lines;
    const changes = `POST /orders/${orderId}/changes` as const;
    const fewer = await stage.step({
      title: 'One mug less',
      call: changes,
      body: { lines: [{ lineId: line?.lineId ?? '', qty: 2 }] },
      events: [],
    });
    stage.expect('given back', fewer.body.changes?.at(-1)?.refund, { amount: 1_299, currency: 'EUR' });
    stage.expect('authorised', fewer.body.payments[0]?.authorizedAmount, { amount: 3_088, currency: 'EUR' });
    const moved = await stage.step({
      title: 'Another address',
      call: changes,
      body: { shippingAddress: { ...ADDRESS, line1: '7 Shop Street' } },
      events: [],
    });
    stage.expect('goes to', moved.body.shippingAddress?.line1, '7 Shop Street');
    const more = await stage.step({
      title: 'More units are a new order',
      call: changes,
      body: { lines: [{ lineId: line?.lineId ?? '', qty: 3 }] },
      status: 422,
      events: [],
    });
    stage.expect('refused as', more.body.code, 'validation_failed');
    await stage.advance('P7D');
    const late = await stage.step({
      title: 'After its delivery, nothing can be changed',
      call: changes,
      body: { lines: [{ lineId: line?.lineId ?? '', qty: 1 }] },
      status: 409,
      events: [],
    });
    stage.expect('order', late.body.currentState, 'completed');
    const order = await stage.step({ title: 'Read the order', call: `GET /orders/${orderId}` });
    stage.expect('paid', order.body.payments[0]?.capturedAmount, { amount: 3_088, currency: 'EUR' });
  },
};

/** Pain: the card is declined; the next tender pays. */
export const declinedThenPaid: Scenario = {
  name: 'declined-then-paid',
  title: 'The first card is declined and the second pays; the capture is repeated after a lost answer',
  flows: [2],
  async run(stage) {
    const { orderId } = await basketInCheckout(stage, { sku: 'mug-blue', qty: 2 });
    await stage.step({
      title: 'The card is declined',
      call: 'POST /payments/authorizations',
      body: { orderId, tender: { type: 'card', token: 'tok_decline_insufficient_funds' } },
      status: 402,
      events: [],
    });
    await stage.step({ title: 'The unpaid order cannot be confirmed', call: `POST /orders/${orderId}/confirm`, status: 409, events: [] });
    const payment = await stage.step({
      title: 'Another card pays',
      call: 'POST /payments/authorizations',
      body: { orderId, tender: CARD },
      events: ['payment-authorized'],
    });
    await stage.step({
      title: 'Confirm',
      call: `POST /orders/${orderId}/confirm`,
      events: ['order-confirmed', 'fulfillment-order-created'],
    });
    await stage.fault('lost', { match: { api: 'capture-payment-api' }, fault: { kind: 'lost-response' }, times: 1 });
    const capture = {
      call: `POST /payments/authorizations/${payment.body.id}/capture`,
      options: { headers: { 'idempotency-key': 'capture-1' } },
    } as const;
    await stage.step({ title: 'The capture succeeds, but its answer is lost', ...capture, status: 504, events: ['payment-captured'] });
    const repeated = await stage.step({ title: 'Repeat the capture with the same key', ...capture, events: [] });
    stage.expect('captured', repeated.body.capturedAmount.amount, 3_088);
    stage.expect('replayed', repeated.headers['idempotent-replayed'], 'true');
  },
};

/** Pain: the reservation expires between payment and confirmation. */
export const reservationExpired: Scenario = {
  name: 'hold-expired',
  title: 'The reservation expires between payment and confirmation',
  flows: [4],
  pains: ['hold-expires'],
  async run(stage) {
    const { orderId, reservationId } = await basketInCheckout(stage, { sku: 'lamp-last-one', qty: 1 });
    await stage.step({ title: 'Authorise', call: 'POST /payments/authorizations', body: { orderId, tender: CARD } });
    await stage.advance('PT15M');
    const gone = await stage.step({
      title: 'The reservation has expired',
      call: `POST /inventory/reservations/${reservationId}/confirm`,
      status: 409,
      events: [],
    });
    stage.expect('refused as', gone.body.code, 'reservation_expired');
    const confirmed = await stage.step({ title: 'Confirmation reserves the lamp again', call: `POST /orders/${orderId}/confirm` });
    stage.expect('order', confirmed.body.state, 'confirmed');
  },
};

/** Pain: the reservation expires, and another customer is faster. */
export const reservationLost: Scenario = {
  name: 'hold-lost',
  title: 'The reservation expires and another customer takes the last unit',
  flows: [4],
  async run(stage) {
    const { orderId } = await basketInCheckout(stage, { sku: 'lamp-last-one', qty: 1 });
    await stage.step({ title: 'Authorise', call: 'POST /payments/authorizations', body: { orderId, tender: CARD } });
    await stage.advance('PT15M');
    await stage.step({
      title: 'Another customer reserves the last unit',
      call: 'POST /inventory/reservations',
      body: { items: [{ sku: 'lamp-last-one', qty: 1 }] },
    });
    const refused = await stage.step({
      title: 'Confirmation is refused: the stock is gone',
      call: `POST /orders/${orderId}/confirm`,
      status: 409,
    });
    stage.expect('refused as', refused.body.code, 'reservation_expired');
    const order = await stage.step({ title: 'The order stays a draft and its payment is voided', call: `GET /orders/${orderId}` });
    stage.expect('order', order.body.state, 'draft');
    stage.expect('payments', stateOf(order.body.payments), ['voided']);
  },
};

/** Pain: many buyers request the last unit at the same moment. */
export const lastUnit: Scenario = {
  name: 'last-unit',
  title: 'Twenty buyers request the last unit at the same moment',
  flows: [5],
  pains: ['last-unit'],
  async run(stage) {
    await stage.fault('together', { match: { api: 'reserve-inventory-api' }, fault: { kind: 'barrier', parties: 20 } });
    const calls = Array.from(
      { length: 20 },
      () => ({ call: 'POST /inventory/reservations', body: { items: [{ sku: 'lamp-last-one', qty: 1 }] } }) as const,
    );
    const replies = await stage.together('Reserve the lamp', calls);
    stage.expect('sold', replies.filter(({ status }) => status === 201).length, 1);
    stage.expect('refused', replies.filter((reply) => !reply.ok && reply.body.code === 'insufficient_stock').length, 19);
    await stage.noFaults();
  },
};
