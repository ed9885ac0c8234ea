import { Payment } from '../../../shared/catalog/payment/objects.ts';
import type { EventHandler } from '../../../shared/work/handler.ts';
import { returns } from '../returns/collections.ts';
import { settleReturnDue } from '../returns/due-work.ts';
import { isOwed, noteRefunds, refundsFor } from '../returns/refunds.ts';

const RefundedPayment = Payment.pick({ id: true, orderId: true, state: true, refunds: true });

/**
 * A return notes its refunds, wherever they were made, and ends when all of it is paid back, or when nothing is left to refund. The OMS
 * knows the latter, since an order may have several payments.
 */
export const onPaymentChanged: EventHandler = async ({ data }, { work }) => {
  const payment = RefundedPayment.parse(data.object);
  for (const returnId of new Set(payment.refunds.flatMap((refund) => refund.returnId ?? []))) {
    const found = await work.get(returns, returnId);
    if (found) noteRefunds(work, found, refundsFor(returnId, payment));
  }
  if (payment.state !== 'fully-refunded' || payment.orderId === undefined) return;
  const { items } = await work.find(returns, 'order', payment.orderId);
  for (const owed of items.filter(isOwed)) work.schedule(settleReturnDue, owed.id, work.now, {});
};
