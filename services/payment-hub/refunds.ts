import { z } from 'zod';
import { progressionOf } from '../../shared/catalog/control/progression.ts';
import type { InputOf } from '../../shared/catalog/define.ts';
import { refusal, rowFor } from '../../shared/catalog/life-cycle.ts';
import { LIMITS, limitReached } from '../../shared/catalog/limits.ts';
import { announceRefund, getPayable } from '../../shared/catalog/order/internal.ts';
import { noteRefundResult as noteRefundResultApi, refundPayment as refundPaymentApi } from '../../shared/catalog/payment/apis.ts';
import { refundableOf } from '../../shared/catalog/payment/cover.ts';
import { paymentLifeCycle } from '../../shared/catalog/payment/objects.ts';
import type { RefundBehaviour } from '../../shared/catalog/payment/reference-data.ts';
import { hasFailed, owedAfterFailures, refundId } from '../../shared/catalog/payment/refunds.ts';
import { isExternal } from '../../shared/catalog/payment/tender.ts';
import { conflictingRepeat, invalid, notFound, Problem, undefinedIf } from '../../shared/catalog/problems.ts';
import type { Figures } from '../../shared/catalog/retailer.ts';
import { durationMs } from '../../shared/domain/duration.ts';
import { inCoins, type Money, money, moneyInWords } from '../../shared/domain/money.ts';
import { instant } from '../../shared/domain/time.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { defineDueWork } from '../../shared/work/due-work.ts';
import { again, handle, handleDue, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { giftCardBalances, giftCards, payments, paymentTokens, published, returnCovers, type StoredPayment } from './collections.ts';
import {
  giveBack,
  type LeftOfOrder,
  type LeftOfReturn,
  leftOfOrder,
  movePayment,
  nextSequence,
  raisePayable,
  syncReturnCover,
} from './funds.ts';

export const refundPayment = handle(refundPaymentApi)(async ({ params, body }, scope) => {
  const { work } = scope;
  const payment = await requireObject(work, payments, params.id);
  const { reference } = body;
  const isRepeat = reference !== undefined && payment.refunds.some((refunded) => refunded.reference === reference);
  if (isRepeat || isNotedAlready(payment, body)) return again(published(payment));
  rowFor(paymentLifeCycle, payment, 'refund');
  refuseWhileDisputed(payment, 'refund');
  if (body.payOutTo) await refusePayOut(scope, payment, { amount: body.amount, payOutTo: body.payOutTo });
  const ofReturn = await limitOf(scope, payment, body);
  refuseExcessiveRefund(payment, body.amount, { ofReturn, ofOrder: await leftOfOrder(work, payment.orderId) });
  refuseFurtherRefund(payment, body, ofReturn);
  // A client notes what the provider of an external payment has done. Applications decide refunds that the client has to make.
  const isNoted = isExternal(payment.tender) && scope.context.chain.length === 0;
  return published(await refund(scope, payment, body, { isNoted }));
});

type Body = InputOf<typeof refundPaymentApi>['body'];

/**
 * Whether the refund of an external payment is noted already.
 * @throws Problem `conflicting_repeat` for another amount; `validation_failed` for a tender whose refunds the Payment Hub makes itself
 */
function isNotedAlready({ id, tender, refunds }: StoredPayment, { providerReference, amount }: Body): boolean {
  if (providerReference === undefined) return false;
  if (!isExternal(tender)) {
    const detail = `The payment "${id}" is by ${tender.type}, so the Payment Hub refunds it itself; leave the reference of the provider out.`;
    throw invalid('/providerReference', 'unexpected', detail);
  }
  const noted = refunds.find((refunded) => refunded.providerReference === providerReference);
  if (!noted || noted.amount.amount === amount.amount) return noted !== undefined;
  const detail = `The refund "${providerReference}" of the payment "${id}" is noted with ${moneyInWords(noted.amount)}, not ${moneyInWords(amount)}. Give each refund of the provider its own reference.`;
  throw conflictingRepeat(detail, { amount: noted.amount }, { objectType: 'payment', id });
}

/** A refund for a return is limited to the rest of the return's value, which the OMS determines. */
async function limitOf({ work, call }: Scope, { orderId }: StoredPayment, body: Body): Promise<LeftOfReturn | undefined> {
  const { returnId } = body;
  if (returnId === undefined) return undefined;
  // A repeat after the announcement has ended is another announcement.
  const announced = { step: `refund ${work.now}`, isSeparate: true } as const;
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

type RefundRequest = Pick<
  StoredPayment['refunds'][number],
  'amount' | 'reason' | 'returnId' | 'reference' | 'payOutTo' | 'providerReference'
>;

/**
 * Refunds a part of the captured amount to its tender, or to the gift card that the request names. The tender may make it pending.
 * @param isNoted the provider of an external payment has made the refund already
 */
export async function refund(
  { work, context }: Pick<Scope, 'work' | 'context'>,
  payment: StoredPayment,
  request: RefundRequest,
  { isNoted = false }: { readonly isNoted?: boolean } = {},
): Promise<StoredPayment> {
  const { amount, reason, returnId, reference, payOutTo, providerReference } = request;
  const isAwaited = isExternal(payment.tender) && !isNoted && !payOutTo;
  const behaviour = payOutTo || isNoted ? undefined : await behaviourOf({ work, context }, payment);
  const { patch, to } = addRefund(payment, {
    amount: money(amount.amount, amount.currency),
    state: behaviour || isAwaited ? 'pending' : 'succeeded',
    rounding: payOutTo ? undefined : roundingOf(payment, amount, work.figures),
    reason,
    returnId,
    reference,
    payOutTo,
    providerReference,
    at: instant(work.now),
    sequence: await nextSequence(work, payment.orderId),
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

/** How long the client of an external payment takes if the rehearsal plays it. */
const PLAYED: RefundBehaviour = { after: 'PT1H', outcome: 'succeed' };

/**
 * How the provider treats refunds to this token; undefined if they succeed immediately, as with all tenders of the retailer. A refund of an
 * external payment that the estate decides is paid out by the client.
 */
async function behaviourOf(
  { work, context }: Pick<Scope, 'work' | 'context'>,
  { tender: { type, token } }: StoredPayment,
): Promise<RefundBehaviour | undefined> {
  if (type === 'external') return progressionOf(context).external === 'auto' ? PLAYED : undefined;
  if ((type !== 'card' && type !== 'bnpl') || token === undefined) return undefined;
  const rule = (await work.get(paymentTokens, token))?.rule;
  return rule?.outcome === 'approve' ? rule.refund : undefined;
}

/** The provider has decided a pending refund. */
export const decideRefund = handleDue(decideRefundDue)(async ({ payload }, { work }) => {
  const { paymentId, position, failureReason } = payload;
  const payment = await work.get(payments, paymentId);
  if (payment?.refunds[position - 1]?.state === 'pending') await endRefund(work, payment, { position, failureReason });
});

/** The client reports what the provider of an external payment has done. */
export const noteRefundResult = handle(noteRefundResultApi)(async ({ params: { id, refundId: name }, body }, { work }) => {
  const payment = await requireObject(work, payments, id);
  const position = payment.refunds.findIndex((_refunded, index) => refundId(id, index) === name) + 1;
  const refunded = payment.refunds[position - 1];
  if (!refunded) throw notFound('refund', name);
  const { state, failureReason, providerReference } = body;
  if (!isExternal(payment.tender)) {
    const detail = `The payment "${id}" is by ${payment.tender.type}, so its provider reports the refund itself. Only the result of an external payment is noted.`;
    throw refusal('payment', payment, state === 'failed' ? 'fail-refund' : 'settle-refund', detail);
  }
  if (refunded.state !== 'pending') {
    refuseOtherResult(name, refunded, body);
    return again(published(payment));
  }
  const twin = payment.refunds.findIndex((other) => other.providerReference !== undefined && other.providerReference === providerReference);
  if (twin >= 0 && twin !== position - 1) {
    const detail = `The reference "${providerReference}" belongs to the refund "${refundId(id, twin)}" of the payment "${id}". Give each refund of the provider its own reference.`;
    throw conflictingRepeat(detail, { providerReference }, { objectType: 'payment', id });
  }
  work.cancel(decideRefundDue, name);
  return published(await endRefund(work, payment, { position, failureReason, providerReference }));
});

/** @throws Problem `conflicting_repeat` for a decided refund that the request decides in another way */
function refuseOtherResult(name: string, refunded: Refund, asked: InputOf<typeof noteRefundResultApi>['body']): void {
  const differs = (['state', 'failureReason', 'providerReference'] as const).filter(
    (member) => asked[member] !== undefined && asked[member] !== refunded[member],
  );
  if (differs.length === 0) return;
  const standing = Object.fromEntries(differs.map((member) => [member, refunded[member] ?? null]));
  const detail = `The refund "${name}" ${refunded.state} already, with other values in ${differs.join(' and ')}. A result is noted once; refund again with Refund Payment if the customer has no money.`;
  throw conflictingRepeat(detail, standing, { objectType: 'refund', id: name });
}

type Refund = StoredPayment['refunds'][number];

interface RefundResult extends Pick<Refund, 'failureReason' | 'providerReference'> {
  /** Its number among the refunds, from 1. */
  readonly position: number;
}

/** Ends a pending refund. After a failure its amount counts as captured and not refunded again, and the return is owed it again. */
async function endRefund(
  work: UnitOfWork,
  payment: StoredPayment,
  { position, failureReason, providerReference }: RefundResult,
): Promise<StoredPayment> {
  const before = payment.refunds[position - 1];
  if (!before) throw new Error(`The payment ${payment.id} has no refund ${position}.`);
  const refunded = { ...before, ...(providerReference !== undefined && { providerReference }) };
  const end = { decidedAt: instant(work.now), decidedSequence: await nextSequence(work, payment.orderId) };
  const decided =
    failureReason === undefined
      ? { ...refunded, ...end, state: 'succeeded' as const }
      : { ...refunded, ...end, state: 'failed' as const, failureReason };
  const refunds = payment.refunds.with(position - 1, decided);
  if (failureReason === undefined) {
    return work.transition(payments, payment, 'settle-refund', { refunds });
  }
  const { amount, returnId } = refunded;
  const refundedAmount = money(payment.refundedAmount.amount - amount.amount, amount.currency);
  const to = refundedAmount.amount > 0 ? 'partially-refunded' : 'captured';
  await raisePayable(work, payment, amount);
  const moved = movePayment(work, payment, 'fail-refund', { refunds, refundedAmount }, to);
  if (returnId !== undefined) work.move(returnCovers, returnId, { used: -amount.amount });
  return moved;
}

/**
 * A gift card may receive an amount whose refund to the tender failed, and no other: money returns to the tender that paid it.
 * @throws Problem `validation_failed` for an unknown card or another currency, `refund_exceeds_captured` beyond that amount
 */
async function refusePayOut(
  { work, call }: Pick<Scope, 'work' | 'call'>,
  payment: StoredPayment,
  { amount, payOutTo: { token } }: Required<Pick<RefundRequest, 'amount' | 'payOutTo'>>,
): Promise<void> {
  const card = await work.get(giftCards, token);
  if (!card) throw invalid('/payOutTo/token', 'unknown_gift_card', 'No gift card has this token.');
  if (card.currency !== amount.currency) {
    throw invalid('/payOutTo/token', 'currency_not_supported', `The gift card has ${card.currency}, not ${amount.currency}.`);
  }
  const failed = owedAfterFailures([payment]);
  if (amount.amount <= failed) return;
  const owed = (await owesTheRest(payment, call)) ? refundableOf(payment).amount : failed;
  if (amount.amount <= owed) return;
  const refundableAmount = money(owed, amount.currency);
  const detail = `A gift card can receive ${moneyInWords(refundableAmount)} of this payment, whose refunds failed, not ${moneyInWords(amount)}. Refund the rest to its own tender.`;
  throw new Problem('refund_exceeds_captured', detail, { objectType: 'payment', id: payment.id, refundableAmount });
}

/** A cancelled order owes all that it keeps, and no refund of the estate brings it to a tender whose refund failed. */
async function owesTheRest({ orderId, refunds }: StoredPayment, call: Scope['call']): Promise<boolean> {
  if (!refunds.some(hasFailed)) return false;
  const order = await call(getPayable, { params: { id: orderId } }).catch(undefinedIf('not_found'));
  return order?.state === 'cancelled';
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
    patch: { refundedAmount, refunds: [...payment.refunds, { id: refundId(payment.id, payment.refunds.length), ...refund }] },
    to: isAll ? ('fully-refunded' as const) : ('partially-refunded' as const),
  };
}
