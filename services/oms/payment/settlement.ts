import { refundPayment } from '../../../shared/catalog/payment/apis.ts';
import { money } from '../../../shared/domain/money.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { OwedRefund, StoredOrder } from '../collections.ts';
import { goodsOf, requiredFor } from '../order/line-value.ts';
import { DECIDE_TIMEOUT_MS } from '../timing.ts';
import type { Payment } from './payments.ts';
import { excessOf, refundSplit, stillOwed } from './refund-split.ts';

/**
 * Pays back what is owed for cancelled units, as far as it was captured. What was paid back before, under the same references, is
 * seen on the payments and not paid twice.
 * @returns the payments afterwards
 */
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
      // An attempt that was refused may be followed by one of another amount: that is another call.
      const step = `${reference} ${part.id} ${part.amount}`;
      after.set(part.id, await call(refundPayment, { params: { id: part.id }, body }, { step, timeoutMs: DECIDE_TIMEOUT_MS }));
    }
  }
  return [...after.values()];
}

/** Points are no money, and what pays for an exchange has earned with the order that it came from. */
const EARNS_NOTHING: ReadonlySet<Payment['tender']['type']> = new Set(['loyalty', 'exchange-credit']);

/** What a completed order says of its points, all of it read off the same payments: a refund is in it, or takes points back later. */
export function earningOf(order: StoredOrder, payments: readonly Payment[]): Pick<StoredOrder, 'earningAmount' | 'earningRefunds'> {
  const earningRefunds = payments.flatMap(({ id, refunds }) => refunds.map((_refund, index) => `${id}.refund-${index + 1}`));
  return {
    earningAmount: money(earningAmountOf(order, payments), order.totals.total.currency),
    ...(earningRefunds.length > 0 && { earningRefunds }),
  };
}

/**
 * Minor units that earn points: goods that arrived, less what was paid by points or with what came back, and never more than what is
 * kept of the other tenders without the shipping.
 */
function earningAmountOf({ lines, totals }: StoredOrder, payments: readonly Payment[]): number {
  const kept = (earnsNothing: boolean): number =>
    payments
      .filter(({ tender }) => EARNS_NOTHING.has(tender.type) === earnsNothing)
      .reduce((sum, { capturedAmount, refundedAmount }) => sum + capturedAmount.amount - refundedAmount.amount, 0);
  return Math.max(0, Math.min(goodsOf(lines) - kept(true), kept(false) - totals.shipping.amount));
}
