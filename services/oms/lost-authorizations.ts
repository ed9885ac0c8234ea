import { authorizePayment } from '../../shared/catalog/payment/apis.ts';
import { isLost, isUndecided, requiredFor, stillToPay } from '../../shared/catalog/payment/cover.ts';
import { Payment as PaymentSchema } from '../../shared/catalog/payment/objects.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { money } from '../../shared/domain/money.ts';
import { type EventHandler, handleDue, type Scope, unchanged } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { isSale, paysAtCollection } from './baskets.ts';
import { orders, type StoredOrder } from './collections.ts';
import {
  DECIDE_TIMEOUT_MS,
  giveUpUncoveredDue,
  payOutReturnDue,
  RECHECK_MS,
  RENEWAL_PERIOD_MS,
  renewAuthorizationDue,
} from './due-work.ts';
import { creditHeld, isCredit } from './exchange.ts';
import { noteDecisions, noteFailedRefunds } from './late-refunds.ts';
import { isDeclinedAtCapture, type Payment, paymentsToDecideOn } from './payments.ts';
import { giveUp } from './pending-action.ts';
import { bookingsOf, payableOf, returnBookings } from './return-bookings.ts';

const Changed = PaymentSchema.pick({
  id: true,
  orderId: true,
  tender: true,
  returnId: true,
  authorizedAmount: true,
  capturedAmount: true,
  refundedAmount: true,
  state: true,
  authorizationExpiresAt: true,
  updatedAt: true,
  refunds: true,
  disputes: true,
  transactionId: true,
});

/** Handles a lost authorisation, a failed refund and a decided dispute, and refunds value of a return that its exchange credit no longer uses. */
export const onPaymentChanged: EventHandler = async ({ data }, { work }) => {
  const payment = Changed.parse(data.object);
  const hasLost = await noteLostAuthorization(work, payment);
  const isOwedAgain = await noteFailedRefunds(work, payment);
  const isDecided = await noteDecisions(work, payment);
  const { returnId, authorizedAmount } = payment;
  if (isCredit(payment) && returnId !== undefined && creditHeld([payment]) !== authorizedAmount.amount) {
    const booking = await work.get(returnBookings, returnId);
    const isPaidOut = booking?.status === 'exchanged' || booking?.status === 'refunded';
    if (isPaidOut) work.schedule(payOutReturnDue, returnId, work.now, {});
    return hasLost || isOwedAgain || isPaidOut ? undefined : unchanged('The return that the credit belongs to is not closed.');
  }
  return hasLost || isOwedAgain || isDecided
    ? undefined
    : unchanged('No open order lost its authorisation, no exchange credit shrank, no refund failed, and none waited for a decision.');
};

/** `cancelReason` of an order whose payments no longer cover it. */
export const AUTHORISATION_LOST = 'authorisation-lost';

type Lost = Pick<Payment, 'id' | 'orderId' | 'state' | 'authorizedAmount' | 'authorizationExpiresAt' | 'updatedAt' | 'transactionId'>;

/** Voided by expiry, not by a client. */
const hasExpired = ({ authorizationExpiresAt, updatedAt }: Lost): boolean =>
  authorizationExpiresAt !== undefined && Date.parse(updatedAt) >= Date.parse(authorizationExpiresAt);

/**
 * A confirmed order must not reserve stock forever without payment. An expired authorisation is renewed with the same tender for a time, and an
 * order that is not covered after a day is cancelled. If a client voided the payment, or its capture was declined, the client has to replace it. Sales are exempt: their goods are gone.
 * @returns whether an open order lost the payment
 */
async function noteLostAuthorization(work: UnitOfWork, payment: Lost): Promise<boolean> {
  if (payment.state !== 'voided' && !isDeclinedAtCapture(payment)) return false;
  const order = await work.get(orders, payment.orderId);
  if (!order || isSale(order)) return false;
  if (paysAtCollection(order)) return renewPrepayment(work, order, payment);
  if (order.state !== 'confirmed' && order.state !== 'draft') return false;
  // Drafts count too: a pending confirmation may have read the payment before it was voided.
  if (order.state === 'confirmed' && payment.state === 'voided' && hasExpired(payment)) {
    work.schedule(renewAuthorizationDue, payment.id, work.now, { orderId: order.id, lostAt: work.now });
  } else giveUpLater(work, order.id, work.now);
  return true;
}

/** What was paid before the collection is not lost while the goods wait. A till that took a payment captures it. */
function renewPrepayment(work: UnitOfWork, order: StoredOrder, payment: Lost): boolean {
  const isRenewed = isRenewable(order) && payment.state === 'voided' && hasExpired(payment) && payment.transactionId === undefined;
  if (isRenewed) work.schedule(renewAuthorizationDue, payment.id, work.now, { orderId: order.id, lostAt: work.now });
  return isRenewed;
}

const isRenewable = (order: StoredOrder): boolean =>
  order.state === 'confirmed' || (paysAtCollection(order) && order.state === 'in-fulfilment');

/** An order that is not covered a day after the loss is cancelled, but not while a renewal waits for the Payment Hub. */
function giveUpLater(work: UnitOfWork, orderId: string, lostAt: number): void {
  work.schedule(giveUpUncoveredDue, orderId, Math.max(work.now, lostAt + work.figures.windowMs.uncoveredOrder), {});
}

/**
 * Authorises the tender of an expired authorisation again, at most for the open amount, until the order is thirty days old: otherwise an
 * abandoned order would reserve its stock forever. A definite refusal is final. If the Payment Hub does not answer, the call is repeated,
 * until the order is covered or cancelled.
 */
export const renewAuthorization = handleDue(renewAuthorizationDue)(async ({ key, payload }, scope) => {
  const { work, log } = scope;
  const { orderId, lostAt = work.now } = payload;
  const order = await work.get(orders, orderId);
  if (!order || !isRenewable(order)) return;
  const giveUpUnlessCovered = (): void => {
    if (!paysAtCollection(order)) giveUpLater(work, orderId, lostAt);
  };
  if (work.now >= Date.parse(order.createdAt) + RENEWAL_PERIOD_MS) {
    log.info({ orderId, paymentId: key }, 'an authorisation is not renewed: its order is too old');
    giveUpUnlessCovered();
    return;
  }
  if (order.pendingAction) {
    work.schedule(renewAuthorizationDue, key, work.now + RECHECK_MS, payload);
    return;
  }
  try {
    await authorizeAgain(order, key, scope);
  } catch (error) {
    if (!(error instanceof Problem) || error.retryable) throw error;
    log.warn({ orderId, paymentId: key, code: error.code }, `renewing an authorisation failed: ${error.message}`);
  }
  giveUpUnlessCovered();
});

async function authorizeAgain(order: StoredOrder, paymentId: string, scope: Scope): Promise<void> {
  const payments = await paymentsToDecideOn(order, scope);
  const lost = payments.find(({ id }) => id === paymentId);
  const amount = Math.min(lost?.authorizedAmount.amount ?? 0, stillToPay(requiredFor(order), payments));
  if (!lost || amount <= 0) return;
  const { type, token } = lost.tender;
  const body = {
    orderId: order.id,
    amount: money(amount, order.totals.total.currency),
    payable: payableOf(order, await bookingsOf(scope.work, order.id)),
    tender: { type, token },
  };
  // An attempt without an answer is repeated unchanged. A changed amount makes it another call.
  const options = { intent: order.id, step: `renew ${paymentId} ${amount}`, timeoutMs: DECIDE_TIMEOUT_MS };
  await scope.call(authorizePayment, { body }, options);
}

/**
 * Cancels a confirmed order that lost an authorisation a day ago and is not covered again: stock must not stay reserved without payment.
 */
export const giveUpUncovered = handleDue(giveUpUncoveredDue)(async ({ key }, scope) => {
  const { work } = scope;
  const order = await work.get(orders, key);
  if (order?.state !== 'confirmed') return;
  const outcome = order.pendingAction ? 'under-way' : await coverOf(order, scope);
  if (outcome === 'lost') giveUp(work, order, { cancelReason: AUTHORISATION_LOST });
  else if (outcome === 'under-way') work.schedule(giveUpUncoveredDue, key, work.now + RECHECK_MS, {});
});

/** Whether payments cover the order. `under-way`: a pending payment may still cover it. */
async function coverOf(order: StoredOrder, scope: Scope): Promise<'covered' | 'lost' | 'under-way'> {
  const payments = await paymentsToDecideOn(order, scope);
  if (isLost(requiredFor(order), payments)) return 'lost';
  return payments.some(isUndecided) ? 'under-way' : 'covered';
}
