import { Payment } from '../../../shared/catalog/payment/objects.ts';
import { type EventHandler, unchanged } from '../../../shared/work/handler.ts';
import { returns } from '../returns/collections.ts';
import { settleReturnDue } from '../returns/due-work.ts';
import { isOwed, noteRefunds, refundsFor } from '../returns/refunds.ts';

const RefundedPayment = Payment.pick({ id: true, state: true, refunds: true });

/**
 * A return records all its refunds, and ends when it is paid back in full. When nothing is left of the refunded payment, the OMS
 * returns whether another payment of the order has a rest. A return that no refund names may still be exchanged.
 */
export const onPaymentChanged: EventHandler = async ({ data }, { work }) => {
  const payment = RefundedPayment.parse(data.object);
  const returnIds = new Set(payment.refunds.flatMap((refund) => refund.returnId ?? []));
  if (returnIds.size === 0) return unchanged('The payment has no refund for a return.');
  for (const returnId of returnIds) {
    const found = await work.get(returns, returnId);
    if (!found) continue;
    noteRefunds(work, found, refundsFor(returnId, payment));
    const noted = await work.get(returns, returnId);
    if (noted && isOwed(noted) && payment.state === 'fully-refunded') work.schedule(settleReturnDue, returnId, work.now, {});
  }
  return undefined;
};
