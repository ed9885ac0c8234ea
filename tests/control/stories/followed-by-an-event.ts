import type { Scenario } from '../../../rehearsal/public.ts';

const ADDRESS = { name: 'Ada Quay', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };
const euros = (amount: number) => ({ amount, currency: 'EUR' });
const statesOf = (objects: readonly { state: string }[] = []) => objects.map(({ state }) => state);

export const recorded: Scenario = {
  name: 'recorded-example',
  title: 'What happened in the rehearsal example',
  async run(stage) {
    const basket = await stage.step({
      title: 'Create the basket',
      call: 'POST /baskets',
      body: { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 2 }] },
      events: ['basket-created'],
    });
    stage.expect('basket', basket.body.state, 'open');
    stage.expect('total', basket.body.totals.total, euros(2_598));
    const lockedBasket = await stage.step({
      title: 'Check out the basket',
      call: `POST /baskets/${basket.body.id}/checkout`,
      body: { shippingAddress: ADDRESS },
      events: ['inventory-reserved', 'reservation-created', 'checkout-started'],
    });
    stage.expect('basket', lockedBasket.body.state, 'locked');
    stage.expect('total', lockedBasket.body.totals.total, euros(3_088));
    const order = await stage.step({
      title: 'Create the order',
      call: 'POST /orders',
      body: { basketId: basket.body.id },
      events: ['order-created'],
    });
    stage.expect('order', order.body.state, 'draft');
    const payment = await stage.step({
      title: 'Authorise the payment',
      call: 'POST /payments/authorizations',
      body: { orderId: order.body.id, tender: { type: 'card', token: 'tok_visa' } },
      events: ['payment-authorized'],
    });
    stage.expect('payment', payment.body.state, 'authorised');
    const confirmedOrder = await stage.step({
      title: 'Confirm the order',
      call: `POST /orders/${order.body.id}/confirm`,
      events: ['fulfillment-order-created', 'order-confirmed'],
    });
    stage.expect('order', confirmedOrder.body.state, 'confirmed');
    stage.expect('payment status', confirmedOrder.body.paymentStatus, 'authorised');
    stage.expect('fulfillment orders', statesOf(confirmedOrder.body.fulfillmentOrders), ['allocated']);

    await stage.advance('P1D');
    await stage.expectSequence('what happens within 1 day', [
      { what: 'event', name: 'payment-captured', subject: `payment/${payment.body.id}` },
    ]);
    const shipment = await stage.event('shipment-label-generated');
    const parcel = await stage.step({
      title: 'Track the shipment',
      call: `GET /shipments/${shipment.id}/tracking`,
      options: { as: 'api-key' },
    });
    stage.expect('parcel', parcel.body.state, 'in-transit');
  },
};
