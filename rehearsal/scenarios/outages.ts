import type { Scenario } from '../scenario.ts';
import { ADDRESS, basketInCheckout } from './steps.ts';

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
    await stage.step({
      title: 'Authorise',
      call: 'POST /payments/authorizations',
      body: { orderId, tender: { type: 'card', token: 'tok_visa' } },
    });
    await stage.step({ title: 'Confirm', call: `POST /orders/${orderId}/confirm` });
    await stage.fault('down', { match: { application: 'payment-hub' }, fault: { kind: 'outage' } });
    const cancelled = await stage.step({ title: 'Cancel', call: `POST /orders/${orderId}/cancel`, body: { reason: 'changed my mind' } });
    stage.expect('order', cancelled.body.state, 'cancelled');
    stage.expect('compensation', cancelled.body.compensation, 'pending');
    await stage.noFaults();
    await stage.advance('PT5M');
    const done = await stage.step({ title: 'Compensation has completed', call: `GET /orders/${orderId}` });
    stage.expect('compensation', done.body.compensation, undefined);
    stage.expect(
      'payments',
      done.body.payments.map(({ state }) => state),
      ['voided'],
    );
  },
};
