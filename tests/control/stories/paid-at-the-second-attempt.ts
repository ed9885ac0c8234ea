import type { Scenario } from '../../../rehearsal/public.ts';

const ADDRESS = { name: 'Ada Quay', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };
const CARD = { type: 'card', token: 'tok_visa' };
const euros = (amount: number) => ({ amount, currency: 'EUR' });

export const recorded: Scenario = {
  name: 'recorded-example',
  title: 'What happened in the rehearsal example',
  async run(stage) {
    const basket = await stage.step({
      title: 'Create the basket',
      call: 'POST /baskets',
      body: { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 1 }] },
      events: ['basket-created'],
    });
    const mugLineId = basket.body.lines[0]?.lineId ?? '';
    stage.expect('basket', basket.body.state, 'open');
    stage.expect('total', basket.body.totals.total, euros(1_299));
    const openBasket = await stage.step({
      title: 'Change the basket line',
      call: `PATCH /baskets/${basket.body.id}/lines/${mugLineId}`,
      body: { qty: 2 },
      options: { headers: { 'if-match': `"${basket.body.version}"` } },
    });
    stage.expect('total', openBasket.body.totals.total, euros(2_598));
    const refusal = await stage.step({
      title: 'Change the basket line: refused',
      call: `PATCH /baskets/${basket.body.id}/lines/${mugLineId}`,
      body: { qty: 3 },
      options: { headers: { 'if-match': `"${basket.body.version}"` } },
      status: 412,
      events: [],
    });
    stage.expect('refusal', refusal.body.code, 'version_mismatch');
    const laterOpenBasket = await stage.step({ title: 'Read the basket', call: `GET /baskets/${basket.body.id}` });
    stage.expect('basket', laterOpenBasket.body.state, 'open');
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

    await stage.fault('down', { match: { application: 'payment-hub' }, fault: { kind: 'outage' } });
    await stage.fault('slow', { match: { api: 'confirm-order-api' }, fault: { kind: 'latency', ms: 20 } });
    const secondRefusal = await stage.step({
      title: 'Authorise the payment: refused',
      call: 'POST /payments/authorizations',
      body: { orderId: order.body.id, tender: CARD },
      status: 503,
      events: [],
    });
    stage.expect('refusal', secondRefusal.body.code, 'dependency_unavailable');
    await stage.noFaults('down');
    await stage.settle();
    const payment = await stage.step({
      title: 'Authorise the payment again',
      call: 'POST /payments/authorizations',
      body: { orderId: order.body.id, tender: CARD },
      options: { headers: { 'idempotency-key': 'pay-1' } },
      events: ['payment-authorized'],
    });
    stage.expect('payment', payment.body.state, 'authorised');
    await stage.step({
      title: 'Authorise the payment again',
      call: 'POST /payments/authorizations',
      body: { orderId: order.body.id, tender: CARD },
      options: { headers: { 'idempotency-key': 'pay-1' } },
      events: [],
    });
  },
};
