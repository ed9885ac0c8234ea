import { reversePayment as reversePaymentCall } from '../../../shared/catalog/payment/internal.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { again, handle } from '../../../shared/work/handler.ts';
import { voidAuthorization } from '../authorization/authorization.ts';
import { payments, published } from '../collections.ts';
import { refund, refundableOf } from '../refund/refund.ts';

/** Undoes a payment in any state. A pending payment cannot be recalled, so it is voided as soon as it is approved. */
export const reversePayment = handle(reversePaymentCall)(async ({ params, body }, { work }) => {
  const payment = await work.get(payments, params.id);
  if (!payment) throw notFound('payment', params.id);
  switch (payment.state) {
    case 'pending':
      if (payment.voidOnApproval) return again(published(payment));
      return published(work.transition(payments, payment, 'note', { voidOnApproval: true }));
    case 'authorised':
      return published(voidAuthorization(work, payment, 'void'));
    case 'captured':
    case 'partially-refunded':
      return published(refund(work, payment, { amount: refundableOf(payment), reason: body.reason }));
    case 'voided':
    case 'failed':
    case 'fully-refunded':
      return again(published(payment));
  }
});
