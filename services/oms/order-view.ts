import type { z } from 'zod';
import type { Order, OrderView as OrderViewSchema } from '../../shared/catalog/order/objects.ts';
import type { Payment as PaymentSchema } from '../../shared/catalog/payment/objects.ts';
import { isDependencyProblem } from '../../shared/contract/client.ts';
import type { Scope } from '../../shared/contract/handler.ts';
import type { StoredOrder } from './collections.ts';
import { type Payment, paymentsOf } from './order-payments.ts';
import { paymentStatusOf } from './payment-status.ts';
import { VIEW_TIMEOUT_MS } from './timing.ts';

export type OrderView = z.output<typeof OrderViewSchema>;

/** The order without what only the OMS knows. */
function published({ voucherCodes: _vouchers, holdAttempts: _attempts, undo: _undo, ...order }: StoredOrder): z.output<typeof Order> {
  return order;
}

const shown = ({ id, state, tender, amount, capturedAmount, refundedAmount }: z.output<typeof PaymentSchema>) => ({
  ...{ id, state, tender, amount, capturedAmount, refundedAmount },
});

/** The order as it is answered. @param payments undefined while the Payment Hub does not answer */
export function viewOf(order: StoredOrder, payments: readonly Payment[] | undefined): OrderView {
  if (payments === undefined) return { ...published(order), payments: [], paymentStatus: 'unknown' };
  return { ...published(order), payments: payments.map(shown), paymentStatus: paymentStatusOf(order.totals.total.amount, payments) };
}

/** The order with its payments as the Payment Hub has them now. A Hub that is down or slow does not keep anybody from reading an order. */
export async function viewNow(order: StoredOrder, scope: Scope): Promise<OrderView> {
  try {
    return viewOf(order, await paymentsOf(order.id, scope, VIEW_TIMEOUT_MS));
  } catch (error) {
    if (!isDependencyProblem(error)) throw error;
    scope.log.warn({ orderId: order.id, code: error.code }, 'the order is shown without its payments');
    return viewOf(order, undefined);
  }
}
