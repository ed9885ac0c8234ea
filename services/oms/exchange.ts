import { getCustomer } from '../../shared/catalog/customer/apis.ts';
import { getReturn } from '../../shared/catalog/fulfillment/internal.ts';
import { returnLifeCycle } from '../../shared/catalog/fulfillment/returns.ts';
import { refusal, refuseTransition } from '../../shared/catalog/life-cycle.ts';
import { authorizePayment } from '../../shared/catalog/payment/apis.ts';
import { keptOf, type PaymentAmounts, securedBy, stillToSecure } from '../../shared/catalog/payment/cover.ts';
import { committedOf } from '../../shared/catalog/payment/refunds.ts';
import { invalid, Problem } from '../../shared/catalog/problems.ts';
import { money } from '../../shared/domain/money.ts';
import { handleDue, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { orders, type StoredOrder } from './collections.ts';
import { DECIDE_TIMEOUT_MS, takeExchangeCreditDue } from './due-work.ts';
import { type Payment, paymentsOf, paymentsToDecideOn } from './payments.ts';
import { bookingsOf, closedOtherwise, payableOf, type ReturnBooking, returnBookings, returnValueOf } from './return-bookings.ts';

/**
 * Refuses a return that cannot pay: it must be inspected, with the resolution `exchange`.
 * @throws Problem `not_found`, `invalid_state_transition`, `dependency_*`
 */
export async function refuseUnexchangeable(returnId: string, { call }: Scope): Promise<void> {
  const found = await call(getReturn, { params: { id: returnId } });
  if (found.state !== 'inspected') throw refuseTransition(returnLifeCycle, found, 'exchange');
  if (found.resolution === 'exchange') return;
  const detail = `The return "${returnId}" was created to be refunded; only a return with the resolution "exchange" pays for an order.`;
  throw refusal('return', { id: returnId, state: found.state }, 'exchange', detail);
}

const GUESTS: ReadonlySet<string> = new Set(['anonymous', 'identified']);

/**
 * A return of a registered customer pays only for this customer's orders, and for a sale without a customer. A return of a guest belongs
 * to the bearer of the receipt.
 * @throws Problem `validation_failed`, `dependency_*` while the CRM does not answer
 */
export async function refuseForeignReturn(returnId: string, buyerId: string | undefined, { work, call }: Scope): Promise<void> {
  const booking = await work.get(returnBookings, returnId);
  const ownerId = booking && (await work.get(orders, booking.orderId))?.customerId;
  if (ownerId === undefined || buyerId === undefined || ownerId === buyerId) return;
  const { state } = await call(getCustomer, { params: { id: ownerId } });
  if (GUESTS.has(state)) return;
  const detail = `The return "${returnId}" belongs to another registered customer. Leave it out, or use a basket of that customer.`;
  throw invalid('/exchangeForReturnId', 'return_of_another', detail);
}

/**
 * Claims a return for a basket, as part of the commit before the basket is converted. A return pays for one basket, once, and not after its
 * refund. Of two concurrent claims one is refused before anything has happened to its basket.
 * @throws Problem `invalid_state_transition` for the return
 */
export async function claimReturn(work: UnitOfWork, returnId: string, basketId: string): Promise<void> {
  const booking = await work.get(returnBookings, returnId);
  if (booking?.exchangeBasketId === basketId) return;
  if (!booking) throw new Problem('not_found', `The return "${returnId}" does not exist.`, { objectType: 'return', id: returnId });
  if (booking.exchangeBasketId !== undefined) throw closedOtherwise(booking, 'exchange', await takenBy(work, returnId));
  if (booking.status !== 'open') throw closedOtherwise(booking, 'exchange', 'is already refunded');
  work.put(returnBookings, { ...booking, exchangeBasketId: basketId });
}

/** Names the order that a return pays for. */
async function takenBy(work: UnitOfWork, returnId: string): Promise<string> {
  const order = await work.findUnique(orders, 'exchangeFor', returnId);
  if (!order) return 'already pays for another order';
  if (order.state !== 'cancelled') return `already pays for the order "${order.id}"`;
  const instead = 'A return pays for one order; this one is refunded instead, by Refund Payment where refunds are manual';
  return `paid for the order "${order.id}", which was cancelled. ${instead}`;
}

/** Whether a return may still pay for this basket. */
export async function isClaimable(work: UnitOfWork, returnId: string, basketId: string): Promise<boolean> {
  const booking = await work.get(returnBookings, returnId);
  return booking?.exchangeBasketId === basketId || (booking?.status === 'open' && booking.exchangeBasketId === undefined);
}

/** Gives up the claim of a basket that did not become an order. Without this claim nothing happens. */
export async function releaseReturn(work: UnitOfWork, returnId: string, basketId: string): Promise<void> {
  const booking = await work.get(returnBookings, returnId);
  if (booking?.exchangeBasketId !== basketId) return;
  const { exchangeBasketId: _basket, ...released } = booking;
  work.put(returnBookings, released);
}

/**
 * Whether a return pays for an order. `coming`: an order that is not cancelled names it.
 * @throws Problem `invalid_state_transition` with `retryable: true` while a basket is being converted for it
 */
export async function exchangeOf(work: UnitOfWork, booking: ReturnBooking): Promise<'coming' | 'none'> {
  if (booking.exchangeBasketId === undefined) return 'none';
  const order = await work.findUnique(orders, 'exchangeFor', booking.id);
  if (order) return order.state === 'cancelled' ? 'none' : 'coming';
  // Another request, which did not name the return, made an order of the basket.
  if (await work.findUnique(orders, 'basket', booking.exchangeBasketId)) return 'none';
  const detail = `An exchange order for the return "${booking.id}" is being created; repeat the request after that.`;
  const about = { allowedFrom: ['inspected'], retryable: true, retryAfter: 1 } as const;
  throw refusal('return', { id: booking.id, state: 'inspected' }, 'refund', detail, about);
}

type Amounts = PaymentAmounts & Pick<Payment, 'tender'>;

export const isCredit = ({ tender }: Pick<Payment, 'tender'>): boolean => tender.type === 'exchange-credit';

/** Whether it is an exchange credit that still uses value of its return. */
export const isLiveCredit = (payment: Payment): boolean => isCredit(payment) && creditHeld([payment]) > 0;

/** Minor units of their returns that the credits among these payments use: authorised, or captured − refunded. */
export const creditHeld = (payments: readonly Amounts[]): number =>
  payments.filter(isCredit).reduce((sum, payment) => sum + securedBy(payment), 0);

/** Minor units that the credits for the other returns of this order use. */
export const creditHeldByOthers = ({ id, orderId }: ReturnBooking, scope: Scope): Promise<number> =>
  creditHeldFor(orderId, scope, { timeoutMs: DECIDE_TIMEOUT_MS, except: id });

/** Minor units that the credits for the returns of an order use. @throws Problem `dependency_*` */
export async function creditHeldFor(
  orderId: string,
  scope: Scope,
  { timeoutMs, except }: { timeoutMs: number; except?: string },
): Promise<number> {
  let held = 0;
  for (const { id } of await bookingsOf(scope.work, orderId)) {
    const exchange = id === except ? undefined : await scope.work.findUnique(orders, 'exchangeFor', id);
    if (exchange) held += creditHeld(await paymentsOf(exchange.id, scope, timeoutMs));
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
  const paidBack = committedOf(firstPayments.flatMap(({ refunds }) => refunds.filter((refund) => refund.returnId === booking.id)));
  // The customer has not got the rest back, as money or as credit. A refund by a client need not name a return.
  const kept = firstPayments.reduce((sum, payment) => sum + keptOf(payment), 0) - (await creditHeldByOthers(booking, scope));
  const amount = Math.min(returnValueOf(booking) - paidBack, kept, stillToSecure(total, payments));
  if (amount <= 0) return payments;
  const refundAmount = money(returnValueOf(booking), currency);
  const body = {
    orderId: order.id,
    tender: { type: 'exchange-credit' as const },
    amount: money(amount, currency),
    // The return belongs to another order, so `payableOf` does not list it.
    returnId: booking.id,
    payable: {
      ...payableOf(order, await bookingsOf(work, order.id)),
      returns: [{ returnId: booking.id, refundAmount, orderId: booking.orderId }],
    },
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

/** Takes the exchange credit that Create Order could not take. */
export const takeExchangeCreditLater = handleDue(takeExchangeCreditDue)(async ({ key }, scope) => {
  const order = await scope.work.get(orders, key);
  if (order?.state === 'draft' && !order.pendingAction) await takeExchangeCredit(order, scope);
});
