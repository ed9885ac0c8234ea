import { getTransaction } from '../../shared/catalog/commerce/internal.ts';
import { putLedgerEntry } from '../../shared/catalog/loyalty/internal.ts';
import { getPayable } from '../../shared/catalog/order/internal.ts';
import { isByProvider, isExternal } from '../../shared/catalog/payment/tender.ts';
import { Problem, undefinedIf } from '../../shared/catalog/problems.ts';
import { type Money, money, moneyInWords } from '../../shared/domain/money.ts';
import { instant } from '../../shared/domain/time.ts';
import { defineDueWork } from '../../shared/work/due-work.ts';
import { handleDue, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { payments, type StoredPayment } from './collections.ts';
import { addPayment, giveBack, movePayment, takeValue } from './funds.ts';
import { authorizationCodeOf, reasonOf, type Verdict } from './provider-rules.ts';

// The key of due work is the payment's id, unless stated otherwise.
/** The simulated provider approves a pending payment. */
const approvePaymentDue = defineDueWork('approve-payment');

/** A payment whose outcome is still unknown fails. */
const giveUpPaymentDue = defineDueWork('give-up-payment');

/** Voids an authorisation unless its order or its till still needs it. */
const checkOrphanDue = defineDueWork('check-orphan');

/** An authorisation runs out at its provider. */
const expireAuthorizationDue = defineDueWork('expire-authorization');

/** A payment to be created. Its amount is outstanding on the order; `returnId` names the return that an exchange credit pays with. */
export type PaymentRequest = Pick<
  StoredPayment,
  | 'id'
  | 'orderId'
  | 'tender'
  | 'amount'
  | 'tendered'
  | 'change'
  | 'rounding'
  | 'acceptPartial'
  | 'returnUrl'
  | 'returnId'
  | 'returnedOrderId'
  | 'takenAt'
  | 'transactionId'
  | 'purchase'
  | 'reference'
  | 'metadata'
>;

/** Creates a payment in the state that the verdict gives it. A declined payment is kept with its decline code. */
export function openPayment(work: UnitOfWork, request: PaymentRequest, verdict: Verdict): StoredPayment {
  switch (verdict.is) {
    case 'declined':
      return addPayment(work, 'decline', { ...withoutMoney(request), ...reasonOf(verdict) });
    case 'approved': {
      const approval = approvalOf(work, request, verdict.amount);
      const approved = { ...request, amount: approval.authorizedAmount };
      takeValue(work, approved);
      watchAuthorization(work, request);
      return addPayment(work, 'authorise', { ...withoutMoney(request), ...approval });
    }
    case 'requires-action': {
      const nextAction = { type: 'redirect' as const, url: verdict.url };
      return addPayment(work, 'require-action', { ...undecided(work, request), nextAction });
    }
    case 'approved-later':
      work.schedule(approvePaymentDue, request.id, work.now + verdict.afterMs, {});
      return openPending(work, request, 'provider-approval');
    case 'unanswered':
      return openPending(work, request, 'provider-answer');
  }
}

/** Creates a payment whose outcome is unknown. */
export const openPending = (work: UnitOfWork, request: PaymentRequest, awaiting: NonNullable<StoredPayment['awaiting']>): StoredPayment =>
  addPayment(work, 'await-approval', { ...undecided(work, request), awaiting });

/** The payment fails after the longest wait, unless its outcome is known by then. */
function undecided(work: UnitOfWork, request: PaymentRequest) {
  work.schedule(giveUpPaymentDue, request.id, work.now + work.figures.windowMs.pendingPayment, {});
  return withoutMoney(request);
}

function withoutMoney(request: PaymentRequest) {
  const nothing = money(0, request.amount.currency);
  return { ...request, authorizedAmount: nothing, capturedAmount: nothing, refundedAmount: nothing, refunds: [] };
}

const ORPHAN_CHECK_DELAY_MS = 15 * 60_000;

/** The members that an approval adds to a payment. @param part the approved part of its amount; default: all of it */
const approvalOf = (work: UnitOfWork, payment: Pick<StoredPayment, 'id' | 'amount' | 'tender'>, part: Money = payment.amount) => ({
  authorizedAmount: money(part.amount, part.currency),
  // The provider of an external payment has its own code.
  authorizationCode: isExternal(payment.tender) ? undefined : authorizationCodeOf(payment.id),
  ...(isByProvider(payment.tender) && { authorizationExpiresAt: instant(work.now + work.figures.windowMs.authorisation) }),
});

/** Schedules the timers of an authorisation. */
function watchAuthorization(work: UnitOfWork, payment: Pick<StoredPayment, 'id' | 'tender'>): void {
  work.schedule(checkOrphanDue, payment.id, work.now + ORPHAN_CHECK_DELAY_MS, {});
  if (isByProvider(payment.tender)) work.schedule(expireAuthorizationDue, payment.id, work.now + work.figures.windowMs.authorisation, {});
}

export function unwatchAuthorization(work: UnitOfWork, id: string): void {
  work.cancel(checkOrphanDue, id);
  work.cancel(expireAuthorizationDue, id);
}

/** Authorises a pending payment, and voids it in the same commit when it was reversed while pending. */
export function approve(work: UnitOfWork, payment: StoredPayment): StoredPayment {
  work.cancel(giveUpPaymentDue, payment.id);
  work.cancel(approvePaymentDue, payment.id);
  const approved = movePayment(work, payment, 'approve', { ...approvalOf(work, payment), awaiting: undefined });
  watchAuthorization(work, payment);
  return approved.voidOnApproval ? voidAuthorization(work, approved, 'void') : approved;
}

/** Authorises a payment that its customer has authenticated. */
export function authenticate(work: UnitOfWork, payment: StoredPayment): StoredPayment {
  work.cancel(giveUpPaymentDue, payment.id);
  const authenticated = movePayment(work, payment, 'authenticate', { ...approvalOf(work, payment), nextAction: undefined });
  watchAuthorization(work, payment);
  return authenticated;
}

/** Fails a payment that its customer has not authenticated, so that another payment can pay its order. */
export function failAuthentication(
  work: UnitOfWork,
  payment: StoredPayment,
  declineCode: 'authentication_failed' | 'authentication_expired',
): StoredPayment {
  work.cancel(giveUpPaymentDue, payment.id);
  return movePayment(work, payment, 'fail-authentication', { declineCode, nextAction: undefined });
}

/** Fails a pending payment, so that another payment can pay its order. */
export function fail(
  work: UnitOfWork,
  payment: StoredPayment,
  { verb, ...reason }: { verb: 'decline' | 'give-up' } & Pick<StoredPayment, 'declineCode' | 'available' | 'reference'>,
): StoredPayment {
  work.cancel(giveUpPaymentDue, payment.id);
  work.cancel(approvePaymentDue, payment.id);
  return movePayment(work, payment, verb, { ...reason, awaiting: undefined });
}

/**
 * Voids an authorisation, so that another payment can pay its order, and returns the amount to the tender. A payment that its customer has
 * not authenticated yet has taken nothing.
 */
export function voidAuthorization(work: UnitOfWork, payment: StoredPayment, verb: 'void' | 'expire'): StoredPayment {
  const voided = movePayment(work, payment, verb, { nextAction: undefined });
  unwatchAuthorization(work, payment.id);
  work.cancel(giveUpPaymentDue, payment.id);
  giveBack(work, payment, { amount: payment.authorizedAmount, reference: payment.id });
  return voided;
}

/** Ends an authorisation whose capture the provider declines, so that another payment can pay its order. */
export function declineCapture(work: UnitOfWork, payment: StoredPayment): StoredPayment {
  unwatchAuthorization(work, payment.id);
  return movePayment(work, payment, 'decline-capture', { declineCode: 'capture_declined' });
}

/** 402 for a payment that failed. */
export function declined({ id, declineCode, available }: StoredPayment): Problem {
  const worth = available ? ` The tender can pay ${moneyInWords(available)}.` : '';
  const about = { objectType: 'payment', id, paymentId: id, declineCode, availableAmount: available };
  return new Problem('payment_declined', `The payment was declined: ${declineCode}.${worth}`, about);
}

export const approvePayment = handleDue(approvePaymentDue)(async ({ key }, { work }) => {
  const payment = await work.get(payments, key);
  if (payment?.awaiting === 'provider-approval') approve(work, payment);
});

export const giveUpPayment = handleDue(giveUpPaymentDue)(async ({ key }, scope) => {
  const payment = await scope.work.get(payments, key);
  if (payment?.state === 'requires-action') failAuthentication(scope.work, payment, 'authentication_expired');
  if (payment?.state !== 'pending') return;
  if (payment.awaiting === 'loyalty-platform') await reverseSpending(scope, payment);
  fail(scope.work, payment, { verb: 'give-up', declineCode: 'provider_timeout' });
});

/** The Loyalty Platform records the reversal even if nothing was spent, and refuses a spending that arrives later. */
async function reverseSpending({ call }: Scope, { id, amount }: StoredPayment): Promise<void> {
  await call(putLedgerEntry, { params: { type: 'reverse', reference: id }, body: { amount } }).catch(undefinedIf('not_found'));
}

export const expireAuthorization = handleDue(expireAuthorizationDue)(async ({ key }, { work }) => {
  const payment = await work.get(payments, key);
  if (payment?.state === 'authorised') voidAuthorization(work, payment, 'expire');
});

/**
 * Voids an authorisation that nobody will capture, because it blocks a customer's money. Its order is unknown or cancelled, or its
 * transaction at the till is unknown, voided or does not list it. The check fails, and is repeated, while the OMS or the POS does not
 * answer.
 */
export const checkOrphan = handleDue(checkOrphanDue)(async ({ key }, { work, call }) => {
  const payment = await work.get(payments, key);
  if (payment?.state !== 'authorised') return;
  const isWanted = payment.takenAt === 'pos' ? isListed : isPayable;
  if (!(await isWanted(payment, call))) voidAuthorization(work, payment, 'void');
});

async function isPayable({ orderId }: StoredPayment, call: Scope['call']): Promise<boolean> {
  const order = await call(getPayable, { params: { id: orderId } }).catch(undefinedIf('not_found'));
  return order !== undefined && order.state !== 'cancelled';
}

async function isListed({ id, orderId }: StoredPayment, call: Scope['call']): Promise<boolean> {
  const transaction = await call(getTransaction, { params: { id: orderId } }).catch(undefinedIf('not_found'));
  return transaction !== undefined && transaction.state !== 'voided' && transaction.paymentIds.includes(id);
}
