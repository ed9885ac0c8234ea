import type { Scenario, Stage } from '../scenario.ts';
import { confirmedOrder, dispatched } from './fulfillment.ts';
import { ADDRESS, CARD } from './steps.ts';

interface Sold {
  readonly orderId: string;
  readonly lineId: string;
  readonly paymentIds: readonly string[];
}

export const euros = (amount: number) => ({ amount, currency: 'EUR' });

/** Sells two mugs in a store, paid with these tenders. */
export async function soldAtTheTill(stage: Stage, ...tenders: readonly (readonly [tender: object, amount: number])[]): Promise<Sold> {
  const sale = await stage.step({
    title: 'Scan two mugs at the till',
    call: 'POST /transactions',
    body: { storeId: 'store-01', laneId: 'lane-1', lines: [{ sku: 'mug-blue', qty: 2 }] },
  });
  for (const [tender, amount] of tenders) {
    await stage.step({ title: 'Pay', call: `POST /transactions/${sale.body.id}/payment`, body: { tender, amount: euros(amount) } });
  }
  await stage.settle();
  return readSold(stage, sale.body.id);
}

async function readSold(stage: Stage, id: string): Promise<Sold> {
  const { body } = await stage.step({ title: 'Read the completed order', call: `GET /orders/${id}` });
  stage.expect('order', body.state, 'completed');
  return { orderId: id, lineId: body.lines[0]?.lineId ?? '', paymentIds: body.payments.map((payment) => payment.id) };
}

export async function announced(
  stage: Stage,
  { orderId, lineId }: Sold,
  more: { qty: number; dropOff?: string; resolution?: string },
): Promise<string> {
  const { qty, ...rest } = more;
  const { body } = await stage.step({
    title: 'Announce the return',
    call: 'POST /returns',
    body: { orderId, lines: [{ orderLineId: lineId, qty, reason: 'changed my mind' }], ...rest },
    events: ['return-requested', 'return-created'],
  });
  return body.id;
}

const refundedOf = (payments: readonly { refundedAmount: { amount: number } }[]): number[] =>
  payments.map(({ refundedAmount }) => refundedAmount.amount);

export const returnRefunded: Scenario = {
  name: 'return-refunded',
  title: 'One of two mugs is returned to the store: it is approved, inspected and restocked, and the card is refunded first',
  flows: [],
  async run(stage) {
    const sold = await soldAtTheTill(stage, [{ type: 'cash' }, 1_000], [CARD, 1_598]);
    const stockOf = async (title: string): Promise<number> => {
      const { body } = await stage.step({ title, call: 'GET /inventory/items/mug-blue' });
      return body.locations.find(({ locationId }) => locationId === 'store-01')?.onHand ?? 0;
    };
    const before = await stockOf('Mugs in the store before');
    await announced(stage, sold, { qty: 1 });
    const again = await stage.step({
      title: 'A return of more than the remaining quantity is refused',
      call: 'POST /returns',
      body: { orderId: sold.orderId, lines: [{ orderLineId: sold.lineId, qty: 2, reason: 'changed my mind' }] },
      status: 409,
    });
    stage.expect('refusal', again.body.code, 'return_quantity_exceeded');
    await stage.advance('P2D');
    const { body: order } = await stage.step({ title: 'Read the order', call: `GET /orders/${sold.orderId}` });
    stage.expect('order', order.state, 'completed');
    stage.expect('return', order.returns?.[0]?.state, 'refunded');
    stage.expect('units returned', order.lines[0]?.returnedQty, 1);
    stage.expect('payment status', order.paymentStatus, 'partially-refunded');
    stage.expect('paid back, cash and card', refundedOf(order.payments), [0, 1_299]);
    stage.expect('mugs back in the store', (await stockOf('Mugs in the store after')) - before, 1);
  },
};

export const returnByParcel: Scenario = {
  name: 'return-by-parcel',
  title: 'A return by parcel is labelled on approval, received by the carrier’s scan, and refunded after inspection',
  flows: [],
  async run(stage) {
    const { orderId, fulfillmentOrderIds } = await confirmedOrder(stage, [{ sku: 'mug-blue', qty: 2 }]);
    await dispatched(stage, fulfillmentOrderIds[0] ?? '');
    await stage.advance('P2D');
    await announced(stage, await readSold(stage, orderId), { qty: 2, dropOff: 'carrier' });
    await stage.advance('PT1H');
    const { body: approved } = await stage.step({ title: 'Read the order', call: `GET /orders/${orderId}` });
    stage.expect('return', approved.returns?.[0]?.state, 'approved');
    await stage.advance('PT3H');
    const { body: onItsWay } = await stage.step({ title: 'The carrier has collected the parcel', call: `GET /orders/${orderId}` });
    stage.expect('return', onItsWay.returns?.[0]?.state, 'in-transit');
    await stage.advance('P2D');
    const { body: order } = await stage.step({ title: 'The return is delivered and inspected', call: `GET /orders/${orderId}` });
    stage.expect('return', order.returns?.[0]?.state, 'refunded');
    stage.expect('order', order.state, 'completed');
    stage.expect('paid back: the goods, not their shipping', refundedOf(order.payments), [2_598]);
  },
};

export const exchangeWithSurplus: Scenario = {
  name: 'exchange-with-surplus',
  title: 'Two mugs are exchanged for one: the credit pays for the new order, the rest is refunded to the card',
  flows: [],
  async run(stage) {
    const sold = await soldAtTheTill(stage, [CARD, 2_598]);
    const returnId = await announced(stage, sold, { qty: 2, resolution: 'exchange' });
    await stage.advance('P2D');
    const { body: waiting } = await stage.step({
      title: 'The inspected return waits for its exchange',
      call: `GET /orders/${sold.orderId}`,
    });
    stage.expect('return', waiting.returns?.[0]?.state, 'inspected');
    const basket = await stage.step({
      title: 'Open a basket with another mug',
      call: 'POST /baskets',
      body: { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-green', qty: 1 }] },
    });
    await stage.step({ title: 'Check out', call: `POST /baskets/${basket.body.id}/checkout`, body: { shippingAddress: ADDRESS } });
    const draft = await stage.step({
      title: 'Create the exchange order',
      call: 'POST /orders',
      body: { basketId: basket.body.id, exchangeForReturnId: returnId },
      events: ['order-created', 'payment-authorized'],
    });
    stage.expect('tender', draft.body.payments[0]?.tender.type, 'exchange-credit');
    stage.expect('payment status', draft.body.paymentStatus, 'authorised');
    await stage.step({ title: 'Confirm', call: `POST /orders/${draft.body.id}/confirm` });
    await stage.settle();
    const { body: order } = await stage.step({ title: 'Read the first order', call: `GET /orders/${sold.orderId}` });
    stage.expect('return', order.returns?.[0]?.state, 'exchanged');
    stage.expect('surplus, paid back to the card', refundedOf(order.payments), [2_598 - draft.body.totals.total.amount]);
    await stage.step({ title: 'Cancel the exchange', call: `POST /orders/${draft.body.id}/cancel` });
    await stage.settle();
    const { body: after } = await stage.step({ title: 'The credit is refunded to the card, too', call: `GET /orders/${sold.orderId}` });
    stage.expect('paid back in total', refundedOf(after.payments), [2_598]);
  },
};

export const overRefund: Scenario = {
  name: 'over-refund',
  title: 'Two concurrent refunds exceed the payment: one is refused, in either order',
  flows: [],
  pains: ['over-refund'],
  async run(stage) {
    const sold = await soldAtTheTill(stage, [CARD, 2_598]);
    const refund = (amount: number) => ({ call: `POST /payments/${sold.paymentIds[0]}/refunds` as const, body: { amount: euros(amount) } });
    await stage.fault('together', { match: { api: 'refund-payment-api' }, fault: { kind: 'barrier', parties: 2 }, times: 2 });
    const replies = await stage.together('Two concurrent refunds of sixty per cent', [refund(1_559), refund(1_559)]);
    await stage.noFaults();
    stage.expect('answers', replies.map(({ status }) => status).sort(), [201, 409]);
    const refused = replies.find((reply) => !reply.ok);
    stage.expect('refusal', refused?.body.code, 'refund_exceeds_captured');
    stage.expect('refundable amount', refused?.body['refundableAmount'], euros(1_039));
    await announced(stage, sold, { qty: 2 });
    await stage.advance('P2D');
    const { body: order } = await stage.step({ title: 'The rest is returned and refunded', call: `GET /orders/${sold.orderId}` });
    stage.expect('return', order.returns?.[0]?.state, 'refunded');
    stage.expect('paid back in total', refundedOf(order.payments), [2_598]);
    stage.expect('payment status', order.paymentStatus, 'refunded');
  },
};
