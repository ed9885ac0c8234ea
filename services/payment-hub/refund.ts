import type { Money } from '../../shared/domain/money.ts';
import type { UnitOfWork } from '../../shared/store/unit-of-work.ts';
import { payments, type StoredPayment } from './collections.ts';
import { giveBack } from './giving-back.ts';
import { refunded } from './refund-rules.ts';

/** Pays back a part of what was captured, to where it came from. */
export function refund(work: UnitOfWork, payment: StoredPayment, paidBack: { amount: Money; reason?: string | undefined }): StoredPayment {
  const { patch, to } = refunded(
    payment,
    paidBack.reason === undefined ? { amount: paidBack.amount } : { amount: paidBack.amount, reason: paidBack.reason },
  );
  const changed = work.transition(payments, payment, 'refund', patch, to);
  giveBack(work, payment, { amount: paidBack.amount, reference: `${payment.id}.refund-${changed.refunds.length}` });
  return changed;
}
