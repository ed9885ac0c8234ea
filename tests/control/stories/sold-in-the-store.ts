import type { Scenario } from '../../../rehearsal/public.ts';

const euros = (amount: number) => ({ amount, currency: 'EUR' });
const statesOf = (objects: readonly { state: string }[] = []) => objects.map(({ state }) => state);

export const recorded: Scenario = {
  name: 'recorded-example',
  title: 'What happened in the rehearsal example',
  async run(stage) {
    await stage.control('set-progression', { body: { carrier: 'manual' } });
    await stage.control('count-stock-by-hand', { params: { sku: 'mug-blue', locationId: 'store-01' }, body: { onHand: 7 } });
    const transaction = await stage.step({
      title: 'Create the transaction',
      call: 'POST /transactions',
      body: { storeId: 'store-01', laneId: 'lane-1', lines: [{ sku: 'mug-blue', qty: 2 }] },
      events: ['inventory-reserved', 'reservation-created', 'checkout-started'],
    });
    stage.expect('transaction', transaction.body.state, 'draft');
    stage.expect('total', transaction.body.totals.total, euros(2_598));
    const payment = await stage.step({
      title: 'Add the payment',
      call: `POST /transactions/${transaction.body.id}/payment`,
      body: { tender: { type: 'cash' }, amount: euros(1_000) },
      events: ['payment-authorized'],
    });
    stage.expect('payment', payment.body.state, 'authorised');
    stage.expect('transaction state', payment.body.transactionState, 'open');
    stage.expect('outstanding', payment.body.outstanding, euros(1_598));
    stage.expect('authorised amount', payment.body.authorizedAmount, euros(1_000));
    const secondPayment = await stage.step({
      title: 'Add the payment',
      call: `POST /transactions/${transaction.body.id}/payment`,
      body: { tender: { type: 'card', token: 'tok_visa' }, amount: payment.body.outstanding },
      events: ['payment-authorized', 'order-created', 'order-confirmed', 'payment-captured', 'payment-captured'],
    });
    stage.expect('payment', secondPayment.body.state, 'authorised');
    stage.expect('transaction state', secondPayment.body.transactionState, 'completed');
    stage.expect('order submission', secondPayment.body.orderSubmission, 'accepted');
    await stage.dispute(secondPayment.body.id, { reason: 'fraudulent' });

    await stage.advance('P8D');
    const order = await stage.step({ title: 'Read the order', call: `GET /orders/${transaction.body.id}` });
    stage.expect('order', order.body.state, 'completed');
    stage.expect('payment status', order.body.paymentStatus, 'paid');
    stage.expect('payments', statesOf(order.body.payments), ['captured', 'captured']);
  },
};
