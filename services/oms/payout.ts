import type { z } from 'zod';
import { progressionOf } from '../../shared/catalog/control/progression.ts';
import type { ReturnRefund } from '../../shared/catalog/fulfillment/returns.ts';
import { refundPayment } from '../../shared/catalog/payment/apis.ts';
import { keptOf, shippingOf } from '../../shared/catalog/payment/cover.ts';
import { reversePayment } from '../../shared/catalog/payment/internal.ts';
import { committedOf, succeededOf } from '../../shared/catalog/payment/refunds.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { money } from '../../shared/domain/money.ts';
import { handleDue, type Scope } from '../../shared/work/handler.ts';
import { orders, type StoredOrder } from './collections.ts';
import { DECIDE_TIMEOUT_MS, payOutReturnDue } from './due-work.ts';
import { creditHeld, creditHeldByOthers, isCredit, isLiveCredit } from './exchange.ts';
import { isUnderDecision, type Payment, paymentsOf, refundSplit } from './payments.ts';
import { bookingsOf, payableOf, type ReturnBooking, returnBookings, returnValueOf } from './return-bookings.ts';

export interface Payout {
  readonly refunds: z.output<typeof ReturnRefund>[];
  /** All of the value is refunded or pays for an exchange, or no payment has anything left, nor gets anything back: no refund of the order is pending, and no dispute is open. */
  readonly settled: boolean;
}

interface BookedReturn {
  readonly order: StoredOrder;
  readonly booking: ReturnBooking;
}

/** A refused refund is computed again, because a concurrent request may have refunded. */
const ATTEMPTS = 3;

/**
 * Refunds the value of a return, less the part that its exchange credit uses and all earlier refunds for it, to the payments of its order,
 * sorted by tender. All amounts and references derive from the payments, so a repeat refunds nothing twice. In rehearsals with manual
 * refunds, it refunds nothing and only reports.
 * @throws Problem `dependency_*`; refunds made before the failure stand
 */
export async function payOut({ order, booking }: BookedReturn, scope: Scope): Promise<Payout> {
  for (let attempt = 1; ; attempt++) {
    const held = await releaseCreditIfCancelled(booking, scope);
    const payments = await paymentsOf(order.id, scope, DECIDE_TIMEOUT_MS);
    const value = returnValueOf(booking) - held;
    const exchanged = held + (await creditHeldByOthers(booking, scope));
    if (progressionOf(scope.context).refund === 'manual') return payoutOf(booking, { payments, value, exchanged });
    const after = await refundRemaining({ order, booking }, { payments, value, exchanged }, scope).catch(undefinedIfRefused);
    if (after) return payoutOf(booking, { payments: after, value, exchanged });
    if (attempt === ATTEMPTS) {
      throw new Problem('dependency_error', `The Payment Hub refuses to refund the return "${booking.id}".`, { dependency: 'payment-hub' });
    }
  }
}

interface PaymentsToRefund {
  readonly payments: readonly Payment[];
  /** Total of the refunds for the return once all are made, in minor units. */
  readonly value: number;
  /** Minor units that pay for exchange orders, so they cannot be refunded. */
  readonly exchanged: number;
}

const refundableOf = ({ payments, exchanged }: Pick<PaymentsToRefund, 'payments' | 'exchanged'>): number =>
  Math.max(0, payments.reduce((sum, payment) => sum + keptOf(payment), 0) - exchanged);

async function refundRemaining(
  { order, booking }: BookedReturn,
  { payments, value, exchanged }: PaymentsToRefund,
  { work, call }: Scope,
): Promise<readonly Payment[]> {
  const { currency } = order.totals.total;
  const payable = payableOf(order, await bookingsOf(work, order.id));
  let now = payments;
  for (;;) {
    const paid = paidFor(booking.id, now);
    const reference = `return/${booking.id}/${paid}`;
    const left = Math.min(value - paid, refundableOf({ payments: now, exchanged }));
    const [part] = goodsSplit({ order, booking, left, reference }, now);
    if (!part) return now;
    const body = { amount: money(part.amount, currency), reason: 'Returned', returnId: booking.id, reference, payable };
    // After a refusal the versions of the payments differ; then it is another call.
    const step = `${reference} ${part.id} ${part.amount} v${now.reduce((sum, { version }) => sum + version, 0)}`;
    const after = await call(refundPayment, { params: { id: part.id }, body }, { step, timeoutMs: DECIDE_TIMEOUT_MS });
    now = now.map((payment) => (payment.id === after.id ? after : payment));
  }
}

/**
 * A return refunds goods, not shipping. The other tenders of an order with an exchange credit keep the shipping until the credit is empty;
 * otherwise the customer would keep points that the goods earned with the first order.
 */
function goodsSplit(
  { order, booking: { id }, left, reference }: BookedReturn & { left: number; reference: string },
  payments: readonly Payment[],
) {
  const credits = payments.filter(isLiveCredit);
  if (credits.length === 0) return refundSplit(left, reference, payments, id);
  const others = payments.filter((payment) => !isCredit(payment));
  const netCaptured = others.reduce((sum, payment) => sum + keptOf(payment), 0);
  const goods = Math.max(0, netCaptured - shippingOf(order.totals));
  return goods > 0 ? refundSplit(Math.min(left, goods), reference, others, id) : refundSplit(left, reference, credits, id);
}

/** Reverses the credit of a cancelled exchange order. @returns minor units that the return's credits use afterwards */
async function releaseCreditIfCancelled({ id }: ReturnBooking, scope: Scope): Promise<number> {
  const exchange = await scope.work.findUnique(orders, 'exchangeFor', id);
  if (!exchange) return 0;
  const payments = await paymentsOf(exchange.id, scope, DECIDE_TIMEOUT_MS);
  if (exchange.state !== 'cancelled' || progressionOf(scope.context).refund === 'manual') return creditHeld(payments);
  const after: Payment[] = [];
  for (const payment of payments.filter(isLiveCredit)) {
    after.push(
      await scope.call(reversePayment, { params: { id: payment.id }, body: {} }, { step: `credit ${payment.id} v${payment.version}` }),
    );
  }
  return creditHeld(after);
}

const refundsFor = (returnId: string, { refunds }: Payment) => refunds.filter((refund) => refund.returnId === returnId);

const paidFor = (returnId: string, payments: readonly Payment[]): number =>
  committedOf(payments.flatMap((payment) => refundsFor(returnId, payment)));

const reportedFor = (returnId: string, payments: readonly Payment[]): Payout['refunds'] =>
  payments.flatMap((payment) =>
    refundsFor(returnId, payment).map(({ amount, state, rounding, at }) => ({ paymentId: payment.id, amount, state, rounding, at })),
  );

/** All refunds for a return so far, by the OMS or a client, failed ones included. @throws Problem `dependency_*` */
export const refundsOfReturn = async ({ id, orderId }: ReturnBooking, scope: Scope): Promise<Payout['refunds']> =>
  reportedFor(id, await paymentsOf(orderId, scope, DECIDE_TIMEOUT_MS));

function payoutOf({ id }: ReturnBooking, { payments, value, exchanged }: PaymentsToRefund): Payout {
  const refunds = reportedFor(id, payments);
  const mayGetMore = payments.some(isUnderDecision);
  return { settled: succeededOf(refunds) >= value || (!mayGetMore && refundableOf({ payments, exchanged }) === 0), refunds };
}

/** Answers of the Payment Hub after a concurrent refund. */
const REFUSED: ReadonlySet<string> = new Set(['refund_exceeds_captured', 'invalid_state_transition']);

function undefinedIfRefused(error: unknown): undefined {
  const isRefused = error instanceof Problem && !error.retryable && REFUSED.has(error.code);
  if (!isRefused) throw error;
  return undefined;
}

/** Refunds the value of a return, less the part that its exchange credit uses, to the payments of the returned order. */
export const payOutReturn = handleDue(payOutReturnDue)(async ({ key }, scope) => {
  const booking = await scope.work.get(returnBookings, key);
  if (booking?.status !== 'exchanged' && booking?.status !== 'refunded') return;
  const order = await scope.work.get(orders, booking.orderId);
  if (order) await payOut({ order, booking }, scope);
});
