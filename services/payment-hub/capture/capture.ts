import { Problem } from '../../../shared/catalog/problems.ts';
import { type Money, money, moneyInWords } from '../../../shared/domain/money.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { unwatchAuthorization } from '../authorization/authorization.ts';
import { payments, type StoredPayment } from '../collections.ts';
import { uncommitFromOrder } from '../funds/order-cover.ts';
import { giveBack } from '../funds/tender-value.ts';

/** Captures an authorisation and gives the remainder back; the OMS refunds the remainder of an exchange credit. */
export function capture(work: UnitOfWork, payment: StoredPayment, { captured, remainder }: CaptureSplit): StoredPayment {
  const changed = work.transition(payments, payment, 'capture', { capturedAmount: captured });
  unwatchAuthorization(work, payment.id);
  uncommitFromOrder(work, payment, remainder);
  giveBack(work, payment, { amount: remainder, reference: `${payment.id}.remainder` });
  const isPartOfCredit = payment.tender.type === 'exchange-credit' && remainder.amount > 0;
  return isPartOfCredit ? work.transition(payments, changed, 'release-rest') : changed;
}

interface CaptureSplit {
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
