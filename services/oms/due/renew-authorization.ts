import { authorizePayment } from '../../../shared/catalog/payment/apis.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { money } from '../../../shared/domain/money.ts';
import { handleDue, type Scope } from '../../../shared/work/handler.ts';
import { orders, type StoredOrder } from '../collections.ts';
import { renewAuthorizationDue } from '../due-work.ts';
import { requiredFor } from '../order/lines.ts';
import { giveUpLater } from '../payment/lost-authorizations.ts';
import { type Payment, paymentsToDecideOn } from '../payment/payments.ts';
import { outstandingOf } from '../payment/status.ts';
import { payableOf } from '../returns/payable.ts';
import { DECIDE_TIMEOUT_MS, RECHECK_MS, RENEWAL_PERIOD_MS } from '../timing.ts';

/**
 * Authorises the tender of an expired authorisation again, at most for the open amount, until the order is thirty days old: otherwise an
 * abandoned order would reserve its stock forever. A definite refusal is final. Without an answer the call is repeated, until
 * the order is covered or cancelled.
 */
export const renewAuthorization = handleDue(renewAuthorizationDue)(async ({ key, payload }, scope) => {
  const { work, log } = scope;
  const { orderId, lostAt = work.now } = payload;
  const order = await work.get(orders, orderId);
  if (order?.state !== 'confirmed') return;
  if (work.now >= Date.parse(order.createdAt) + RENEWAL_PERIOD_MS) {
    log.info({ orderId, paymentId: key }, 'an authorisation is not renewed: its order is too old');
    giveUpLater(work, orderId, lostAt);
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
  giveUpLater(work, orderId, lostAt);
});

async function authorizeAgain(order: StoredOrder, paymentId: string, scope: Scope): Promise<void> {
  const payments = await paymentsToDecideOn(order, scope);
  const lost = payments.find(({ id }) => id === paymentId);
  const amount = Math.min(lost?.authorizedAmount.amount ?? 0, openAmountOf(order, payments));
  if (!lost || amount <= 0) return;
  const { type, token } = lost.tender;
  const body = {
    orderId: order.id,
    amount: money(amount, order.totals.total.currency),
    payable: await payableOf(scope.work, order),
    tender: { type, token },
  };
  // An attempt without an answer is repeated unchanged. A changed amount makes it another call.
  const options = { intent: order.id, step: `renew ${paymentId} ${amount}`, timeoutMs: DECIDE_TIMEOUT_MS };
  await scope.call(authorizePayment, { body }, options);
}

/** Minor units that no payment covers, pending ones included. */
const openAmountOf = (order: StoredOrder, payments: readonly Payment[]): number =>
  payments
    .filter(({ state }) => state === 'pending')
    .reduce((open, { amount }) => open - amount.amount, outstandingOf(requiredFor(order), payments));
