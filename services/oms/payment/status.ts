import type { z } from 'zod';
import type { PaymentStatus as PaymentStatusSchema } from '../../../shared/catalog/order/objects.ts';
import type { Payment } from '../../../shared/catalog/payment/objects.ts';

export type PaymentStatus = z.output<typeof PaymentStatusSchema>;

/** Members of a payment that decide the status. */
export type PaymentAmounts = Pick<z.output<typeof Payment>, 'state' | 'authorizedAmount' | 'capturedAmount' | 'refundedAmount'>;

/** Minor units over all tenders of an order. Pending, failed and voided payments count as 0. */
export interface Coverage {
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
