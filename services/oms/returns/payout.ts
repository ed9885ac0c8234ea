import { refundPayment } from '../../../shared/catalog/payment/apis.ts';
import { reversePayment } from '../../../shared/catalog/payment/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { progressionOf } from '../../../shared/catalog/simulation/progression.ts';
import { type Money, money } from '../../../shared/domain/money.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import { orders, type StoredOrder } from '../collections.ts';
import { type Payment, paymentsOf } from '../payment/payments.ts';
import { refundSplit } from '../payment/refund-split.ts';
import { DECIDE_TIMEOUT_MS } from '../timing.ts';
import { type ReturnBooking, returnValueOf } from './bookings.ts';
import { creditHeld, isCredit, isLiveCredit } from './exchange-credit.ts';
import { payableOf } from './payable.ts';

/** How far a return is paid back. */
export interface Payout {
  readonly refunds: { paymentId: string; amount: Money; at?: string }[];
  /** Nothing is left to be paid back: all of it was, or pays for an exchange, or there is nothing left to pay it from. */
  readonly settled: boolean;
}

interface Owed {
  readonly order: StoredOrder;
  readonly booking: ReturnBooking;
}

/** A refund that was refused because somebody else was faster is decided anew. */
const ATTEMPTS = 3;

/**
 * Pays back what a return is worth, less what its exchange credit holds and what was paid back before, by whomever: to the payments of
 * its order, in the order of their tenders. Everything is read off the payments, so that repeating this pays nothing twice: what each
 * refund is called follows from what was paid before it. In a rehearsal that refunds by hand it only looks.
 * @throws Problem `dependency_*`; what was paid back before stays paid back
 */
export async function payOut({ order, booking }: Owed, scope: Scope): Promise<Payout> {
  for (let attempt = 1; ; attempt++) {
    const held = await settleCredit(booking, scope);
    const payments = await paymentsOf(order.id, scope, DECIDE_TIMEOUT_MS);
    const value = returnValueOf(booking) - held;
    if (progressionOf(scope.context).refund === 'manual') return payoutOf(booking, { payments, value });
    const after = await refundRemaining({ order, booking }, { payments, value }, scope).catch(undefinedIfRefused);
    if (after) return payoutOf(booking, { payments: after, value });
    if (attempt === ATTEMPTS) {
      throw new Problem('dependency_error', `The Payment Hub refuses to pay back the return "${booking.id}".`, {
        dependency: 'payment-hub',
      });
    }
  }
}

interface Paying {
  readonly payments: readonly Payment[];
  /** Minor units that all refunds for the return come to. */
  readonly value: number;
}

async function refundRemaining({ order, booking }: Owed, { payments, value }: Paying, { work, call }: Scope): Promise<readonly Payment[]> {
  const { currency } = order.totals.total;
  const payable = await payableOf(work, order);
  let now = payments;
  for (;;) {
    const paid = paidFor(booking.id, now);
    const reference = `return/${booking.id}/${paid}`;
    const [part] = goodsSplit({ order, left: value - paid, reference }, now);
    if (!part) return now;
    const body = { amount: money(part.amount, currency), reason: 'Returned', returnId: booking.id, reference, payable };
    // What was refused is another call once the payments have moved.
    const step = `${reference} ${part.id} ${part.amount} v${now.reduce((sum, { version }) => sum + version, 0)}`;
    const after = await call(refundPayment, { params: { id: part.id }, body }, { step, timeoutMs: DECIDE_TIMEOUT_MS });
    now = now.map((payment) => (payment.id === after.id ? after : payment));
  }
}

/**
 * A return pays back goods. Beside an exchange credit other tenders paid the shipping too: as much of them stays as long as the credit
 * has something left, or points that the goods earned with the first order would be kept.
 */
function goodsSplit({ order, left, reference }: { order: StoredOrder; left: number; reference: string }, payments: readonly Payment[]) {
  const credits = payments.filter(isLiveCredit);
  if (credits.length === 0) return refundSplit(left, reference, payments);
  const others = payments.filter((payment) => !isCredit(payment));
  const kept = others.reduce((sum, { capturedAmount, refundedAmount }) => sum + capturedAmount.amount - refundedAmount.amount, 0);
  const goods = Math.max(0, kept - order.totals.shipping.amount);
  return goods > 0 ? refundSplit(Math.min(left, goods), reference, others) : refundSplit(left, reference, credits);
}

/** What pays for the order that the return was exchanged for. Of one that was cancelled it is let go first. */
async function settleCredit({ id }: ReturnBooking, scope: Scope): Promise<number> {
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
  payments.flatMap((payment) => refundsFor(returnId, payment)).reduce((sum, { amount }) => sum + amount.amount, 0);

/** Minor units that were refunded for a return so far, by whomever. @throws Problem `dependency_*` */
export const paidBackFor = async ({ id, orderId }: ReturnBooking, scope: Scope): Promise<number> =>
  paidFor(id, await paymentsOf(orderId, scope, DECIDE_TIMEOUT_MS));

function payoutOf({ id }: ReturnBooking, { payments, value }: Paying): Payout {
  const refundable = payments.reduce((sum, { capturedAmount, refundedAmount }) => sum + capturedAmount.amount - refundedAmount.amount, 0);
  return {
    settled: paidFor(id, payments) >= value || refundable === 0,
    refunds: payments.flatMap((payment) =>
      refundsFor(id, payment).map(({ amount, at }) => ({ paymentId: payment.id, amount, ...(at !== undefined && { at }) })),
    ),
  };
}

/** Somebody else paid something back in between. */
function undefinedIfRefused(error: unknown): undefined {
  const isRefused = error instanceof Problem && !error.retryable && REFUSED.has(error.code);
  if (!isRefused) throw error;
  return undefined;
}
const REFUSED: ReadonlySet<string> = new Set(['refund_exceeds_captured', 'invalid_state_transition']);
