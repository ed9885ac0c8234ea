import type { z } from 'zod';
import type { PaymentStatus as PaymentStatusSchema } from '../../../shared/catalog/order/objects.ts';
import type { Payment } from '../../../shared/catalog/payment/objects.ts';

export type PaymentStatus = z.output<typeof PaymentStatusSchema>;

/** What the rule looks at. */
export type PaymentAmounts = Pick<z.output<typeof Payment>, 'state' | 'authorizedAmount' | 'capturedAmount' | 'refundedAmount'>;

/** Minor units over all tenders of an order. Pending, failed and voided payments bind nothing. */
export interface Coverage {
  /** Authorised and not captured. */
  readonly authorised: number;
  /** Captured and not paid back. */
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

/** What authorised and captured payments leave uncovered, in minor units: Confirm Order wants it to be 0. */
export function outstandingOf(total: number, payments: readonly PaymentAmounts[]): number {
  const { authorised, netCaptured } = coverageOf(payments);
  return Math.max(0, total - authorised - netCaptured);
}

/**
 * One word for all tenders of an order together; the first line that applies:
 *
 *   refunded             money was paid back, and nothing is kept or authorised any more
 *   paid                 what is captured and not paid back covers the total; or, nothing having been paid back, what is still due
 *   authorised           authorised and captured together cover the total: Confirm Order would accept it
 *   partially-refunded   money was paid back, and what is left does not cover the total
 *   unpaid               anything else: nothing, too little, or only payments that are pending, failed or voided
 *
 * A split tender counts as a whole, so an order with one captured and one authorised tender is `authorised`, and one that lacks a
 * cent is `unpaid`. An order that costs nothing is `paid`.
 *
 * @param stillDue the total without lines that were cancelled: who was never charged for them owes no more
 */
export function paymentStatusOf(total: number, payments: readonly PaymentAmounts[], stillDue: number = total): PaymentStatus {
  const { authorised, netCaptured, refunded } = coverageOf(payments);
  if (refunded > 0 && netCaptured + authorised === 0) return 'refunded';
  if (netCaptured >= total || (netCaptured > 0 && refunded === 0 && netCaptured >= stillDue)) return 'paid';
  if (netCaptured + authorised >= total) return 'authorised';
  return refunded > 0 ? 'partially-refunded' : 'unpaid';
}
