import { instant } from '../../../shared/domain/time.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { payments, type StoredPayment } from '../collections.ts';
import { approvePaymentDue, checkOrphanDue, expireAuthorizationDue, giveUpPaymentDue } from '../due-work.ts';
import { uncommitFromOrder } from '../funds/order-cover.ts';
import { giveBack } from '../funds/tender-value.ts';
import { authorizationCodeOf } from './provider-rules.ts';

const MINUTE_MS = 60_000;
const AUTHORIZATION_EXPIRY_MS = 7 * 24 * 60 * MINUTE_MS;
const ORPHAN_CHECK_DELAY_MS = 15 * MINUTE_MS;

/**
 * Only the provider of cards and bnpl (buy now, pay later) sets an expiry. The retailer itself issues or holds cash, gift cards, points and
 * exchange credit.
 */
const hasExpiry = ({ tender }: Pick<StoredPayment, 'tender'>): boolean => tender.type === 'card' || tender.type === 'bnpl';

/** The members that an approval adds to a payment. */
export const approvalOf = (work: UnitOfWork, payment: Pick<StoredPayment, 'id' | 'amount' | 'tender'>) => ({
  authorizedAmount: payment.amount,
  authorizationCode: authorizationCodeOf(payment.id),
  ...(hasExpiry(payment) && { authorizationExpiresAt: instant(work.now + AUTHORIZATION_EXPIRY_MS) }),
});

/** Schedules the timers of an authorisation. */
export function watchAuthorization(work: UnitOfWork, payment: Pick<StoredPayment, 'id' | 'tender'>): void {
  work.schedule(checkOrphanDue, payment.id, work.now + ORPHAN_CHECK_DELAY_MS, {});
  if (hasExpiry(payment)) work.schedule(expireAuthorizationDue, payment.id, work.now + AUTHORIZATION_EXPIRY_MS, {});
}

export function unwatchAuthorization(work: UnitOfWork, id: string): void {
  work.cancel(checkOrphanDue, id);
  work.cancel(expireAuthorizationDue, id);
}

/** Authorises a pending payment, and voids it in the same commit when it was reversed while pending. */
export function approve(work: UnitOfWork, payment: StoredPayment): StoredPayment {
  work.cancel(giveUpPaymentDue, payment.id);
  work.cancel(approvePaymentDue, payment.id);
  const approved = work.transition(payments, payment, 'approve', { ...approvalOf(work, payment), awaiting: undefined });
  watchAuthorization(work, payment);
  return approved.voidOnApproval ? voidAuthorization(work, approved, 'void') : approved;
}

/** Fails a pending payment, so that another payment can pay its order. */
export function fail(
  work: UnitOfWork,
  payment: StoredPayment,
  { verb, ...reason }: { verb: 'decline' | 'give-up' } & Pick<StoredPayment, 'declineCode' | 'available'>,
): StoredPayment {
  work.cancel(giveUpPaymentDue, payment.id);
  work.cancel(approvePaymentDue, payment.id);
  uncommitFromOrder(work, payment, payment.amount);
  return work.transition(payments, payment, verb, { ...reason, awaiting: undefined });
}

/** Voids an authorisation, so that another payment can pay its order, and returns the amount to the tender. */
export function voidAuthorization(work: UnitOfWork, payment: StoredPayment, verb: 'void' | 'expire'): StoredPayment {
  const voided = work.transition(payments, payment, verb);
  unwatchAuthorization(work, payment.id);
  uncommitFromOrder(work, payment, payment.authorizedAmount);
  giveBack(work, payment, { amount: payment.authorizedAmount, reference: payment.id });
  return voided;
}
