import { type Money, money } from '../../../shared/domain/money.ts';
import { instant } from '../../../shared/domain/time.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { payments, returnCovers, type StoredPayment } from '../collections.ts';
import { uncommitFromOrder } from '../funds/order-cover.ts';
import { giveBack } from '../funds/tender-value.ts';
import { addRefund } from './refund-rules.ts';

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
