import { rowFor } from '../../../shared/catalog/life-cycle.ts';
import { capturePayment as capturePaymentApi } from '../../../shared/catalog/payment/apis.ts';
import { paymentLifeCycle } from '../../../shared/catalog/payment/objects.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { handle } from '../../../shared/work/handler.ts';
import { capture, splitCapture } from '../capture/capture.ts';
import { payments, published } from '../collections.ts';

export const capturePayment = handle(capturePaymentApi)(async ({ params, body }, { work }) => {
  const payment = await work.get(payments, params.id);
  if (!payment) throw notFound('payment', params.id);
  rowFor(paymentLifeCycle, payment, 'capture');
  return published(capture(work, payment, splitCapture(payment, body.amount)));
});
