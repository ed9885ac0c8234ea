import type { Scenario } from '../scenario.ts';
import { announced, euros, soldAtTheTill } from './returns.ts';

const cardThat = (token: string) => ({ type: 'card', token });

export const refundPending: Scenario = {
  name: 'refund-pending',
  title: 'A return is refunded to a card whose provider takes a day: the return ends when the refund has succeeded',
  flows: [],
  async run(stage) {
    const sold = await soldAtTheTill(stage, [cardThat('tok_refund_later'), 2_598]);
    await announced(stage, sold, { qty: 1 });
    await stage.advance('P2D');
    const { body: waiting } = await stage.step({ title: 'The goods are inspected', call: `GET /orders/${sold.orderId}` });
    stage.expect('return', waiting.returns?.[0]?.state, 'inspected');
    stage.expect('refunded amount, which counts the pending refund', waiting.payments[0]?.refundedAmount, euros(1_299));
    stage.expect('order', waiting.state, 'return-in-progress');
    await stage.advance('P2D');
    const { body: order } = await stage.step({ title: 'The provider has paid the refund out', call: `GET /orders/${sold.orderId}` });
    stage.expect('return', order.returns?.[0]?.state, 'refunded');
    stage.expect('order', order.state, 'completed');
  },
};

export const refundFails: Scenario = {
  name: 'refund-fails',
  title: 'The account of a card is closed: the refund of a return fails after a day, and a gift card receives the money',
  flows: [],
  async run(stage) {
    const sold = await soldAtTheTill(stage, [cardThat('tok_refund_fails'), 2_598]);
    const returnId = await announced(stage, sold, { qty: 1 });
    await stage.advance('P3D');
    const { body: owing } = await stage.step({ title: 'The provider has returned the money', call: `GET /orders/${sold.orderId}` });
    stage.expect('return', owing.returns?.[0]?.state, 'inspected');
    stage.expect('money that the customer should have', owing.owedRefund, euros(1_299));
    const paid = await stage.step({
      title: 'Refund the return to a gift card instead',
      call: `POST /payments/${sold.paymentIds[0]}/refunds`,
      body: { amount: euros(1_299), returnId, payOutTo: { type: 'gift-card', token: 'gift_5' } },
    });
    const states = paid.body.refunds.map(({ state }) => state);
    stage.expect('refunds', states, ['failed', 'succeeded']);
    await stage.settle();
    const { body: order } = await stage.step({ title: 'Read the order', call: `GET /orders/${sold.orderId}` });
    stage.expect('return', order.returns?.[0]?.state, 'refunded');
    stage.expect('money still owed', order.owedRefund, undefined);
  },
};

export const disputeWon: Scenario = {
  name: 'dispute-won',
  title: 'A cardholder disputes a sale: its money is withdrawn, no refund is possible, and the retailer wins',
  flows: [],
  async run(stage) {
    const sold = await soldAtTheTill(stage, [cardThat('tok_visa'), 2_598]);
    const paymentId = sold.paymentIds[0] ?? '';
    await stage.dispute(paymentId, { reason: 'product_not_received' });
    const { body: disputed } = await stage.step({ title: 'The order shows the dispute', call: `GET /orders/${sold.orderId}` });
    const [dispute] = disputed.payments[0]?.disputes ?? [];
    stage.expect('dispute', [dispute?.state, dispute?.amount, dispute?.fee], ['open', euros(2_598), euros(2_000)]);
    const refused = await stage.step({
      title: 'A refund could pay the money twice, so it is refused',
      call: `POST /payments/${paymentId}/refunds`,
      body: { amount: euros(1_000) },
      status: 409,
    });
    stage.expect('refusal', refused.body.code, 'invalid_state_transition');
    await stage.decideDispute(paymentId, 'won');
    const { body: order } = await stage.step({ title: 'The money is back', call: `GET /orders/${sold.orderId}` });
    stage.expect('dispute', order.payments[0]?.disputes?.[0]?.state, 'won');
    await stage.step({ title: 'A refund is possible again', call: `POST /payments/${paymentId}/refunds`, body: { amount: euros(1_000) } });
  },
};

export const disputeLost: Scenario = {
  name: 'dispute-lost',
  title: 'A dispute that nobody answers is lost after a week: returned goods are not refunded again',
  flows: [],
  async run(stage) {
    const sold = await soldAtTheTill(stage, [cardThat('tok_visa'), 2_598]);
    await stage.dispute(sold.paymentIds[0] ?? '', { reason: 'fraudulent' });
    await announced(stage, sold, { qty: 2 });
    await stage.advance('P3D');
    const { body: waiting } = await stage.step({
      title: 'The goods are back, and the bank has not decided',
      call: `GET /orders/${sold.orderId}`,
    });
    stage.expect('return', waiting.returns?.[0]?.state, 'inspected');
    await stage.advance('P5D');
    const { body: order } = await stage.step({ title: 'The cardholder keeps the money', call: `GET /orders/${sold.orderId}` });
    stage.expect('dispute', order.payments[0]?.disputes?.[0]?.state, 'lost');
    stage.expect('return', order.returns?.[0]?.state, 'refunded');
    stage.expect('refunded in addition to the dispute', order.payments[0]?.refundedAmount, euros(0));
  },
};
