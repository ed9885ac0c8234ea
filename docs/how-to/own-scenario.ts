import type { Scenario } from '../../rehearsal/public.ts';

const address = { name: 'Ada Byrne', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };

export const payLater: Scenario = {
  name: 'pay-later',
  title: 'The Payment Hub is down for one call: the buyer pays at the second attempt',
  async run(stage) {
    const lines = [{ sku: 'mug-blue', qty: 1 }];
    const basket = await stage.step({ title: 'Basket', call: 'POST /baskets', body: { channel: 'web', customerId: 'cus_ada', lines } });
    const basketId = basket.body.id;
    await stage.step({ title: 'Check out', call: `POST /baskets/${basketId}/checkout`, body: { shippingAddress: address } });
    const order = await stage.step({ title: 'Order', call: 'POST /orders', body: { basketId }, events: ['order-created'] });

    await stage.fault('down', { match: { application: 'payment-hub' }, fault: { kind: 'outage' }, times: 1 });
    const body = { orderId: order.body.id, tender: { type: 'card', token: 'tok_visa' } };
    const refused = await stage.step({ title: 'Pay', call: 'POST /payments/authorizations', body, status: 503 });
    stage.expect('refused as', refused.body.code, 'dependency_unavailable');
    const paid = await stage.step({ title: 'Pay again', call: 'POST /payments/authorizations', body });
    stage.expect('payment', paid.body.state, 'authorised');

    await stage.advance('PT5M');
    const read = await stage.step({ title: 'Read the order', call: `GET /orders/${order.body.id}` });
    stage.expect('payment status', read.body.paymentStatus, 'authorised');
  },
};
