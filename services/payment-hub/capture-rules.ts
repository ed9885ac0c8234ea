import { invalid, Problem } from '../../shared/catalog/problems.ts';
import { type Money, money } from '../../shared/domain/money.ts';
import type { StoredPayment } from './collections.ts';

/** What of an authorisation is taken, and what is let go. */
export interface CaptureSplit {
  readonly captured: Money;
  readonly remainder: Money;
}

/**
 * How an authorisation splits when it is captured, which happens once: there is no partly captured state, so what is not captured
 * now is let go.
 * @throws Problem when more than the authorised amount, or another currency, is asked for
 */
export function captureSplit(payment: StoredPayment, asked: Money | undefined): CaptureSplit {
  const { authorizedAmount } = payment;
  const captured = asked ?? authorizedAmount;
  if (captured.currency !== authorizedAmount.currency) {
    throw invalid('/amount/currency', 'currency_mismatch', `This payment is in ${authorizedAmount.currency}.`);
  }
  if (captured.amount > authorizedAmount.amount) {
    throw new Problem(
      'capture_exceeds_authorized',
      `${authorizedAmount.amount} is authorised; ${captured.amount} cannot be captured of it.`,
      {
        objectType: 'payment',
        id: payment.id,
        authorizedAmount,
      },
    );
  }
  return { captured, remainder: money(authorizedAmount.amount - captured.amount, captured.currency) };
}
