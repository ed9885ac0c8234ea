import type { InputOf } from '../../../shared/catalog/define.ts';
import { rowFor } from '../../../shared/catalog/life-cycle.ts';
import { getPayable } from '../../../shared/catalog/order/internal.ts';
import { refundPayment as refundPaymentApi } from '../../../shared/catalog/payment/apis.ts';
import { paymentLifeCycle } from '../../../shared/catalog/payment/objects.ts';
import { invalid, notFound } from '../../../shared/catalog/problems.ts';
import { again, handle, type Scope } from '../../../shared/work/handler.ts';
import { payments, published, type StoredPayment } from '../collections.ts';
import { leftOfOrder } from '../funds/order-cover.ts';
import { type LeftOfReturn, syncReturnCover } from '../funds/return-cover.ts';
import { refund, refuseExcessiveRefund, refuseExchangedAmount, refuseFurtherRefund } from '../refund/refund.ts';

export const refundPayment = handle(refundPaymentApi)(async ({ params, body }, scope) => {
  const { work } = scope;
  const payment = await work.get(payments, params.id);
  if (!payment) throw notFound('payment', params.id);
  const { reference } = body;
  if (reference !== undefined && payment.refunds.some((refunded) => refunded.reference === reference)) return again(published(payment));
  rowFor(paymentLifeCycle, payment, 'refund');
  const ofReturn = await limitOf(scope, payment, body);
  refuseExcessiveRefund(payment, body.amount, ofReturn);
  refuseFurtherRefund(payment, body, ofReturn);
  refuseExchangedAmount(payment, body.amount, await leftOfOrder(work, payment.orderId));
  return published(refund(work, payment, body));
});

type Body = InputOf<typeof refundPaymentApi>['body'];

/** A refund for a return is limited to the rest of the return's value, which the OMS determines. */
async function limitOf({ work, call }: Scope, { orderId }: StoredPayment, body: Body): Promise<LeftOfReturn | undefined> {
  if (body.returnId === undefined) return undefined;
  const order = body.payable ?? (await call(getPayable, { params: { id: orderId } }));
  if (order.orderId !== orderId) {
    throw invalid('/payable/orderId', 'other_order', `payable is about "${order.orderId}", the payment about "${orderId}".`);
  }
  return syncReturnCover(work, order, body.returnId);
}
