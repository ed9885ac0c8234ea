import { instant } from '../../../shared/domain/time.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import type { CaptureSplit } from '../capture-rules.ts';
import { payments, type StoredPayment } from '../collections.ts';
import { approvePayment, checkOrphan, expireAuthorization, giveUpPayment } from '../due-work.ts';
import { giveBack, uncommit } from '../refund/giving-back.ts';
import { authorizationCodeOf } from './provider-rules.ts';

const MINUTE_MS = 60_000;
/** How long a provider keeps an authorisation. */
const AUTHORISATION_MS = 7 * 24 * 60 * MINUTE_MS;
/** After this time an authorisation whose order is unknown or cancelled, or whose till does not list it, is an orphan. */
const ORPHAN_CHECK_MS = 15 * MINUTE_MS;
/** How long an outcome may stay unknown. */
export const PENDING_MS = 15 * MINUTE_MS;

/** Only a provider lets go after a while. Cash lies in the till; gift cards, points and what came back are the retailer's own. */
const expires = ({ tender }: Pick<StoredPayment, 'tender'>): boolean => tender.type === 'card' || tender.type === 'bnpl';

/** What an approval adds to a payment. */
export const approval = (work: UnitOfWork, payment: Pick<StoredPayment, 'id' | 'amount' | 'tender'>) => ({
  authorizedAmount: payment.amount,
  authorizationCode: authorizationCodeOf(payment.id),
  ...(expires(payment) && { authorizationExpiresAt: instant(work.now + AUTHORISATION_MS) }),
});

/** The timers of an authorisation. */
export function watchAuthorisation(work: UnitOfWork, payment: Pick<StoredPayment, 'id' | 'tender'>): void {
  work.schedule(checkOrphan, payment.id, work.now + ORPHAN_CHECK_MS, {});
  if (expires(payment)) work.schedule(expireAuthorization, payment.id, work.now + AUTHORISATION_MS, {});
}

function unwatchAuthorisation(work: UnitOfWork, id: string): void {
  work.cancel(checkOrphan, id);
  work.cancel(expireAuthorization, id);
}

/** The word that a pending payment waited for: it is authorised, or, when it was reversed meanwhile, authorised and voided at once. */
export function approve(work: UnitOfWork, payment: StoredPayment): StoredPayment {
  work.cancel(giveUpPayment, payment.id);
  work.cancel(approvePayment, payment.id);
  const approved = work.transition(payments, payment, 'approve', { ...approval(work, payment), awaiting: undefined });
  watchAuthorisation(work, payment);
  return approved.voidOnApproval ? voidAuthorisation(work, approved, 'void') : approved;
}

/** Ends a pending payment without money: its order may be paid otherwise. */
export function fail(
  work: UnitOfWork,
  payment: StoredPayment,
  { verb, declineCode }: { verb: 'decline' | 'give-up'; declineCode: string },
): StoredPayment {
  work.cancel(giveUpPayment, payment.id);
  work.cancel(approvePayment, payment.id);
  uncommit(work, payment, payment.amount);
  return work.transition(payments, payment, verb, { declineCode, awaiting: undefined });
}

/** Reverses an authorisation: the order may be paid otherwise, and a gift card or a redemption gets its value back. */
export function voidAuthorisation(work: UnitOfWork, payment: StoredPayment, verb: 'void' | 'expire'): StoredPayment {
  const voided = work.transition(payments, payment, verb);
  unwatchAuthorisation(work, payment.id);
  uncommit(work, payment, payment.authorizedAmount);
  giveBack(work, payment, { amount: payment.authorizedAmount, reference: payment.id });
  return voided;
}

/** Takes the money, once, and lets go of what is not taken. */
export function capture(work: UnitOfWork, payment: StoredPayment, { captured, remainder }: CaptureSplit): StoredPayment {
  const changed = work.transition(payments, payment, 'capture', { capturedAmount: captured });
  unwatchAuthorisation(work, payment.id);
  uncommit(work, payment, remainder);
  giveBack(work, payment, { amount: remainder, reference: `${payment.id}.remainder` });
  return changed;
}
