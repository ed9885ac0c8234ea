import { money } from '../../../shared/domain/money.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { giftCardBalances, orderCovers, payments, returnCovers, type StoredPayment } from '../collections.ts';
import { approvePayment, giveUpPayment } from '../due-work.ts';
import { approval, PENDING_MS, watchAuthorisation } from './authorization.ts';
import type { Verdict } from './provider-rules.ts';

/** What is asked for; the amount is one that the order has outstanding. `returnId`: whose value an exchange credit pays with. */
export type PaymentRequest = Pick<StoredPayment, 'id' | 'orderId' | 'tender' | 'amount' | 'returnId' | 'takenAt' | 'purchase'>;

/** Creates a payment in the state that the verdict gives it. A declined one is kept too: it says why. */
export function openPayment(work: UnitOfWork, asked: PaymentRequest, verdict: Verdict): StoredPayment {
  switch (verdict.is) {
    case 'declined':
      return work.create(payments, 'decline', { ...untouched(asked), declineCode: verdict.declineCode });
    case 'approved':
      commitToOrder(work, asked);
      if (asked.tender.type === 'gift-card' && asked.tender.token !== undefined) {
        work.move(giftCardBalances, asked.tender.token, { balance: -asked.amount.amount });
      }
      if (asked.tender.type === 'exchange-credit' && asked.returnId !== undefined) {
        work.move(returnCovers, asked.returnId, { used: asked.amount.amount });
      }
      watchAuthorisation(work, asked);
      return work.create(payments, 'authorise', { ...untouched(asked), ...approval(work, asked) });
    case 'approved-later':
      work.schedule(approvePayment, asked.id, work.now + verdict.afterMs, {});
      return openPending(work, asked, 'provider-approval');
    case 'unanswered':
      return openPending(work, asked, 'provider-answer');
  }
}

/** Creates a payment whose outcome is open: its amount is taken from what is outstanding, and somebody waits no longer than 15 minutes. */
export function openPending(work: UnitOfWork, asked: PaymentRequest, awaiting: NonNullable<StoredPayment['awaiting']>): StoredPayment {
  commitToOrder(work, asked);
  work.schedule(giveUpPayment, asked.id, work.now + PENDING_MS, {});
  return work.create(payments, 'await-approval', { ...untouched(asked), awaiting });
}

function commitToOrder(work: UnitOfWork, { orderId, amount }: PaymentRequest): void {
  work.move(orderCovers, orderId, { committed: amount.amount });
}

function untouched(asked: PaymentRequest) {
  const nothing = money(0, asked.amount.currency);
  return { ...asked, authorizedAmount: nothing, capturedAmount: nothing, refundedAmount: nothing, refunds: [] };
}
