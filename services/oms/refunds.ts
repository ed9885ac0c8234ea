import { refundPayment } from '../../shared/catalog/payment/apis.ts';
import { REFUND_ORDER } from '../../shared/catalog/payment/objects.ts';
import { money } from '../../shared/domain/money.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { OwedRefund, StoredOrder } from './collections.ts';
import { DECIDE_TIMEOUT_MS } from './due-work.ts';
import { goodsOf, requiredFor } from './lines.ts';
import type { Payment } from './payments.ts';

/** Refunds what is owed for cancelled units and was captured. Existing refunds count, so a repeat is harmless. @returns the payments */
export async function refundOwed(
  { order, owed, payments }: { order: StoredOrder; owed: readonly OwedRefund[]; payments: readonly Payment[] },
  { call }: Scope,
): Promise<readonly Payment[]> {
  const after = new Map(payments.map((payment) => [payment.id, payment]));
  for (const { reference, amount } of owed) {
    const now = [...after.values()];
    const due = Math.min(stillOwed({ reference, amount }, now), excessOf(now, requiredFor(order)));
    for (const part of refundSplit(due, reference, now)) {
      const body = { amount: money(part.amount, order.totals.total.currency), reason: 'Not delivered', reference };
      // After a refusal the amount may differ. A different amount makes it another call.
      const step = `${reference} ${part.id} ${part.amount}`;
      after.set(part.id, await call(refundPayment, { params: { id: part.id }, body }, { step, timeoutMs: DECIDE_TIMEOUT_MS }));
    }
  }
  return [...after.values()];
}

/** Tenders that earn no points: points are not money, and the goods of an exchange credit earned points with their first order. */
const EARNS_NOTHING: ReadonlySet<Payment['tender']['type']> = new Set(['loyalty', 'exchange-credit']);

/**
 * The facts that determine the points of a completed order. All are read from the same payments, so a refund either counts here or takes
 * points back later.
 */
export function earningOf(order: StoredOrder, payments: readonly Payment[]): Pick<StoredOrder, 'earningAmount' | 'earningRefunds'> {
  const earningRefunds = payments.flatMap(({ id, refunds }) => refunds.map((_refund, index) => `${id}.refund-${index + 1}`));
  return {
    earningAmount: money(earningAmountOf(order, payments), order.totals.total.currency),
    ...(earningRefunds.length > 0 && { earningRefunds }),
  };
}

/** Minor units that earn: goods less points and exchange credit, at most the net captured of other tenders without shipping. */
function earningAmountOf({ lines, totals }: StoredOrder, payments: readonly Payment[]): number {
  const netCaptured = (earnsNothing: boolean): number =>
    payments
      .filter(({ tender }) => EARNS_NOTHING.has(tender.type) === earnsNothing)
      .reduce((sum, { capturedAmount, refundedAmount }) => sum + capturedAmount.amount - refundedAmount.amount, 0);
  return Math.max(0, Math.min(goodsOf(lines) - netCaptured(true), netCaptured(false) - totals.shipping.amount));
}

/** Prefix of the references of refunds for cancelled units. Refunds by a client have no reference. */
const CANCELLED_PREFIX = 'cancelled/';

/** Reference of the refund for cancelled units. `upTo` counts the cancelled and returned units of the line, including these. */
export const refundReference = (lineId: string, upTo: number): string => `${CANCELLED_PREFIX}${lineId}/${upTo}`;

const sumOf = <T>(items: readonly T[], amountOf: (item: T) => number): number => items.reduce((sum, item) => sum + amountOf(item), 0);

const sumOfRefunds = (payments: readonly Payment[], which: (reference: string | undefined) => boolean): number =>
  sumOf(payments, ({ refunds }) =>
    sumOf(
      refunds.filter(({ reference }) => which(reference)),
      ({ amount }) => amount.amount,
    ),
  );

/** Minor units still to be refunded under a reference. An interrupted attempt may have refunded a part. */
export const stillOwed = ({ reference, amount }: { reference: string; amount: number }, payments: readonly Payment[]): number =>
  Math.max(0, amount - sumOfRefunds(payments, (paid) => paid === reference));

/**
 * Minor units captured beyond the required amount, less the refunds for cancelled units so far. If less was captured than the order
 * costs, the customer has not paid for the cancelled units. Refunds by a client are goodwill and do not reduce the excess.
 */
export const excessOf = (payments: readonly Payment[], required: number): number =>
  Math.max(
    0,
    sumOf(payments, ({ capturedAmount }) => capturedAmount.amount) -
      sumOfRefunds(payments, (paid) => paid?.startsWith(CANCELLED_PREFIX) === true) -
      required,
  );

/** Spreads minor units over payments by tender, each up to captured − refunded. Skips those already refunded under `reference`. */
export function refundSplit(amount: number, reference: string, payments: readonly Payment[]): { id: string; amount: number }[] {
  const free = payments.filter(({ refunds }) => !refunds.some((refund) => refund.reference === reference));
  let left = amount;
  return REFUND_ORDER.flatMap((type) => free.filter(({ tender }) => tender.type === type)).flatMap(
    ({ id, capturedAmount, refundedAmount }) => {
      const part = Math.min(left, capturedAmount.amount - refundedAmount.amount);
      left -= part;
      return part > 0 ? [{ id, amount: part }] : [];
    },
  );
}
