import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { unwatchAuthorization } from '../authorization/authorization.ts';
import { payments, type StoredPayment } from '../collections.ts';
import { uncommitFromOrder } from '../funds/order-cover.ts';
import { giveBack } from '../funds/tender-value.ts';
import type { CaptureSplit } from './capture-rules.ts';

/**
 * Captures an authorisation and gives its remainder back. The remainder of an exchange credit is reported to the OMS, which refunds
 * it to the payments of the return.
 */
export function capture(work: UnitOfWork, payment: StoredPayment, { captured, remainder }: CaptureSplit): StoredPayment {
  const changed = work.transition(payments, payment, 'capture', { capturedAmount: captured });
  unwatchAuthorization(work, payment.id);
  uncommitFromOrder(work, payment, remainder);
  giveBack(work, payment, { amount: remainder, reference: `${payment.id}.remainder` });
  const isPartOfCredit = payment.tender.type === 'exchange-credit' && remainder.amount > 0;
  return isPartOfCredit ? work.transition(payments, changed, 'release-rest') : changed;
}
