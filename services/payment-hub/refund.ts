import { type Money, money } from '../../shared/domain/money.ts';
import { instant } from '../../shared/simulation/context.ts';
import type { UnitOfWork } from '../../shared/store/unit-of-work.ts';
import { payments, type StoredPayment } from './collections.ts';
import { giveBack } from './giving-back.ts';
import { refunded } from './refund-rules.ts';

interface PaidBack {
  readonly amount: Money;
  readonly reason?: string | undefined;
  readonly reference?: string | undefined;
}

/** Pays back a part of what was captured, to where it came from. */
export function refund(work: UnitOfWork, payment: StoredPayment, { amount, reason, reference }: PaidBack): StoredPayment {
  const { patch, to } = refunded(payment, {
    amount: money(amount.amount, amount.currency),
    ...(reason !== undefined && { reason }),
    ...(reference !== undefined && { reference }),
    at: instant(work.now),
  });
  const changed = work.transition(payments, payment, 'refund', patch, to);
  giveBack(work, payment, { amount, reference: `${payment.id}.refund-${changed.refunds.length}` });
  return changed;
}
