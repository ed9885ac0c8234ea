import { invalid, Problem } from '../../../shared/catalog/problems.ts';
import { type Money, money } from '../../../shared/domain/money.ts';
import type { StoredPayment } from '../collections.ts';

/** What may still be paid back. */
export const refundableOf = ({ capturedAmount, refundedAmount }: Pick<StoredPayment, 'capturedAmount' | 'refundedAmount'>): Money =>
  money(capturedAmount.amount - refundedAmount.amount, capturedAmount.currency);

/** What a return has left to be paid back, in minor units. */
export interface LeftOfReturn {
  readonly returnId: string;
  readonly left: number;
}

/**
 * @param ofReturn given: the refund is for a return, and all refunds of that are together at most what it is worth
 * @throws Problem when all refunds together would be more than what was captured, or the currency is another
 */
export function refuseExcessiveRefund(payment: StoredPayment, asked: Money, ofReturn?: LeftOfReturn): void {
  const refundableAmount = refundableOf(payment);
  if (asked.currency !== refundableAmount.currency) {
    throw invalid('/amount/currency', 'currency_mismatch', `This payment is in ${refundableAmount.currency}.`);
  }
  if (ofReturn && ofReturn.left < Math.min(asked.amount, refundableAmount.amount)) throw beyondReturn(ofReturn, asked);
  if (asked.amount <= refundableAmount.amount) return;
  throw new Problem('refund_exceeds_captured', `${refundableAmount.amount} can still be refunded of this payment, not ${asked.amount}.`, {
    objectType: 'payment',
    id: payment.id,
    refundableAmount,
  });
}

/** 409 for more than what a return has left, be it refunded or used to pay for an exchange. */
export function beyondReturn({ returnId, left }: LeftOfReturn, asked: Money): Problem {
  return new Problem('refund_exceeds_captured', `${left} are left to be paid back for the return "${returnId}", not ${asked.amount}.`, {
    objectType: 'return',
    id: returnId,
    refundableAmount: money(left, asked.currency),
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
