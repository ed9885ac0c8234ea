import type { Scenario } from '../scenario.ts';
import { euros } from './returns.ts';
import { ADDRESS } from './steps.ts';

/**
 * An order that a marketplace took, at its prices and with its money. By hand: 3 × 10.00 − 1.00 and 2 × 7.77 are 44.54; less 1.01 on the whole
 * order, plus 3.33 for shipping, 46.86. The 1.01 is split 0.66 and 0.35, so the mugs cost 28.34, and the first of them 9.44.
 */
export const marketplaceOrder: Scenario = {
  name: 'marketplace-order',
  title: 'A marketplace takes an order and its money: the estate keeps the prices to the last cent, and notes what the provider does',
  flows: [],
  async run(stage) {
    const reference = { source: 'marketplace', id: 'MP-7' };
    const order = {
      priceSource: 'given',
      reference,
      customerId: 'cus_ada',
      lines: [
        { sku: 'mug-blue', qty: 3, unitPrice: euros(1_000), discount: euros(100) },
        { sku: 'espresso-cup', qty: 2, unitPrice: euros(777) },
      ],
      discount: euros(101),
      shipping: euros(333),
      tax: euros(876),
      total: euros(4_686),
      shippingAddress: ADDRESS,
    };
    const wrong = await stage.step({
      title: 'A total that lacks one cent is refused',
      call: 'POST /orders',
      body: { ...order, total: euros(4_685) },
      status: 422,
      events: [],
    });
    stage.expect('refused as', wrong.body.code, 'validation_failed');
    const created = await stage.step({
      title: 'Create the order at the prices of the marketplace',
      call: 'POST /orders',
      body: order,
      events: ['order-created', 'inventory-reserved', 'reservation-created'],
    });
    const ORD = created.body.id;
    stage.expect(
      'lines',
      created.body.lines.map(({ lineTotal }) => lineTotal.amount),
      [2_834, 1_519],
    );
    const payment = await stage.step({
      title: 'Note the payment that the marketplace has authorised',
      call: 'POST /payments/authorizations',
      body: { orderId: ORD, tender: { type: 'external', provider: 'marketplace-pay', reference: 'ch_7' } },
      events: ['payment-authorized'],
    });
    await stage.step({
      title: 'Note its capture',
      call: `POST /payments/authorizations/${payment.body.id}/capture`,
      events: ['payment-captured'],
    });
    await stage.step({ title: 'Confirm', call: `POST /orders/${ORD}/confirm`, events: ['order-confirmed', 'fulfillment-order-created'] });
    await stage.advance('P10D');
    const done = await stage.step({ title: 'Read the order', call: `GET /orders/${ORD}` });
    stage.expect('order', [done.body.state, done.body.paymentStatus], ['completed', 'paid']);
    const back = await stage.step({
      title: 'The customer returns one mug',
      call: 'POST /returns',
      body: { orderId: ORD, lines: [{ orderLineId: done.body.lines[0]?.lineId, qty: 1, reason: 'changed my mind' }], dropOff: 'carrier' },
      events: ['return-requested', 'return-created'],
    });
    stage.expect('worth', back.body.refundAmount.amount, 944);
    await stage.advance('P14D');
    const after = await stage.step({ title: 'The provider has paid the refund out', call: `GET /orders/${ORD}` });
    stage.expect(
      'refunds',
      after.body.refunds?.map(({ state, amount }) => [state, amount.amount]),
      [['succeeded', 944]],
    );
    const again = await stage.step({
      title: 'The marketplace repeats its call',
      call: 'POST /orders',
      body: order,
      status: 200,
      events: [],
    });
    stage.expect('order', again.body.id, ORD);
  },
};
