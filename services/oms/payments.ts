import type { z } from 'zod';
import { progressionOf } from '../../shared/catalog/control/progression.ts';
import { capturePayment, refundPayment } from '../../shared/catalog/payment/apis.ts';
import {
  goodsOf,
  hasOpenDispute,
  isUndecided,
  keptOf,
  lostIn,
  refundableOf,
  requiredFor,
  shippingOf,
  stillToSecure,
} from '../../shared/catalog/payment/cover.ts';
import { listPayments } from '../../shared/catalog/payment/internal.ts';
import { type Payment as PaymentSchema, REFUND_ORDER } from '../../shared/catalog/payment/objects.ts';
import { awaiting, pendingInWords } from '../../shared/catalog/payment/pending.ts';
import { committedOf, hasFailed, isSamePurpose, owedAfterFailures, refundId, succeededOf } from '../../shared/catalog/payment/refunds.ts';
import { isExternal } from '../../shared/catalog/payment/tender.ts';
import { isProblem, Problem } from '../../shared/catalog/problems.ts';
import { money, moneyInWords } from '../../shared/domain/money.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { OwedRefund, StoredOrder } from './collections.ts';
import { DECIDE_TIMEOUT_MS } from './due-work.ts';

export type Payment = z.output<typeof PaymentSchema>;

/** All payments of an order, from the Payment Hub. The OMS stores none of them. @throws Problem `dependency_*` */
export async function paymentsOf(orderId: string, { call }: Pick<Scope, 'call'>, timeoutMs: number): Promise<readonly Payment[]> {
  const { items } = await call(listPayments, { query: { orderId } }, { timeoutMs });
  return items;
}

/** The payments that decide a confirmation. An order that always cost nothing has none, and the Payment Hub is not called. */
export async function paymentsToDecideOn(order: StoredOrder, scope: Scope): Promise<readonly Payment[]> {
  const wasPaid = order.changes?.some(({ before }) => before.total.amount > 0) === true;
  return order.totals.total.amount === 0 && !wasPaid ? [] : paymentsOf(order.id, scope, DECIDE_TIMEOUT_MS);
}

/** 409 while authorised and captured payments do not cover the total. Payments that are about to be reversed do not count. */
export function paymentIncomplete(order: StoredOrder, payments: readonly Payment[]): Problem | undefined {
  const reversing = new Set(order.undo && order.undo.payments !== 'all' ? order.undo.payments : []);
  const { amount, currency } = order.totals.total;
  const counting = payments.filter(({ id }) => !reversing.has(id));
  const outstanding = money(stillToSecure(amount, counting), currency);
  if (outstanding.amount === 0) return undefined;
  const missing = `${moneyInWords(outstanding)} of ${moneyInWords(order.totals.total)} are neither authorised nor captured`;
  const about = { objectType: 'order', id: order.id, outstanding };
  const pending = counting.filter(isUndecided);
  if (pending.length === 0) return new Problem('payment_incomplete', `${missing}; authorise them, then confirm again.`, about);
  const actions = pending.filter(({ state }) => state === 'requires-action').map(({ id }) => `"${id}"`);
  const wait =
    actions.length === 0
      ? 'Wait for that'
      : `The customer has to complete the action of ${actions.join(' and ')} (nextAction); wait for that`;
  const detail = `${missing}; ${pendingInWords(pending)} is not decided yet. ${wait}, authorise what is missing then, and confirm again.`;
  return new Problem('payment_incomplete', detail, { ...about, ...awaiting(pending) });
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
  const isByHand = progressionOf(scope.context).external === 'manual';
  for (const { id, state, tender } of payments) {
    if (state !== 'authorised' || (isByHand && isExternal(tender)) || enough([...after.values()])) continue;
    try {
      after.set(id, await scope.call(capturePayment, { params: { id }, body: {} }, { step: id, timeoutMs: DECIDE_TIMEOUT_MS }));
    } catch (error) {
      if (!isProblem(error, 'invalid_state_transition') || error.retryable) throw error;
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
    if (!isProblem(error, 'payment_declined')) throw error;
    return paymentsOf(orderId, scope, DECIDE_TIMEOUT_MS);
  }
}

/** Whether the provider approved the authorisation and declined its capture. Another payment may replace it. */
export const isDeclinedAtCapture = ({ state, authorizedAmount }: Pick<Payment, 'state' | 'authorizedAmount'>): boolean =>
  state === 'failed' && authorizedAmount.amount > 0;

/** Reference of the refund for a change of an order. @param number of the change */
export const changeReference = (number: number): string => `${CHANGE_PREFIX}${number}`;

/** Goods of a changed order are to be dispatched, and then it must be paid: a refund as goodwill before counts. */
const isOfChange = ({ reference }: Pick<OwedRefund, 'reference'>): boolean => reference.startsWith(CHANGE_PREFIX);

/**
 * Refunds what is owed for cancelled units and was captured. Existing refunds count, so a repeat is harmless.
 * @returns the payments, and the references of amounts that wait for a decision about a refund or a dispute
 */
export async function refundOwed(
  { order, owed, payments }: { order: StoredOrder; owed: readonly OwedRefund[]; payments: readonly Payment[] },
  { call }: Scope,
): Promise<{ payments: readonly Payment[]; waiting: ReadonlySet<string> }> {
  const dueOf = (one: OwedRefund, now: readonly Payment[]): number =>
    Math.min(
      stillOwed(one, now),
      excessOf(now, requiredFor(order)),
      isOfChange(one) ? Math.max(0, sumOf(now, keptOf) - requiredFor(order)) : Number.POSITIVE_INFINITY,
    );
  const after = new Map(payments.map((payment) => [payment.id, payment]));
  for (const one of owed) {
    const now = [...after.values()];
    const reference = referenceFor(one, now);
    const due = dueOf(one, now);
    for (const part of refundSplit(due, reference, now)) {
      const body = { amount: money(part.amount, order.totals.total.currency), reason: 'Not delivered', reference };
      // After a refusal the amount may differ. A different amount makes it another call.
      const step = `${reference} ${part.id} ${part.amount}`;
      after.set(
        part.id,
        await call(refundPayment, { params: { id: part.id }, body }, { step, timeoutMs: DECIDE_TIMEOUT_MS, isSeparate: true }),
      );
    }
  }
  const all = [...after.values()];
  const isShort = (one: OwedRefund): boolean => dueOf(one, all) > 0;
  const waiting = all.some(isUnderDecision) ? owed.filter(isShort) : [];
  return { payments: all, waiting: new Set(waiting.map(({ reference }) => reference)) };
}

/** Tenders that earn no points: points are not money, and the goods of an exchange credit earned points with their first order. */
export const EARNS_NOTHING: ReadonlySet<Payment['tender']['type']> = new Set(['loyalty', 'exchange-credit']);

/**
 * What earns points. All is read from the same payments, so a refund either counts here or takes points back later. A pending refund
 * takes them back when it succeeds.
 */
export function earningOf(
  order: StoredOrder,
  payments: readonly Payment[],
): Pick<StoredOrder, 'earningAmount' | 'overpaidAmount' | 'earningRefunds'> {
  const earningRefunds = payments.flatMap(({ id, refunds, disputes = [] }) => [
    ...refunds.flatMap(({ state }, index) => (state === 'succeeded' ? [refundId(id, index)] : [])),
    ...disputes.flatMap((dispute) => (dispute.state === 'lost' ? [dispute.id] : [])),
  ]);
  const { currency } = order.totals.total;
  const { earning, overpaid } = keptForGoods(order, payments);
  return {
    earningAmount: money(earning, currency),
    ...(overpaid > 0 && { overpaidAmount: money(overpaid, currency) }),
    ...(earningRefunds.length > 0 && { earningRefunds }),
  };
}

/**
 * Minor units that earn: goods less points and exchange credit, at most the net captured of other tenders without shipping. `overpaid` is the
 * rest of the net captured. The customer gets it back for units that never arrived, so its refunds take no points.
 */
function keptForGoods({ lines, totals }: StoredOrder, payments: readonly Payment[]): { earning: number; overpaid: number } {
  const netCaptured = (earnsNothing: boolean): number =>
    payments
      .filter(({ tender }) => EARNS_NOTHING.has(tender.type) === earnsNothing)
      .reduce((sum, { capturedAmount, refunds, disputes }) => sum + capturedAmount.amount - succeededOf(refunds) - lostIn(disputes), 0);
  const kept = netCaptured(false) - shippingOf(totals);
  const earning = Math.max(0, Math.min(goodsOf(lines) - netCaptured(true), kept));
  return { earning, overpaid: Math.max(0, kept - earning) };
}

/** Prefix of the references of refunds for cancelled units. Refunds by a client have no reference. */
const CANCELLED_PREFIX = 'cancelled/';
const CHANGE_PREFIX = `${CANCELLED_PREFIX}change/`;

/** Reference of the refund for cancelled units. `upTo` counts the cancelled and returned units of the line, including these. */
export const refundReference = (lineId: string, upTo: number): string => `${CANCELLED_PREFIX}${lineId}/${upTo}`;

const sumOf = <T>(items: readonly T[], amountOf: (item: T) => number): number => items.reduce((sum, item) => sum + amountOf(item), 0);

const sumOfRefunds = (payments: readonly Payment[], which: (reference: string | undefined) => boolean): number =>
  sumOf(payments, ({ refunds }) => committedOf(refunds.filter(({ reference }) => which(reference))));

/** Whether the payment may keep more again: a pending refund may fail, and an open dispute may be won. */
export const isUnderDecision = ({ refunds, disputes }: Pick<Payment, 'refunds' | 'disputes'>): boolean =>
  hasOpenDispute(disputes) || refunds.some(({ state }) => state === 'pending');

/** The refunds that were made for an owed amount. */
const attemptsFor = (owed: Pick<OwedRefund, 'reference'>, payments: readonly Payment[]) =>
  payments.flatMap(({ refunds }) => refunds.filter((refund) => isSamePurpose(refund, owed)));

/** The reference of the next attempt. A payment has one refund per reference, so a repeat after a failure needs another. */
function referenceFor(owed: Pick<OwedRefund, 'reference'>, payments: readonly Payment[]): string {
  const failures = attemptsFor(owed, payments).filter(hasFailed).length;
  return failures === 0 ? owed.reference : `${owed.reference}/${failures}`;
}

/**
 * Minor units still to be refunded for an owed amount. An interrupted attempt may have refunded a part. A client may have repeated a failed
 * attempt.
 */
export function stillOwed(owed: Pick<OwedRefund, 'reference' | 'amount'>, payments: readonly Payment[]): number {
  const attempts = attemptsFor(owed, payments);
  const left = Math.max(0, owed.amount - committedOf(attempts));
  if (!attempts.some(hasFailed)) return left;
  return Math.min(left, owedAfterFailures(payments, owed));
}

/**
 * Minor units captured beyond the required amount, less the refunds for cancelled units so far and less lost disputes: the bank has paid
 * those back. If less was captured than the order costs, the customer has not paid for the cancelled units. Refunds by a client are
 * goodwill and do not reduce the excess.
 */
export const excessOf = (payments: readonly Payment[], required: number): number =>
  Math.max(
    0,
    sumOf(payments, ({ capturedAmount, disputes }) => capturedAmount.amount - lostIn(disputes)) -
      sumOfRefunds(payments, (paid) => paid?.startsWith(CANCELLED_PREFIX) === true) -
      required,
  );

/**
 * Minor units that no refund brings to the customer. A cancelled order owes everything that it keeps; another order owes its failed
 * refunds, unless any of its payments repeated them, up to what it keeps, also during a dispute. When an order is cancelled, the rest of a
 * payment with an open dispute is refunded after the decision.
 * @param exchanged minor units that pay for exchange orders
 */
export function owedRefundOf({ state }: Pick<StoredOrder, 'state'>, payments: readonly Payment[], exchanged: number = 0): number {
  const undisputed = payments.filter(({ disputes }) => !hasOpenDispute(disputes));
  if (state === 'cancelled') return sumOf(undisputed, keptOf);
  const kept = sumOf(payments, (payment) => refundableOf(payment).amount);
  return Math.min(owedAfterFailures(payments), Math.max(0, kept - exchanged));
}

/**
 * Spreads minor units over payments by tender, each up to the kept amount. Skips payments already refunded under `reference`, payments
 * with an open dispute, and payments whose refund for the same return or the same units failed: their money goes where a client sends it.
 */
export function refundSplit(
  amount: number,
  reference: string,
  payments: readonly Payment[],
  returnId?: string,
): { id: string; amount: number }[] {
  const free = payments.filter(
    ({ refunds, disputes }) =>
      !hasOpenDispute(disputes) &&
      !refunds.some((refund) => refund.reference === reference || (hasFailed(refund) && isSamePurpose(refund, { reference, returnId }))),
  );
  let left = amount;
  return REFUND_ORDER.flatMap((type) => free.filter(({ tender }) => tender.type === type)).flatMap((payment) => {
    const part = Math.min(left, keptOf(payment));
    left -= part;
    return part > 0 ? [{ id: payment.id, amount: part }] : [];
  });
}
