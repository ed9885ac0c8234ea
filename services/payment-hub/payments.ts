import { isAgain, rowFor } from '../../shared/catalog/life-cycle.ts';
import { capturePayment as capturePaymentApi, voidPayment as voidPaymentApi } from '../../shared/catalog/payment/apis.ts';
import { hasOpenDispute, refundableOf } from '../../shared/catalog/payment/cover.ts';
import {
  listPayments as listPaymentsCall,
  lowerAuthorization as lowerAuthorizationCall,
  reversePayment as reversePaymentCall,
} from '../../shared/catalog/payment/internal.ts';
import { paymentLifeCycle } from '../../shared/catalog/payment/objects.ts';
import { hasFailed } from '../../shared/catalog/payment/refunds.ts';
import { isByProvider } from '../../shared/catalog/payment/tender.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { type Money, minus, money, moneyInWords } from '../../shared/domain/money.ts';
import { allPages } from '../../shared/handlers/all-pages.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { again, handle } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { declineCapture, declined, unwatchAuthorization, voidAuthorization } from './authorization.ts';
import { payments, paymentTokens, published, type StoredPayment } from './collections.ts';
import { giveBack, movePayment } from './funds.ts';
import { refund } from './refunds.ts';

export const capturePayment = handle(capturePaymentApi)(async ({ params, body }, { work }) => {
  const payment = await requireObject(work, payments, params.id);
  rowFor(paymentLifeCycle, payment, 'capture');
  const split = splitCapture(payment, body.amount);
  return (await isDeclinedAtCapture(work, payment)) ? declined(declineCapture(work, payment)) : published(capture(work, payment, split));
});

async function isDeclinedAtCapture(work: UnitOfWork, { tender }: StoredPayment): Promise<boolean> {
  if (!isByProvider(tender) || tender.token === undefined) return false;
  return (await work.get(paymentTokens, tender.token))?.rule.outcome === 'decline-at-capture';
}

/** Captures an authorisation and gives the remainder back; the OMS refunds the remainder of an exchange credit. */
function capture(work: UnitOfWork, payment: StoredPayment, { captured, remainder }: ReturnType<typeof splitCapture>): StoredPayment {
  const changed = movePayment(work, payment, 'capture', { capturedAmount: captured });
  unwatchAuthorization(work, payment.id);
  giveBack(work, payment, { amount: remainder, reference: `${payment.id}.remainder` });
  const isPartOfCredit = payment.tender.type === 'exchange-credit' && remainder.amount > 0;
  return isPartOfCredit ? work.transition(payments, changed, 'release-rest') : changed;
}

/**
 * Splits an authorisation at its capture. A payment is captured once, so the capture releases the remainder.
 * @param requested undefined captures the whole authorised amount
 * @throws Problem `capture_exceeds_authorized`
 */
function splitCapture(payment: StoredPayment, requested: Money | undefined) {
  const { authorizedAmount } = payment;
  const captured = requested ?? authorizedAmount;
  if (captured.amount > authorizedAmount.amount) {
    const detail = `${moneyInWords(authorizedAmount)} is authorised; ${moneyInWords(captured)} cannot be captured of it.`;
    throw new Problem('capture_exceeds_authorized', detail, { objectType: 'payment', id: payment.id, authorizedAmount });
  }
  return { captured, remainder: money(authorizedAmount.amount - captured.amount, captured.currency) };
}

/** The rest of the authorisation goes back to the tender, and can be authorised again. */
export const lowerAuthorization = handle(lowerAuthorizationCall)(async ({ params, body: { amount } }, { work }) => {
  const payment = await requireObject(work, payments, params.id);
  rowFor(paymentLifeCycle, payment, 'lower');
  const { authorizedAmount } = payment;
  const released = minus(authorizedAmount, amount);
  if (released.amount <= 0) return again(published(payment));
  giveBack(work, payment, { amount: released, reference: `${payment.id}.lowered-${authorizedAmount.amount}` });
  return published(movePayment(work, payment, 'lower', { amount, authorizedAmount: amount }));
});

export const voidPayment = handle(voidPaymentApi)(async ({ params }, { work }) => {
  const payment = await requireObject(work, payments, params.id);
  if (isAgain(paymentLifeCycle, payment, 'void')) return again(published(payment));
  return published(voidAuthorization(work, payment, 'void'));
});

/**
 * Undoes a payment in any state. A pending payment cannot be recalled, so it is voided as soon as it is approved, and a
 * disputed one is refunded after the decision. A tender whose refund
 * failed is not refunded again: a client decides where the money goes.
 */
export const reversePayment = handle(reversePaymentCall)(async ({ params, body }, scope) => {
  const { work } = scope;
  const payment = await requireObject(work, payments, params.id);
  switch (payment.state) {
    case 'pending':
      if (payment.voidOnApproval) return again(published(payment));
      return published(work.transition(payments, payment, 'note', { voidOnApproval: true }));
    case 'requires-action':
    case 'authorised':
      return published(voidAuthorization(work, payment, 'void'));
    case 'captured':
    case 'partially-refunded':
      if (payment.refunds.some(hasFailed) || payment.refundWhenDecided) return again(published(payment));
      if (hasOpenDispute(payment.disputes)) return published(work.transition(payments, payment, 'note', { refundWhenDecided: true }));
      if (refundableOf(payment).amount === 0) return again(published(payment));
      return published(await refund(scope, payment, { amount: refundableOf(payment), reason: body.reason }));
    case 'voided':
    case 'failed':
    case 'fully-refunded':
      return again(published(payment));
  }
});

export const listPayments = handle(listPaymentsCall)(async ({ query }, { work }) => ({
  items: (await allPages((cursor) => work.find(payments, 'order', query.orderId, { cursor }))).map(published),
}));
