import type { InputOf } from '../../shared/catalog/define.ts';
import { isAgain, rowFor } from '../../shared/catalog/life-cycle.ts';
import { LIMITS, limitReached } from '../../shared/catalog/limits.ts';
import { getPayable } from '../../shared/catalog/order/internal.ts';
import {
  capturePayment as capturePaymentApi,
  refundPayment as refundPaymentApi,
  voidPayment as voidPaymentApi,
} from '../../shared/catalog/payment/apis.ts';
import { listPayments as listPaymentsCall, reversePayment as reversePaymentCall } from '../../shared/catalog/payment/internal.ts';
import { paymentLifeCycle } from '../../shared/catalog/payment/objects.ts';
import { invalid, Problem } from '../../shared/catalog/problems.ts';
import { type Money, money, moneyInWords } from '../../shared/domain/money.ts';
import { instant } from '../../shared/domain/time.ts';
import { allPages } from '../../shared/work/all-pages.ts';
import { again, handle, type Scope } from '../../shared/work/handler.ts';
import { requireObject } from '../../shared/work/require-object.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { declineCapture, declined, unwatchAuthorization, voidAuthorization } from './authorization.ts';
import { payments, paymentTokens, published, returnCovers, type StoredPayment } from './collections.ts';
import { giveBack, type LeftOfOrder, type LeftOfReturn, leftOfOrder, syncReturnCover, uncommitFromOrder } from './funds.ts';
import { isByProvider } from './provider-rules.ts';

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
  const changed = work.transition(payments, payment, 'capture', { capturedAmount: captured });
  unwatchAuthorization(work, payment.id);
  uncommitFromOrder(work, payment, remainder);
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

export const voidPayment = handle(voidPaymentApi)(async ({ params }, { work }) => {
  const payment = await requireObject(work, payments, params.id);
  if (isAgain(paymentLifeCycle, payment, 'void')) return again(published(payment));
  return published(voidAuthorization(work, payment, 'void'));
});

/** Undoes a payment in any state. A pending payment cannot be recalled, so it is voided as soon as it is approved. */
export const reversePayment = handle(reversePaymentCall)(async ({ params, body }, { work }) => {
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
      return published(refund(work, payment, { amount: refundableOf(payment), reason: body.reason }));
    case 'voided':
    case 'failed':
    case 'fully-refunded':
      return again(published(payment));
  }
});

export const listPayments = handle(listPaymentsCall)(async ({ query }, { work }) => ({
  items: (await allPages((cursor) => work.find(payments, 'order', query.orderId, { cursor }))).map(published),
}));

export const refundPayment = handle(refundPaymentApi)(async ({ params, body }, scope) => {
  const { work } = scope;
  const payment = await requireObject(work, payments, params.id);
  const { reference } = body;
  if (reference !== undefined && payment.refunds.some((refunded) => refunded.reference === reference)) return again(published(payment));
  rowFor(paymentLifeCycle, payment, 'refund');
  const ofReturn = await limitOf(scope, payment, body);
  refuseExcessiveRefund(payment, body.amount, ofReturn);
  refuseFurtherRefund(payment, body, ofReturn);
  refuseExchangedAmount(payment, body.amount, await leftOfOrder(work, payment.orderId));
  return published(refund(work, payment, body));
});

type Body = InputOf<typeof refundPaymentApi>['body'];

/** A refund for a return is limited to the rest of the return's value, which the OMS determines. */
async function limitOf({ work, call }: Scope, { orderId }: StoredPayment, body: Body): Promise<LeftOfReturn | undefined> {
  if (body.returnId === undefined) return undefined;
  const order = body.payable ?? (await call(getPayable, { params: { id: orderId } }));
  if (order.orderId !== orderId) {
    throw invalid('/payable/orderId', 'other_order', `payable is about "${order.orderId}", the payment about "${orderId}".`);
  }
  return syncReturnCover(work, order, body.returnId);
}

/** Refunds a part of the captured amount to its tender. */
function refund(
  work: UnitOfWork,
  payment: StoredPayment,
  { amount, reason, returnId, reference }: Omit<StoredPayment['refunds'][number], 'at'>,
): StoredPayment {
  const { patch, to } = addRefund(payment, {
    amount: money(amount.amount, amount.currency),
    reason,
    returnId,
    reference,
    at: instant(work.now),
  });
  const changed = work.transition(payments, payment, 'refund', patch, to);
  if (returnId !== undefined) work.move(returnCovers, returnId, { used: amount.amount });
  uncommitFromOrder(work, payment, amount);
  giveBack(work, payment, { amount, reference: `${payment.id}.refund-${changed.refunds.length}` });
  return changed;
}

/** The captured amount that was not refunded yet. */
const refundableOf = ({ capturedAmount, refundedAmount }: Pick<StoredPayment, 'capturedAmount' | 'refundedAmount'>): Money =>
  money(capturedAmount.amount - refundedAmount.amount, capturedAmount.currency);

/** @param ofReturn limits the refund to what is left of its return @throws Problem `refund_exceeds_captured` of payment or return */
function refuseExcessiveRefund(payment: StoredPayment, requested: Money, ofReturn?: LeftOfReturn): void {
  const refundableAmount = refundableOf(payment);
  if (ofReturn && ofReturn.left < Math.min(requested.amount, refundableAmount.amount)) throw returnExceeded(ofReturn, requested);
  if (requested.amount <= refundableAmount.amount) return;
  const detail = `${moneyInWords(refundableAmount)} can still be refunded of this payment, not ${moneyInWords(requested)}.`;
  throw new Problem('refund_exceeds_captured', detail, { objectType: 'payment', id: payment.id, refundableAmount });
}

/** Refuses an amount until its exchange order has released it. @throws Problem `refund_exceeds_captured` of the order */
function refuseExchangedAmount({ orderId }: StoredPayment, requested: Money, { left, exchanged }: LeftOfOrder): void {
  if (exchanged === 0 || requested.amount <= left) return;
  const refundableAmount = money(left, requested.currency);
  const exchangedAmount = money(exchanged, requested.currency);
  const detail = `${moneyInWords(exchangedAmount)} of the payments of the order "${orderId}" pay for an exchange of its returned goods; ${moneyInWords(refundableAmount)} can still be refunded, not ${moneyInWords(requested)}.`;
  throw new Problem('refund_exceeds_captured', detail, { objectType: 'order', id: orderId, refundableAmount, exchangedAmount });
}

/** Exempt are refunds of the estate, which have references, and the last refund of a payment or return. @throws `limit_reached` */
function refuseFurtherRefund(
  payment: StoredPayment,
  { amount, reference }: { amount: Money; reference?: string },
  ofReturn?: LeftOfReturn,
): void {
  if (reference !== undefined) return;
  if (payment.refunds.filter((refund) => refund.reference === undefined).length < LIMITS.refunds) return;
  const rest = refundableOf(payment);
  if (amount.amount === rest.amount || amount.amount === ofReturn?.left) return;
  const detail = `The payment "${payment.id}" has ${LIMITS.refunds} refunds by request, which is the limit.`;
  const remedy = `Refund the rest, ${moneyInWords(rest)}, or all that is left of a return, in one request.`;
  throw limitReached('refunds', detail, { objectType: 'payment', id: payment.id, remedy });
}

/** 409 for a refund or an exchange credit that exceeds what is left of its return. */
export function returnExceeded({ returnId, left }: LeftOfReturn, requested: Money): Problem {
  const refundableAmount = money(left, requested.currency);
  const sentence = `At most ${moneyInWords(refundableAmount)} can still be refunded for the return "${returnId}", not ${moneyInWords(requested)}.`;
  return new Problem('refund_exceeds_captured', sentence, { objectType: 'return', id: returnId, refundableAmount });
}

/** The members that a refund changes, and the state that it leads to. */
export function addRefund(payment: StoredPayment, refund: StoredPayment['refunds'][number]) {
  const refundedAmount = money(payment.refundedAmount.amount + refund.amount.amount, refund.amount.currency);
  const isAll = refundedAmount.amount === payment.capturedAmount.amount;
  return {
    patch: { refundedAmount, refunds: [...payment.refunds, refund] },
    to: isAll ? ('fully-refunded' as const) : ('partially-refunded' as const),
  };
}
