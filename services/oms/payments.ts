import type { z } from 'zod';
import type { PaymentStatus as PaymentStatusSchema } from '../../shared/catalog/order/objects.ts';
import { capturePayment } from '../../shared/catalog/payment/apis.ts';
import { listPayments } from '../../shared/catalog/payment/internal.ts';
import type { Payment as PaymentSchema } from '../../shared/catalog/payment/objects.ts';
import { awaiting, pendingInWords } from '../../shared/catalog/payment/pending.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { money, moneyInWords } from '../../shared/domain/money.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { StoredOrder } from './collections.ts';
import { DECIDE_TIMEOUT_MS } from './due-work.ts';

export type Payment = z.output<typeof PaymentSchema>;

/** All payments of an order, from the Payment Hub. The OMS stores none of them. @throws Problem `dependency_*` */
export async function paymentsOf(orderId: string, { call }: Pick<Scope, 'call'>, timeoutMs: number): Promise<readonly Payment[]> {
  const { items } = await call(listPayments, { query: { orderId } }, { timeoutMs });
  return items;
}

/** The payments that decide a confirmation. An order that costs nothing needs none, and the Payment Hub is not called. */
export async function paymentsToDecideOn(order: StoredOrder, scope: Scope): Promise<readonly Payment[]> {
  return order.totals.total.amount === 0 ? [] : paymentsOf(order.id, scope, DECIDE_TIMEOUT_MS);
}

/** 409 while authorised and captured payments do not cover the total. Payments that are about to be reversed do not count. */
export function paymentIncomplete(order: StoredOrder, payments: readonly Payment[]): Problem | undefined {
  const reversing = new Set(order.undo && order.undo.payments !== 'all' ? order.undo.payments : []);
  const { amount, currency } = order.totals.total;
  const counting = payments.filter(({ id }) => !reversing.has(id));
  const outstanding = money(outstandingOf(amount, counting), currency);
  if (outstanding.amount === 0) return undefined;
  const missing = `${moneyInWords(outstanding)} of ${moneyInWords(order.totals.total)} are neither authorised nor captured`;
  const about = { objectType: 'order', id: order.id, outstanding };
  const pending = counting.filter(({ state }) => state === 'pending');
  if (pending.length === 0) return new Problem('payment_incomplete', `${missing}; authorise them, then confirm again.`, about);
  return new Problem(
    'payment_incomplete',
    `${missing}; ${pendingInWords(pending)} is not decided yet. Wait for that, authorise what is missing then, and confirm again.`,
    { ...about, ...awaiting(pending) },
  );
}

type PaymentStatus = z.output<typeof PaymentStatusSchema>;

/** Members of a payment that decide the status. */
export type PaymentAmounts = Pick<Payment, 'state' | 'authorizedAmount' | 'capturedAmount' | 'refundedAmount'>;

/** Minor units over all tenders of an order. Pending, failed and voided payments count as 0. */
interface Coverage {
  /** Authorised and not captured. */
  readonly authorised: number;
  /** Captured and not refunded. */
  readonly netCaptured: number;
  readonly refunded: number;
}

export function coverageOf(payments: readonly PaymentAmounts[]): Coverage {
  const sum = (amountOf: (payment: PaymentAmounts) => number): number => payments.reduce((total, payment) => total + amountOf(payment), 0);
  return {
    authorised: sum(({ state, authorizedAmount }) => (state === 'authorised' ? authorizedAmount.amount : 0)),
    netCaptured: sum(({ capturedAmount, refundedAmount }) => capturedAmount.amount - refundedAmount.amount),
    refunded: sum(({ refundedAmount }) => refundedAmount.amount),
  };
}

/** Part of the total, in minor units, that is neither authorised nor captured. Confirm Order requires 0. */
export function outstandingOf(total: number, payments: readonly PaymentAmounts[]): number {
  const { authorised, netCaptured } = coverageOf(payments);
  return Math.max(0, total - authorised - netCaptured);
}

/**
 * One status for all tenders of an order together. The first line that applies, where net is captured − refunded:
 *
 *   refunded             something was refunded; net and authorised are 0
 *   paid                 net covers the total; or nothing was refunded, and net is more than 0 and covers `stillDue`
 *   authorised           net and authorised together cover the total: Confirm Order would accept it
 *   partially-refunded   something was refunded; net and authorised do not cover the total
 *   unpaid               anything else: nothing, too little, or only payments that are pending, failed or voided
 *
 * Split tenders count together: an order with one captured and one authorised tender is `authorised`, and an order that lacks one
 * cent is `unpaid`. An order that costs nothing is `paid`.
 * @param stillDue minor units of the total without cancelled lines
 */
export function paymentStatusOf(total: number, payments: readonly PaymentAmounts[], stillDue: number = total): PaymentStatus {
  const { authorised, netCaptured, refunded } = coverageOf(payments);
  if (refunded > 0 && netCaptured + authorised === 0) return 'refunded';
  if (netCaptured >= total || (netCaptured > 0 && refunded === 0 && netCaptured >= stillDue)) return 'paid';
  if (netCaptured + authorised >= total) return 'authorised';
  return refunded > 0 ? 'partially-refunded' : 'unpaid';
}

/**
 * Captures authorised payments, oldest first, until `enough` holds. Capturing a payment is idempotent at the Payment Hub.
 * If a payment was captured or voided by another request, all payments are read again.
 * @returns all payments afterwards
 * @throws Problem `dependency_*`, `payment_declined`; captures before the failure stand
 */
export async function captureUntil(
  orderId: string,
  scope: Scope,
  enough: (payments: readonly Payment[]) => boolean,
): Promise<readonly Payment[]> {
  const payments = await paymentsOf(orderId, scope, DECIDE_TIMEOUT_MS);
  const after = new Map(payments.map((payment) => [payment.id, payment]));
  let isStale = false;
  for (const { id, state } of payments) {
    if (state !== 'authorised' || enough([...after.values()])) continue;
    try {
      after.set(id, await scope.call(capturePayment, { params: { id }, body: {} }, { step: id, timeoutMs: DECIDE_TIMEOUT_MS }));
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'invalid_state_transition' || error.retryable) throw error;
      isStale = true;
    }
  }
  return isStale ? paymentsOf(orderId, scope, DECIDE_TIMEOUT_MS) : [...after.values()];
}

/** As `captureUntil`, but stops without an error when the provider declines a capture. @throws Problem `dependency_*` */
export async function captureIfPossible(...[orderId, scope, enough]: Parameters<typeof captureUntil>): Promise<readonly Payment[]> {
  try {
    return await captureUntil(orderId, scope, enough);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'payment_declined') throw error;
    return paymentsOf(orderId, scope, DECIDE_TIMEOUT_MS);
  }
}

export const isCovered = (payments: readonly Payment[], required: number): boolean => coverageOf(payments).netCaptured >= required;

/** Whether the remaining payments, captured in full, do not cover the order. Partial captures and refunds by a client do not count. */
export function isLost(payments: readonly Payment[], required: number): boolean {
  const binding = payments.filter(({ state }) => state !== 'voided' && state !== 'failed');
  return (
    binding.reduce((sum, { state, amount, authorizedAmount }) => sum + (state === 'pending' ? amount : authorizedAmount).amount, 0) <
    required
  );
}
