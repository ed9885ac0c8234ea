import { money } from '../../../shared/domain/money.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { payments, type StoredPayment } from '../collections.ts';
import { approvePaymentDue, giveUpPaymentDue } from '../due-work.ts';
import { commitToOrder, countPayment } from '../funds/order-cover.ts';
import { takeValue } from '../funds/tender-value.ts';
import { approvalOf, watchAuthorization } from './authorization.ts';
import { reasonOf, type Verdict } from './provider-rules.ts';

const MAX_PENDING_MS = 15 * 60_000;

/** A payment to be created. Its amount is outstanding on the order; `returnId` names the return that an exchange credit pays with. */
export type PaymentRequest = Pick<
  StoredPayment,
  'id' | 'orderId' | 'tender' | 'amount' | 'returnId' | 'returnedOrderId' | 'takenAt' | 'purchase'
>;

/** Creates a payment in the state that the verdict gives it. A declined payment is kept with its decline code. */
export function openPayment(work: UnitOfWork, request: PaymentRequest, verdict: Verdict): StoredPayment {
  switch (verdict.is) {
    case 'declined':
      countPayment(work, request);
      return work.create(payments, 'decline', { ...withoutMoney(request), ...reasonOf(verdict) });
    case 'approved':
      countPayment(work, request);
      commitToOrder(work, request);
      takeValue(work, request);
      watchAuthorization(work, request);
      return work.create(payments, 'authorise', { ...withoutMoney(request), ...approvalOf(work, request) });
    case 'approved-later':
      work.schedule(approvePaymentDue, request.id, work.now + verdict.afterMs, {});
      return openPending(work, request, 'provider-approval');
    case 'unanswered':
      return openPending(work, request, 'provider-answer');
  }
}

/** Creates a payment whose outcome is unknown. Its amount counts as committed to the order. */
export function openPending(work: UnitOfWork, request: PaymentRequest, awaiting: NonNullable<StoredPayment['awaiting']>): StoredPayment {
  countPayment(work, request);
  commitToOrder(work, request);
  work.schedule(giveUpPaymentDue, request.id, work.now + MAX_PENDING_MS, {});
  return work.create(payments, 'await-approval', { ...withoutMoney(request), awaiting });
}

function withoutMoney(request: PaymentRequest) {
  const nothing = money(0, request.amount.currency);
  return { ...request, authorizedAmount: nothing, capturedAmount: nothing, refundedAmount: nothing, refunds: [] };
}
