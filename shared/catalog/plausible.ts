import type { z } from 'zod';
import type { Payment } from './payment/objects.ts';

type PaymentAmounts = z.output<typeof Payment>;

/** A fact about an object that cannot be true, as the rest of a sentence: `captured 900, above the authorised 800`. */
type Implausible = string | undefined;

/**
 * Facts that no real system may claim about a payment, whatever its provider does.
 * @param before the payment as it was seen before
 */
export function implausiblePayment(payment: PaymentAmounts, before: PaymentAmounts | undefined, currency: string): Implausible {
  const { amount, authorizedAmount, capturedAmount, refundedAmount } = payment;
  const amounts = [amount, authorizedAmount, capturedAmount, refundedAmount];
  const foreign = amounts.find((one) => one.currency !== currency);
  if (foreign) return `has an amount in ${foreign.currency}, and the rehearsal is in ${currency}`;
  if (amounts.some((one) => one.amount < 0)) return 'has an amount below 0';
  if (authorizedAmount.amount > amount.amount) return `authorised ${authorizedAmount.amount}, above the requested ${amount.amount}`;
  if (capturedAmount.amount > authorizedAmount.amount) {
    return `captured ${capturedAmount.amount}, above the authorised ${authorizedAmount.amount}`;
  }
  if (refundedAmount.amount > capturedAmount.amount) {
    return `refunded ${refundedAmount.amount}, above the captured ${capturedAmount.amount}`;
  }
  if (before && capturedAmount.amount < before.capturedAmount.amount) {
    return `captured ${capturedAmount.amount}, and ${before.capturedAmount.amount} before`;
  }
  return undefined;
}
