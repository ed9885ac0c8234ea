import type { Scenario } from '../scenario.ts';
import { ADDRESS, basketInCheckout } from './steps.ts';

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
      body: { orderId: ORD, tender: { type: 'card', token: 'tok_visa' } },
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
      body: { orderId, tender: { type: 'card', token: 'tok_visa' } },
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
