import { LIMITS, limitReached } from '../../../shared/catalog/limits.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { type Money, money, moneyInWords } from '../../../shared/domain/money.ts';
import { instant } from '../../../shared/domain/time.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { payments, returnCovers, type StoredPayment } from '../collections.ts';
import { type LeftOfOrder, uncommitFromOrder } from '../funds/order-cover.ts';
import type { LeftOfReturn } from '../funds/return-cover.ts';
import { giveBack } from '../funds/tender-value.ts';

interface NewRefund {
  readonly amount: Money;
  readonly reason?: string;
  /** The return that the refund pays back. */
  readonly returnId?: string;
  readonly reference?: string;
}

/** Refunds a part of the captured amount to its tender. */
export function refund(work: UnitOfWork, payment: StoredPayment, { amount, reason, returnId, reference }: NewRefund): StoredPayment {
  const { patch, to } = addRefund(payment, {
    amount: money(amount.amount, amount.currency),
    reason,
    returnId,
    reference,
    at: instant(work.now),
  });
  const changed = work.transition(payments, payment, 'refund', patch, to);
  if (returnId !== undefined) work.move(returnCovers, returnId, { used: amount.amount });
  uncommitFromOrder(work, payment, amount);
  giveBack(work, payment, { amount, reference: `${payment.id}.refund-${changed.refunds.length}` });
  return changed;
}

/** The captured amount that was not refunded yet. */
export const refundableOf = ({ capturedAmount, refundedAmount }: Pick<StoredPayment, 'capturedAmount' | 'refundedAmount'>): Money =>
  money(capturedAmount.amount - refundedAmount.amount, capturedAmount.currency);

/** @param ofReturn limits the refund to what is left of its return @throws Problem `refund_exceeds_captured` of payment or return */
export function refuseExcessiveRefund(payment: StoredPayment, requested: Money, ofReturn?: LeftOfReturn): void {
  const refundableAmount = refundableOf(payment);
  if (ofReturn && ofReturn.left < Math.min(requested.amount, refundableAmount.amount)) throw returnExceeded(ofReturn, requested);
  if (requested.amount <= refundableAmount.amount) return;
  throw new Problem(
    'refund_exceeds_captured',
    `${moneyInWords(refundableAmount)} can still be refunded of this payment, not ${moneyInWords(requested)}.`,
    { objectType: 'payment', id: payment.id, refundableAmount },
  );
}

/**
 * An amount that pays for an exchange order can be refunded only after the exchange order has released it.
 * @throws Problem `refund_exceeds_captured` of the order
 */
export function refuseExchangedAmount({ orderId }: StoredPayment, requested: Money, { left, exchanged }: LeftOfOrder): void {
  if (exchanged === 0 || requested.amount <= left) return;
  const refundableAmount = money(left, requested.currency);
  const exchangedAmount = money(exchanged, requested.currency);
  throw new Problem(
    'refund_exceeds_captured',
    `${moneyInWords(exchangedAmount)} of the payments of the order "${orderId}" pay for an exchange of its returned goods; ${moneyInWords(refundableAmount)} can still be refunded, not ${moneyInWords(requested)}.`,
    { objectType: 'order', id: orderId, refundableAmount, exchangedAmount },
  );
}

/**
 * Limits the number of refunds by request. Refunds of the estate, which have references, and the last refund of a payment or return are
 * exempt.
 * @throws Problem `limit_reached`
 */
export function refuseFurtherRefund(
  payment: StoredPayment,
  { amount, reference }: { readonly amount: Money; readonly reference?: string },
  ofReturn?: LeftOfReturn,
): void {
  if (reference !== undefined) return;
  if (payment.refunds.filter((refund) => refund.reference === undefined).length < LIMITS.refunds) return;
  const rest = refundableOf(payment);
  if (amount.amount === rest.amount || amount.amount === ofReturn?.left) return;
  throw limitReached('refunds', `The payment "${payment.id}" has ${LIMITS.refunds} refunds by request, which is the limit.`, {
    objectType: 'payment',
    id: payment.id,
    remedy: `Refund the rest, ${moneyInWords(rest)}, or all that is left of a return, in one request.`,
  });
}

/** 409 for a refund or an exchange credit that exceeds what is left of its return. */
export function returnExceeded({ returnId, left }: LeftOfReturn, requested: Money): Problem {
  const refundableAmount = money(left, requested.currency);
  const sentence = `At most ${moneyInWords(refundableAmount)} can still be refunded for the return "${returnId}", not ${moneyInWords(requested)}.`;
  return new Problem('refund_exceeds_captured', sentence, { objectType: 'return', id: returnId, refundableAmount });
}

/** The members that a refund changes, and the state that it leads to. */
export function addRefund(payment: StoredPayment, refund: StoredPayment['refunds'][number]) {
  const refundedAmount = money(payment.refundedAmount.amount + refund.amount.amount, refund.amount.currency);
  const isAll = refundedAmount.amount === payment.capturedAmount.amount;
  return {
    patch: { refundedAmount, refunds: [...payment.refunds, refund] },
    to: isAll ? ('fully-refunded' as const) : ('partially-refunded' as const),
  };
}
