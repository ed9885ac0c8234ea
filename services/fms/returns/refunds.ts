import type { z } from 'zod';
import { awaitsRefund } from '../../../shared/catalog/fulfillment/returns.ts';
import { closeReturn } from '../../../shared/catalog/order/internal.ts';
import { Order } from '../../../shared/catalog/order/objects.ts';
import { Payment } from '../../../shared/catalog/payment/objects.ts';
import { committedOf, succeededOf } from '../../../shared/catalog/payment/refunds.ts';
import { isProblem } from '../../../shared/catalog/problems.ts';
import type { Figures } from '../../../shared/catalog/retailer.ts';
import { type EventHandler, handleDue, unchanged } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { closeReturnDue, settleReturnDue } from '../due-work.ts';
import { returns, returnsOf, returnTasks, type StoredReturn } from './collections.ts';

type ReturnRefund = StoredReturn['refunds'][number];
type Refunded = Pick<z.output<typeof Payment>, 'id' | 'refunds'>;

/** Minor units refunded for a return, or on their way. */
export const paidOf = ({ refunds }: Pick<StoredReturn, 'refunds'>): number => committedOf(refunds);

/** A return that has a refund is not rejected, even if the refund failed: the customer has the money, or the retailer owes it. */
export const hasRefund = ({ refunds }: Pick<StoredReturn, 'refunds'>): boolean => refunds.length > 0;

/** When an inspected return is refunded, in epoch milliseconds: immediately, unless it waits for its exchange order. */
export const settlesAt = (found: StoredReturn, inspectedAt: number, { windowMs }: Figures): number =>
  found.resolution === 'exchange' && paidOf(found) < found.refundAmount.amount ? inspectedAt + windowMs.exchange : inspectedAt;

/** Schedules the refund of a return. Decisions about its payments do not advance it. */
export async function refundFrom(work: UnitOfWork, { id }: Pick<StoredReturn, 'id'>, at: number): Promise<void> {
  const task = await work.get(returnTasks, id);
  work.put(returnTasks, { id, open: false, since: work.now, ...task, refundAt: at });
  work.schedule(settleReturnDue, id, at, {});
}

const refundsFor = (returnId: string, { id, refunds }: Refunded): ReturnRefund[] =>
  refunds
    .filter((refund) => refund.returnId === returnId)
    .map(({ amount, state, rounding, at }) => ({ paymentId: id, amount, state, rounding, at }));

/**
 * Merges stored and reported refunds. Payments never lose refunds, and a decision about a refund is final, so the list of a payment that
 * has fewer refunds and decisions is stale.
 * @returns undefined when nothing is new
 */
export function withRefunds(known: readonly ReturnRefund[], reported: readonly ReturnRefund[]): ReturnRefund[] | undefined {
  const paymentIds = new Set(reported.map(({ paymentId }) => paymentId));
  const fresh = [...paymentIds].filter((id) => progressOf(reported, id) > progressOf(known, id));
  if (fresh.length === 0) return undefined;
  return [...known.filter(({ paymentId }) => !fresh.includes(paymentId)), ...reported.filter(({ paymentId }) => fresh.includes(paymentId))];
}

/** Counts the refunds of a payment and the decisions about them. */
const progressOf = (refunds: readonly ReturnRefund[], id: string): number =>
  refunds.filter(({ paymentId }) => paymentId === id).reduce((count, { state }) => count + (state === 'pending' ? 1 : 2), 0);

/** Records refunds. A return that awaits its refund ends once its refunds have succeeded for its whole value; the OMS gets a report. */
function noteRefunds(work: UnitOfWork, found: StoredReturn, reported: readonly ReturnRefund[]): void {
  const refunds = withRefunds(found.refunds, reported);
  if (!refunds) return;
  const isPaid = succeededOf(refunds) >= found.refundAmount.amount;
  if (!isPaid || !awaitsRefund(found) || found.rejecting) {
    work.transition(returns, found, 'note', { refunds });
    return;
  }
  work.cancel(settleReturnDue, found.id);
  work.schedule(closeReturnDue, found.id, work.now, {});
  work.transition(returns, found, 'refund', { refunds });
}

/**
 * The OMS refunds an inspected or written-off return, and answers with the refunded amount. A remainder is refunded by other calls, or waits
 * for the order of an exchange. The event of the refund or of the order then moves the return.
 */
export const settleReturn = handleDue(settleReturnDue)(async ({ key }, { work, call, log }) => {
  const found = await work.get(returns, key);
  if (!found || !awaitsRefund(found)) return;
  if (found.rejecting) {
    // A refused rejection schedules this work again. That commit must not come before this item ends.
    work.expect(returns, found);
    return;
  }
  try {
    const params = { id: found.orderId, returnId: key };
    const { settled, refunds: reported } = await call(
      closeReturn,
      { params, body: { outcome: 'refund' } },
      { step: `refund ${found.version}` },
    );
    const refunds = withRefunds(found.refunds, reported);
    if (settled) work.transition(returns, found, 'refund', refunds ? { refunds } : {});
    else if (refunds) work.transition(returns, found, 'note', { refunds });
  } catch (error) {
    if (!isProblem(error, 'invalid_state_transition') || error.retryable) throw error;
    log.warn({ returnId: key, code: error.code }, `refunding a return failed: ${error.message}`);
  }
});

/** Reports to the OMS that an exchange, or refunds made elsewhere, have ended a return. The OMS books the units. */
export const closeReturnLater = handleDue(closeReturnDue)(async ({ key }, { work, call }) => {
  const found = await work.get(returns, key);
  if (found?.state !== 'refunded' && found?.state !== 'exchanged') return;
  const { orderId, exchangeOrderId, state: outcome } = found;
  const body = { outcome, exchangeOrderId };
  await call(closeReturn, { params: { id: orderId, returnId: key }, body }, { step: outcome });
});

const RefundedPayment = Payment.pick({ id: true, orderId: true, refunds: true, disputes: true });

/**
 * A return records all its refunds, and ends when they have succeeded for its whole value. Whenever a refund of its order has ended, even
 * one for another purpose, or a dispute is decided, the OMS refunds what is left of the return, or returns that nothing is left.
 */
export const onPaymentChanged: EventHandler = async ({ data }, { work }) => {
  const payment = RefundedPayment.parse(data.object);
  const returnIds = new Set(payment.refunds.flatMap((refund) => refund.returnId ?? []));
  for (const returnId of returnIds) {
    const found = await work.get(returns, returnId);
    if (found) noteRefunds(work, found, refundsFor(returnId, payment));
  }
  const isResumed = hasDecision(payment) && (await resumeRefunds(work, payment.orderId));
  return isResumed || returnIds.size > 0 ? undefined : unchanged('The payment has no refund for a return, and no return waited for it.');
};

const hasDecision = ({ refunds, disputes = [] }: z.output<typeof RefundedPayment>): boolean =>
  refunds.some(({ state }) => state !== 'pending') || disputes.some(({ state }) => state !== 'open');

/** A return that may still be exchanged is not refunded earlier. @returns whether a return of the order awaits its refund */
async function resumeRefunds(work: UnitOfWork, orderId: string): Promise<boolean> {
  let isResumed = false;
  for (const found of await returnsOf(work, orderId)) {
    const { refundAt = work.now } = (await work.get(returnTasks, found.id)) ?? {};
    if (!awaitsRefund(found) || refundAt > work.now) continue;
    work.schedule(settleReturnDue, found.id, work.now, {});
    isResumed = true;
  }
  return isResumed;
}

const ExchangeOrder = Order.pick({ id: true, exchangeForReturnId: true });

/** The return has paid for another order: it is exchanged. The OMS books its units and refunds the surplus. */
export const onOrderConfirmed: EventHandler = async ({ data }, { work }) => {
  const { id: exchangeOrderId, exchangeForReturnId } = ExchangeOrder.parse(data.object);
  if (exchangeForReturnId === undefined) return unchanged('The order is not exchanged for a return.');
  const found = await work.get(returns, exchangeForReturnId);
  // A return that was refunded by hand in the meantime did not pay for the order.
  if (found?.state !== 'inspected') return unchanged(`The return is ${found?.state ?? 'unknown'}: only an inspected return is exchanged.`);
  work.cancel(settleReturnDue, found.id);
  work.schedule(closeReturnDue, found.id, work.now, {});
  work.transition(returns, found, 'exchange', { exchangeOrderId });
  return undefined;
};

/** A return whose exchange order is cancelled is refunded instead. After the exchange, the OMS refunds the credit. */
export const onOrderCancelled: EventHandler = async ({ data }, { work }) => {
  const { exchangeForReturnId } = ExchangeOrder.parse(data.object);
  if (exchangeForReturnId === undefined) return unchanged('The order is not exchanged for a return.');
  const found = await work.get(returns, exchangeForReturnId);
  if (found?.state !== 'inspected')
    return unchanged(`The return is ${found?.state ?? 'unknown'}: only an inspected return is refunded instead.`);
  await refundFrom(work, found, work.now);
  return undefined;
};
