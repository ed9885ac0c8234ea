import { z } from 'zod';
import type { InputOf } from '../../shared/catalog/define.ts';
import { refusal, rowFor } from '../../shared/catalog/life-cycle.ts';
import { LIMITS, limitReached } from '../../shared/catalog/limits.ts';
import { announceRefund } from '../../shared/catalog/order/internal.ts';
import { refundPayment as refundPaymentApi } from '../../shared/catalog/payment/apis.ts';
import { refundableOf } from '../../shared/catalog/payment/cover.ts';
import { paymentLifeCycle } from '../../shared/catalog/payment/objects.ts';
import type { RefundBehaviour } from '../../shared/catalog/payment/reference-data.ts';
import { owedAfterFailures, refundId } from '../../shared/catalog/payment/refunds.ts';
import { invalid, Problem } from '../../shared/catalog/problems.ts';
import type { Figures } from '../../shared/catalog/retailer.ts';
import { durationMs } from '../../shared/domain/duration.ts';
import { inCoins, type Money, money, moneyInWords } from '../../shared/domain/money.ts';
import { instant } from '../../shared/domain/time.ts';
import { defineDueWork } from '../../shared/work/due-work.ts';
import { again, handle, handleDue, type Scope } from '../../shared/work/handler.ts';
import { requireObject } from '../../shared/work/require-object.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { giftCardBalances, giftCards, payments, paymentTokens, published, returnCovers, type StoredPayment } from './collections.ts';
import { giveBack, type LeftOfOrder, type LeftOfReturn, leftOfOrder, movePayment, raisePayable, syncReturnCover } from './funds.ts';

export const refundPayment = handle(refundPaymentApi)(async ({ params, body }, scope) => {
  const { work } = scope;
  const payment = await requireObject(work, payments, params.id);
  const { reference } = body;
  const isRepeat = reference !== undefined && payment.refunds.some((refunded) => refunded.reference === reference);
  if (isRepeat) return again(published(payment));
  rowFor(paymentLifeCycle, payment, 'refund');
  refuseWhileDisputed(payment, 'refund');
  if (body.payOutTo) await refusePayOut(work, payment, { amount: body.amount, payOutTo: body.payOutTo });
  const ofReturn = await limitOf(scope, payment, body);
  refuseExcessiveRefund(payment, body.amount, { ofReturn, ofOrder: await leftOfOrder(work, payment.orderId) });
  refuseFurtherRefund(payment, body, ofReturn);
  return published(await refund(work, payment, body));
});

type Body = InputOf<typeof refundPaymentApi>['body'];

/** A refund for a return is limited to the rest of the return's value, which the OMS determines. */
async function limitOf({ work, call }: Scope, { orderId }: StoredPayment, body: Body): Promise<LeftOfReturn | undefined> {
  const { returnId } = body;
  if (returnId === undefined) return undefined;
  // A repeat after the announcement has ended is another announcement.
  const announced = { step: `refund ${work.now}` };
  const order = body.payable ?? (await call(announceRefund, { params: { id: orderId, returnId } }, announced));
  if (order.orderId !== orderId) {
    throw invalid('/payable/orderId', 'other_order', `payable is about "${order.orderId}", the payment about "${orderId}".`);
  }
  return syncReturnCover(work, order, returnId);
}

/** The provider pays out a pending refund, or returns its money. The key is the payment and the position of the refund. */
const decideRefundDue = defineDueWork(
  'decide-refund',
  z.object({ paymentId: z.string(), position: z.int(), failureReason: z.string().optional() }),
);

type RefundRequest = Pick<StoredPayment['refunds'][number], 'amount' | 'reason' | 'returnId' | 'reference' | 'payOutTo'>;

/** Refunds a part of the captured amount to its tender, or to the gift card that the request names. The tender may make it pending. */
export async function refund(work: UnitOfWork, payment: StoredPayment, request: RefundRequest): Promise<StoredPayment> {
  const { amount, reason, returnId, reference, payOutTo } = request;
  const behaviour = payOutTo ? undefined : await behaviourOf(work, payment);
  const { patch, to } = addRefund(payment, {
    amount: money(amount.amount, amount.currency),
    state: behaviour ? 'pending' : 'succeeded',
    rounding: payOutTo ? undefined : roundingOf(payment, amount, work.figures),
    reason,
    returnId,
    reference,
    payOutTo,
    at: instant(work.now),
  });
  const changed = movePayment(work, payment, 'refund', patch, to);
  if (returnId !== undefined) work.move(returnCovers, returnId, { used: amount.amount });
  const position = changed.refunds.length;
  const name = refundId(payment.id, position - 1);
  if (behaviour) {
    const failureReason = behaviour.outcome === 'fail' ? behaviour.failureReason : undefined;
    work.schedule(decideRefundDue, name, work.now + durationMs(behaviour.after), { paymentId: payment.id, position, failureReason });
  } else if (payOutTo) work.move(giftCardBalances, payOutTo.token, { balance: amount.amount });
  else giveBack(work, payment, { amount, reference: name });
  return changed;
}

/** Cash is refunded in coins. All refunds of a payment together are rounded, so the customer gets back what was paid, however it is split. */
function roundingOf(
  { tender, refundedAmount: { amount: before } }: StoredPayment,
  { amount, currency }: Money,
  { cashRounding: coin }: Pick<Figures, 'cashRounding'>,
): Money | undefined {
  if (tender.type !== 'cash') return undefined;
  const rounding = inCoins(before + amount, coin) - inCoins(before, coin) - amount;
  return rounding === 0 ? undefined : money(rounding, currency);
}

/** How the provider treats refunds to this token; undefined if they succeed immediately, as with all tenders of the retailer. */
async function behaviourOf(work: UnitOfWork, { tender: { type, token } }: StoredPayment): Promise<RefundBehaviour | undefined> {
  if ((type !== 'card' && type !== 'bnpl') || token === undefined) return undefined;
  const rule = (await work.get(paymentTokens, token))?.rule;
  return rule?.outcome === 'approve' ? rule.refund : undefined;
}

/** Ends a pending refund. After a failure its amount counts as captured and not refunded again, and the return is owed it again. */
export const decideRefund = handleDue(decideRefundDue)(async ({ payload }, { work }) => {
  const { paymentId, position, failureReason } = payload;
  const payment = await work.get(payments, paymentId);
  const refunded = payment?.refunds[position - 1];
  if (!payment || refunded?.state !== 'pending') return;
  const decidedAt = instant(work.now);
  const decided =
    failureReason === undefined
      ? { ...refunded, state: 'succeeded' as const, decidedAt }
      : { ...refunded, state: 'failed' as const, decidedAt, failureReason };
  const refunds = payment.refunds.with(position - 1, decided);
  if (failureReason === undefined) {
    work.transition(payments, payment, 'settle-refund', { refunds });
    return;
  }
  const { amount, returnId } = refunded;
  const refundedAmount = money(payment.refundedAmount.amount - amount.amount, amount.currency);
  const to = refundedAmount.amount > 0 ? 'partially-refunded' : 'captured';
  await raisePayable(work, payment, amount);
  movePayment(work, payment, 'fail-refund', { refunds, refundedAmount }, to);
  if (returnId !== undefined) work.move(returnCovers, returnId, { used: -amount.amount });
});

/**
 * A gift card may receive an amount whose refund to the tender failed, and no other: money returns to the tender that paid it.
 * @throws Problem `validation_failed` for an unknown card or another currency, `refund_exceeds_captured` beyond the failed amount
 */
async function refusePayOut(
  work: UnitOfWork,
  payment: StoredPayment,
  { amount, payOutTo: { token } }: Required<Pick<RefundRequest, 'amount' | 'payOutTo'>>,
): Promise<void> {
  const card = await work.get(giftCards, token);
  if (!card) throw invalid('/payOutTo/token', 'unknown_gift_card', 'No gift card has this token.');
  if (card.currency !== amount.currency) {
    throw invalid('/payOutTo/token', 'currency_not_supported', `The gift card has ${card.currency}, not ${amount.currency}.`);
  }
  const owed = owedAfterFailures([payment]);
  if (amount.amount <= owed) return;
  const refundableAmount = money(owed, amount.currency);
  const detail = `A gift card can receive ${moneyInWords(refundableAmount)} of this payment, whose refunds failed, not ${moneyInWords(amount)}. Refund the rest to its own tender.`;
  throw new Problem('refund_exceeds_captured', detail, { objectType: 'payment', id: payment.id, refundableAmount });
}

/** The money of an open dispute is withdrawn: another refund could pay it twice. @throws Problem `invalid_state_transition` */
export function refuseWhileDisputed(payment: StoredPayment, verb: 'refund' | 'dispute'): void {
  const open = payment.disputes?.find(({ state }) => state === 'open');
  if (!open) return;
  const detail = `A dispute of ${moneyInWords(open.amount)} of the payment "${payment.id}" is open. Wait for its decision, at the latest at ${open.respondBy}, then repeat the request.`;
  throw refusal(paymentLifeCycle, payment, verb, detail, { retryable: true });
}

interface RefundLimits {
  readonly ofReturn: LeftOfReturn | undefined;
  /** An amount that pays for an exchange order can be refunded when that order has released it. */
  readonly ofOrder: LeftOfOrder;
}

/** @throws Problem `refund_exceeds_captured` for the payment, the return or the order: the one that leaves the least */
function refuseExcessiveRefund(payment: StoredPayment, requested: Money, { ofReturn, ofOrder }: RefundLimits): void {
  const ofPayment = refundableOf(payment).amount;
  const left = Math.min(ofPayment, ofReturn?.left ?? ofPayment, ofOrder.exchanged > 0 ? ofOrder.left : ofPayment);
  if (requested.amount <= left) return;
  if (ofReturn && ofReturn.left === left && left < ofPayment) throw returnExceeded(ofReturn, requested, ofOrder);
  if (ofOrder.exchanged > 0 && ofOrder.left === left) throw exchanged(payment, requested, ofOrder);
  const refundableAmount = money(left, requested.currency);
  const detail = `${moneyInWords(refundableAmount)} can still be refunded of this payment, not ${moneyInWords(requested)}.`;
  throw new Problem('refund_exceeds_captured', detail, { objectType: 'payment', id: payment.id, refundableAmount });
}

function exchanged({ orderId }: StoredPayment, requested: Money, ofOrder: LeftOfOrder): Problem {
  const refundableAmount = money(ofOrder.left, requested.currency);
  const exchangedAmount = money(ofOrder.exchanged, requested.currency);
  const detail = `${moneyInWords(exchangedAmount)} of the payments of the order "${orderId}" pay for an exchange of its returned goods; ${moneyInWords(refundableAmount)} can still be refunded, not ${moneyInWords(requested)}.`;
  return new Problem('refund_exceeds_captured', detail, { objectType: 'order', id: orderId, refundableAmount, exchangedAmount });
}

/** Refunds of the estate, which have references, and the last refund of a payment or return are exempt. @throws `limit_reached` */
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

/**
 * 409 for a refund or an exchange credit that exceeds what is left of its return.
 * @param ofOrder of the returned order, whose payments may pay for an exchange
 */
export function returnExceeded({ returnId, left }: LeftOfReturn, requested: Money, ofOrder?: LeftOfOrder): Problem {
  const refundableAmount = money(left, requested.currency);
  const exchangedAmount = ofOrder && ofOrder.exchanged > 0 ? money(ofOrder.exchanged, requested.currency) : undefined;
  const pays = exchangedAmount ? ` ${moneyInWords(exchangedAmount)} of the payments of its order pay for an exchange.` : '';
  const sentence = `At most ${moneyInWords(refundableAmount)} can still be refunded for the return "${returnId}", not ${moneyInWords(requested)}.${pays}`;
  return new Problem('refund_exceeds_captured', sentence, { objectType: 'return', id: returnId, refundableAmount, exchangedAmount });
}

/** The changed members of a payment after a refund, and its next state. */
export function addRefund(payment: StoredPayment, refund: StoredPayment['refunds'][number]) {
  const refundedAmount = money(payment.refundedAmount.amount + refund.amount.amount, refund.amount.currency);
  const isAll = refundedAmount.amount === payment.capturedAmount.amount;
  return {
    patch: { refundedAmount, refunds: [...payment.refunds, refund] },
    to: isAll ? ('fully-refunded' as const) : ('partially-refunded' as const),
  };
}
