import type { Scenario } from '../scenario.ts';
import { basketInCheckout, CARD, stateOf } from './steps.ts';

const eur = (amount: number) => ({ amount, currency: 'EUR' });

/** The provider approves a card and declines its capture. Nothing is dispatched before another tender has paid. */
export const captureDeclined: Scenario = {
  name: 'capture-declined',
  title: 'The capture of a card is declined while the order is picked, and another card pays',
  flows: [6],
  async run(stage) {
    const { orderId, total } = await basketInCheckout(stage, { sku: 'mug-blue', qty: 2 });
    const tender = { type: 'card', token: 'tok_decline_at_capture' };
    await stage.step({
      title: 'Authorise the card: it is approved',
      call: 'POST /payments/authorizations',
      body: { orderId, tender },
      events: ['payment-authorized'],
    });
    const confirmed = await stage.step({ title: 'Confirm', call: `POST /orders/${orderId}/confirm` });
    const fulfillmentOrderId = confirmed.body.fulfillmentOrders?.[0]?.id ?? '';
    await stage.step({ title: 'Picking begins, and the capture is declined', call: 'POST /picking-orders', body: { fulfillmentOrderId } });
    const owing = await stage.step({ title: 'The order waits for another payment', call: `GET /orders/${orderId}` });
    stage.expect('payments', stateOf(owing.body.payments), ['failed']);
    stage.expect('capture', owing.body.captureStatus, 'retrying');
    const second = await stage.step({
      title: 'Another card pays the whole amount',
      call: 'POST /payments/authorizations',
      body: { orderId, tender: CARD },
      events: ['payment-authorized'],
    });
    stage.expect('authorised', second.body.authorizedAmount, eur(total));
    await stage.advance('PT2M');
    const paid = await stage.step({ title: 'The next attempt has captured it', call: `GET /orders/${orderId}` });
    stage.expect('payments', stateOf(paid.body.payments), ['failed', 'captured']);
    stage.expect('payment status', paid.body.paymentStatus, 'paid');
  },
};

/** A card pays a part because the shop accepts one; another card pays the rest. */
export const partialApproval: Scenario = {
  name: 'partial-approval',
  title: 'A card pays 60 % of the total, and another card pays the rest',
  flows: [2],
  async run(stage) {
    const { orderId, total } = await basketInCheckout(stage, { sku: 'mug-blue', qty: 2 });
    const tender = { type: 'card', token: 'tok_partial_60' };
    const part = Math.floor(total * 0.6);
    const declined = await stage.step({
      title: 'Without acceptPartial, the card is declined',
      call: 'POST /payments/authorizations',
      body: { orderId, tender },
      status: 402,
      events: [],
    });
    stage.expect('refused as', declined.body.code, 'payment_declined');
    const first = await stage.step({
      title: 'The card pays a part',
      call: 'POST /payments/authorizations',
      body: { orderId, tender, acceptPartial: true },
      events: ['payment-authorized'],
    });
    stage.expect('authorised', first.body.authorizedAmount, eur(part));
    await stage.step({ title: 'The rest is missing', call: `POST /orders/${orderId}/confirm`, status: 409, events: [] });
    const rest = await stage.step({
      title: 'Another card pays the rest',
      call: 'POST /payments/authorizations',
      body: { orderId, tender: CARD },
      events: ['payment-authorized'],
    });
    stage.expect('authorised', rest.body.authorizedAmount, eur(total - part));
    const confirmed = await stage.step({ title: 'Confirm', call: `POST /orders/${orderId}/confirm` });
    stage.expect('order', confirmed.body.state, 'confirmed');
  },
};

/** The customer authenticates a card, as 3-D Secure demands. */
export const threeDSecure: Scenario = {
  name: '3-d-secure',
  title: 'A card needs 3-D Secure: the order is confirmed after the customer approved',
  flows: [2],
  async run(stage) {
    const { orderId } = await basketInCheckout(stage, { sku: 'mug-blue', qty: 2 });
    const payment = await stage.step({
      title: 'The card needs its customer',
      call: 'POST /payments/authorizations',
      body: { orderId, tender: { type: 'card', token: 'tok_3ds' } },
      events: [],
    });
    stage.expect('payment', payment.body.state, 'requires-action');
    await stage.step({ title: 'It is too early to confirm', call: `POST /orders/${orderId}/confirm`, status: 409, events: [] });
    await stage.authenticate(payment.body.id, 'succeeded');
    const confirmed = await stage.step({ title: 'Confirm', call: `POST /orders/${orderId}/confirm` });
    stage.expect('order', confirmed.body.state, 'confirmed');
  },
};
