import type { Scenario } from '../scenario.ts';
import { ADDRESS, basketInCheckout } from './steps.ts';

/** Flow 7's failure column: checkout does without points. */
export const loyaltyDown: Scenario = {
  name: 'loyalty-down',
  title: 'The Loyalty Platform is down at checkout',
  async run(stage) {
    await stage.fault('down', { match: { application: 'loyalty-platform' }, fault: { kind: 'outage' } });
    const basket = await stage.step({
      title: 'Basket',
      call: 'POST /baskets',
      body: { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 1 }] },
    });
    const checkout = await stage.step({
      title: 'Checkout goes on without points',
      call: `POST /baskets/${basket.body.id}/checkout`,
      body: { shippingAddress: ADDRESS },
    });
    stage.expect('loyalty', checkout.body.loyalty.status, 'unavailable');
    await stage.step({
      title: 'Redeeming is refused',
      call: 'POST /members/loy_ada/redeem',
      body: { points: 100, basketId: basket.body.id },
      status: 503,
    });
    await stage.noFaults();
    await stage.step({
      title: 'Back again, points can be redeemed',
      call: 'POST /members/loy_ada/redeem',
      body: { points: 100, basketId: basket.body.id },
    });
  },
};

/** Flow 6's neighbour: the Payment Hub is down while an order is cancelled; compensation waits and is done once. */
export const compensationWaits: Scenario = {
  name: 'compensation-waits',
  title: 'An order is cancelled while the Payment Hub is down',
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
    const done = await stage.step({ title: 'A little later everything is undone', call: `GET /orders/${orderId}` });
    stage.expect('compensation', done.body.compensation, undefined);
    stage.expect(
      'payments',
      done.body.payments.map(({ state }: { state: string }) => state),
      ['voided'],
    );
  },
};
