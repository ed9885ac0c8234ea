import { refundPayment as refundPaymentApi } from '../../../shared/catalog/payment/apis.ts';
import { paymentLifeCycle } from '../../../shared/catalog/payment/objects.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { again, handle } from '../../../shared/contract/handler.ts';
import { rowFor } from '../../../shared/domain/life-cycle.ts';
import { payments, published } from '../collections.ts';
import { refund } from '../refund.ts';
import { refuseExcessiveRefund } from '../refund-rules.ts';

export const refundPayment = handle(refundPaymentApi)(async ({ params, body }, { work }) => {
  const payment = await work.get(payments, params.id);
  if (!payment) throw notFound('payment', params.id);
  const { reference } = body;
  if (reference !== undefined && payment.refunds.some((refunded) => refunded.reference === reference)) return again(published(payment));
  rowFor(paymentLifeCycle, payment, 'refund');
  refuseExcessiveRefund(payment, body.amount);
  return published(refund(work, payment, body));
});
