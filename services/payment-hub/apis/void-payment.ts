import { isAgain } from '../../../shared/catalog/life-cycle.ts';
import { voidPayment as voidPaymentApi } from '../../../shared/catalog/payment/apis.ts';
import { paymentLifeCycle } from '../../../shared/catalog/payment/objects.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { again, handle } from '../../../shared/work/handler.ts';
import { voidAuthorization } from '../authorization/authorization.ts';
import { payments, published } from '../collections.ts';

export const voidPayment = handle(voidPaymentApi)(async ({ params }, { work }) => {
  const payment = await work.get(payments, params.id);
  if (!payment) throw notFound('payment', params.id);
  if (isAgain(paymentLifeCycle, payment, 'void')) return again(published(payment));
  return published(voidAuthorization(work, payment, 'void'));
});
