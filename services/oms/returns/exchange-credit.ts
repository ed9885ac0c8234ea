import { authorizePayment } from '../../../shared/catalog/payment/apis.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { money } from '../../../shared/domain/money.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import { orders, type StoredOrder } from '../collections.ts';
import { type Payment, paymentsOf, paymentsToDecideOn } from '../payment/payments.ts';
import { coverageOf, outstandingOf } from '../payment/status.ts';
import { DECIDE_TIMEOUT_MS } from '../timing.ts';
import { bookingsOf, type ReturnBooking, returnBookings, returnValueOf } from './bookings.ts';
import { payableOf } from './payable.ts';

type Amounts = Pick<Payment, 'tender' | 'state' | 'authorizedAmount' | 'capturedAmount' | 'refundedAmount'>;

export const isCredit = ({ tender }: Pick<Payment, 'tender'>): boolean => tender.type === 'exchange-credit';

/** Whether it is a credit that still holds value of its return. */
export const isLiveCredit = (payment: Payment): boolean => isCredit(payment) && creditHeld([payment]) > 0;

/** Minor units that the credits among these payments hold of their return: authorised, or captured − refunded. */
export const creditHeld = (payments: readonly Amounts[]): number =>
  payments.filter(isCredit).reduce((sum, { state, authorizedAmount, capturedAmount, refundedAmount }) => {
    const held = state === 'authorised' ? authorizedAmount.amount : capturedAmount.amount - refundedAmount.amount;
    return sum + held;
  }, 0);

/** Minor units that the credits of the other returns of the same order hold. */
export async function creditHeldByOthers({ id, orderId }: ReturnBooking, scope: Scope): Promise<number> {
  let held = 0;
  for (const other of await bookingsOf(scope.work, orderId)) {
    const exchange = other.id === id ? undefined : await scope.work.findUnique(orders, 'exchangeFor', other.id);
    if (exchange) held += creditHeld(await paymentsOf(exchange.id, scope, DECIDE_TIMEOUT_MS));
  }
  return held;
}

/**
 * Pays an exchange order with the value of its return, up to the outstanding amount and to what is left of the first order's payments. A credit that was voided for lack of stock is
 * authorised again.
 * @returns the payments of the order afterwards
 * @throws Problem `dependency_*`
 */
export async function takeExchangeCredit(order: StoredOrder, scope: Scope): Promise<readonly Payment[]> {
  const { work, call } = scope;
  const payments = await paymentsOf(order.id, scope, DECIDE_TIMEOUT_MS);
  const { exchangeForReturnId: returnId } = order;
  const booking = returnId === undefined ? undefined : await work.get(returnBookings, returnId);
  if (booking?.status !== 'open' || payments.some(isLiveCredit)) return payments;
  const { amount: total, currency } = order.totals.total;
  const firstPayments = await paymentsOf(booking.orderId, scope, DECIDE_TIMEOUT_MS);
  const paidBack = firstPayments
    .flatMap(({ refunds }) => refunds.filter((refund) => refund.returnId === booking.id))
    .reduce((sum, { amount }) => sum + amount.amount, 0);
  // The customer has not got the rest back, as money or as credit. A refund by a client need not name a return.
  const kept = coverageOf(firstPayments).netCaptured - (await creditHeldByOthers(booking, scope));
  const amount = Math.min(returnValueOf(booking) - paidBack, kept, outstandingOf(total, payments));
  if (amount <= 0) return payments;
  const refundAmount = money(returnValueOf(booking), currency);
  const body = {
    orderId: order.id,
    tender: { type: 'exchange-credit' as const },
    amount: money(amount, currency),
    // The return belongs to another order, so `payableOf` does not list it.
    returnId: booking.id,
    payable: { ...(await payableOf(work, order)), returns: [{ returnId: booking.id, refundAmount, orderId: booking.orderId }] },
  };
  // A request and due work send the same call. After a voided credit it is a new one.
  const step = `credit ${payments.filter(isCredit).length} ${amount}`;
  const credit = await call(authorizePayment, { body }, { intent: order.id, step, timeoutMs: DECIDE_TIMEOUT_MS }).catch(
    undefinedIfPaidOtherwise,
  );
  return credit ? [...payments, credit] : paymentsOf(order.id, scope, DECIDE_TIMEOUT_MS);
}

/** A concurrent request paid the order or refunded the return. */
function undefinedIfPaidOtherwise(error: unknown): undefined {
  const isRefused =
    error instanceof Problem && (error.code === 'overpayment' || (error.code === 'refund_exceeds_captured' && !error.retryable));
  if (!isRefused) throw error;
  return undefined;
}

/** The payments that decide a confirmation, including the credit of an exchange. */
export const paymentsToConfirmOn = (order: StoredOrder, scope: Scope): Promise<readonly Payment[]> =>
  order.exchangeForReturnId === undefined ? paymentsToDecideOn(order, scope) : takeExchangeCredit(order, scope);
