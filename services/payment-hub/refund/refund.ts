import { type Money, money } from '../../../shared/domain/money.ts';
import { instant } from '../../../shared/domain/time.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { payments, returnCovers, type StoredPayment } from '../collections.ts';
import { giveBack, uncommit } from './giving-back.ts';
import { refunded } from './refund-rules.ts';

interface PaidBack {
  readonly amount: Money;
  readonly reason?: string | undefined;
  /** The return that it is paid for. */
  readonly returnId?: string | undefined;
  readonly reference?: string | undefined;
}

/** Pays back a part of what was captured, to where it came from. */
export function refund(work: UnitOfWork, payment: StoredPayment, { amount, reason, returnId, reference }: PaidBack): StoredPayment {
  const { patch, to } = refunded(payment, {
    amount: money(amount.amount, amount.currency),
    ...(reason !== undefined && { reason }),
    ...(returnId !== undefined && { returnId }),
    ...(reference !== undefined && { reference }),
    at: instant(work.now),
  });
  const changed = work.transition(payments, payment, 'refund', patch, to);
  if (returnId !== undefined) work.move(returnCovers, returnId, { used: amount.amount });
  uncommit(work, payment, amount);
  giveBack(work, payment, { amount, reference: `${payment.id}.refund-${changed.refunds.length}` });
  return changed;
}
