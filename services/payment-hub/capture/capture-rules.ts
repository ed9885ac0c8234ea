import { Problem } from '../../../shared/catalog/problems.ts';
import { type Money, money, moneyInWords } from '../../../shared/domain/money.ts';
import type { StoredPayment } from '../collections.ts';

export interface CaptureSplit {
  readonly captured: Money;
  /** The authorised amount that is not captured and is given back. */
  readonly remainder: Money;
}

/**
 * Splits an authorisation at its capture. A payment is captured once, so the capture releases the remainder.
 * @param requested undefined captures the whole authorised amount
 * @throws Problem `capture_exceeds_authorized`
 */
export function splitCapture(payment: StoredPayment, requested: Money | undefined): CaptureSplit {
  const { authorizedAmount } = payment;
  const captured = requested ?? authorizedAmount;
  if (captured.amount > authorizedAmount.amount) {
    throw new Problem(
      'capture_exceeds_authorized',
      `${moneyInWords(authorizedAmount)} is authorised; ${moneyInWords(captured)} cannot be captured of it.`,
      { objectType: 'payment', id: payment.id, authorizedAmount },
    );
  }
  return { captured, remainder: money(authorizedAmount.amount - captured.amount, captured.currency) };
}
