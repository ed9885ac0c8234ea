import { invalid, Problem } from '../../shared/catalog/problems.ts';
import { type Money, money } from '../../shared/domain/money.ts';
import type { StoredPayment } from './collections.ts';

/** What may still be paid back. */
export const refundableOf = ({ capturedAmount, refundedAmount }: Pick<StoredPayment, 'capturedAmount' | 'refundedAmount'>): Money =>
  money(capturedAmount.amount - refundedAmount.amount, capturedAmount.currency);

/** @throws Problem when all refunds together would be more than what was captured, or the currency is another */
export function refuseExcessiveRefund(payment: StoredPayment, asked: Money): void {
  const refundableAmount = refundableOf(payment);
  if (asked.currency !== refundableAmount.currency) {
    throw invalid('/amount/currency', 'currency_mismatch', `This payment is in ${refundableAmount.currency}.`);
  }
  if (asked.amount <= refundableAmount.amount) return;
  throw new Problem('refund_exceeds_captured', `${refundableAmount.amount} can still be refunded of this payment, not ${asked.amount}.`, {
    objectType: 'payment',
    id: payment.id,
    refundableAmount,
  });
}

/** The members that a refund changes, and the state that it leads to. */
export function refunded(payment: StoredPayment, refund: StoredPayment['refunds'][number]) {
  const refundedAmount = money(payment.refundedAmount.amount + refund.amount.amount, refund.amount.currency);
  const isAll = refundedAmount.amount === payment.capturedAmount.amount;
  return {
    patch: { refundedAmount, refunds: [...payment.refunds, refund] },
    to: isAll ? ('fully-refunded' as const) : ('partially-refunded' as const),
  };
}
