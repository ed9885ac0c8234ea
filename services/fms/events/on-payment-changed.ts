import { Payment } from '../../../shared/catalog/payment/objects.ts';
import type { EventHandler } from '../../../shared/work/handler.ts';
import { returns } from '../returns/collections.ts';
import { noteRefunds, refundsFor } from '../returns/refunds.ts';

const RefundedPayment = Payment.pick({ id: true, refunds: true });

/** A return notes its refunds, wherever they were made, and ends when all of it is paid back. */
export const onPaymentChanged: EventHandler = async ({ data }, { work }) => {
  const payment = RefundedPayment.parse(data.object);
  for (const returnId of new Set(payment.refunds.flatMap((refund) => refund.returnId ?? []))) {
    const found = await work.get(returns, returnId);
    if (found) noteRefunds(work, found, refundsFor(returnId, payment));
  }
};
