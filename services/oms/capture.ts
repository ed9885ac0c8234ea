import { progressionOf } from '../../shared/catalog/control/progression.ts';
import { allowedFrom, refusal } from '../../shared/catalog/life-cycle.ts';
import { ensureCaptured as ensureCapturedCall } from '../../shared/catalog/order/internal.ts';
import { orderLifeCycle } from '../../shared/catalog/order/objects.ts';
import { coverageOf, isLost, requiredFor, stillToCapture, stillToPay } from '../../shared/catalog/payment/cover.ts';
import { absentApplication, Problem } from '../../shared/catalog/problems.ts';
import { money, moneyInWords } from '../../shared/domain/money.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { handle, handleDue } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { paysAtCollection } from './baskets.ts';
import { fulfillmentRecords, orders, type StoredOrder } from './collections.ts';
import { CAPTURE_RETRY_DELAYS_MS, capturePaymentsDue, DECIDE_TIMEOUT_MS, RECHECK_MS, settleOrderDue } from './due-work.ts';
import { isMoving } from './fulfillment.ts';
import { AUTHORISATION_LOST } from './lost-authorizations.ts';
import { captureIfPossible, captureUntil, isDeclinedAtCapture, type Payment, paymentsOf } from './payments.ts';
import { doing, giveUp } from './pending-action.ts';

const CAPTURE_FAILED = 'capture-failed';

/** Captures all authorised payments once the warehouse has begun its work, unless captures are manual. */
export const capturePayments = handleDue(capturePaymentsDue)(async ({ key, payload }, scope) => {
  const { work, context, log } = scope;
  const order = await work.get(orders, key);
  if (!order || !isMoving(order)) return;
  if (order.pendingAction) {
    work.schedule(capturePaymentsDue, key, work.now + RECHECK_MS, payload);
    return;
  }
  if (progressionOf(context).capture === 'manual' || order.totals.total.amount === 0) {
    clearCaptureStatus(work, order);
    return;
  }
  const { attempt } = payload;
  try {
    const isPaidLater = paysAtCollection(order);
    const payments = await (isPaidLater ? captureIfPossible : captureUntil)(key, scope, () => false);
    if (isPaidLater || !isLost(requiredFor(order), payments)) clearCaptureStatus(work, order);
    else if (payments.some(isDeclinedAtCapture)) retryOrGiveUp(work, order, attempt);
    else giveUp(work, order, { cancelReason: AUTHORISATION_LOST, captureStatus: undefined });
    const record = await work.get(fulfillmentRecords, key);
    if (record?.owed.some(({ status }) => status === 'owed')) work.schedule(settleOrderDue, key, work.now, {});
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    log.warn({ orderId: key, attempt, code: error.code }, `capturing payments failed: ${error.message}`);
    if (absentApplication(error) === undefined) {
      retryOrGiveUp(work, order, attempt);
      return;
    }
    // The Payment Hub did not answer. The work is retried, as other work is.
    noteRetrying(work, order);
    await work.checkpoint();
    throw error;
  }
});

function clearCaptureStatus(work: UnitOfWork, order: StoredOrder): void {
  if (order.captureStatus !== undefined) work.transition(orders, order, 'note', { captureStatus: undefined });
}

/** After a declined capture, the customer may pay with another tender until the last attempt. */
function retryOrGiveUp(work: UnitOfWork, order: StoredOrder, attempt: number): void {
  const wait = CAPTURE_RETRY_DELAYS_MS[attempt - 1];
  if (wait === undefined) {
    giveUp(work, order, { cancelReason: CAPTURE_FAILED, captureStatus: undefined });
    return;
  }
  work.schedule(capturePaymentsDue, order.id, work.now + wait, { attempt: attempt + 1 });
  noteRetrying(work, order);
}

function noteRetrying(work: UnitOfWork, order: StoredOrder): void {
  if (order.captureStatus === undefined) work.transition(orders, order, 'note', { captureStatus: 'retrying' });
}

/** Captures missing amounts before the dispatch, and refuses it unless captured − refunded covers the goods. */
export const ensureCaptured = handle(ensureCapturedCall)(async ({ params, body }, scope) => {
  const { work, context } = scope;
  const found = await requireObject(work, orders, params.id);
  refuseUndispatchable(found);
  // The event that picking has begun may not have arrived yet, and payments are captured only in fulfilment.
  const order = found.state === 'confirmed' ? work.transition(orders, found, 'begin-fulfilment', { routingStatus: undefined }) : found;
  if (order !== found) {
    work.schedule(capturePaymentsDue, order.id, work.now, { attempt: 1 });
    await work.checkpoint();
  }
  const required = requiredFor(order);
  const byHand = progressionOf(context).capture === 'manual' && !body.atTill;
  // The rest is paid at a till, which may still return the other part.
  const isPaidInPart = (now: readonly Payment[]): boolean => paysAtCollection(order) && stillToPay(required, now) > 0;
  const payments =
    order.totals.total.amount === 0
      ? []
      : byHand
        ? await paymentsOf(order.id, scope, DECIDE_TIMEOUT_MS)
        : await captureIfPossible(order.id, scope, (now) => stillToCapture(required, now) === 0 || isPaidInPart(now));
  const { netCaptured, refunded } = coverageOf(payments);
  const { currency } = order.totals.total;
  const missing = stillToCapture(required, payments);
  if (missing > 0 && !(body.toStore && paysAtCollection(order))) {
    await work.ensureCurrent(orders, order);
    const isForTill = paysAtCollection(order) && stillToPay(required, payments) > 0;
    throw incomplete(order, {
      ...body,
      missing: isForTill ? stillToPay(required, payments) : missing,
      isCaptured: netCaptured + refunded >= required,
      isForTill,
    });
  }
  if (order.captureStatus !== undefined) {
    work.cancel(capturePaymentsDue, order.id);
    work.transition(orders, order, 'note', { captureStatus: undefined });
  }
  const record = await work.get(fulfillmentRecords, order.id);
  if (record?.owed.some(({ status }) => status === 'owed')) work.schedule(settleOrderDue, order.id, work.now, {});
  return {
    orderId: order.id,
    captured: money(netCaptured + refunded, currency),
    refunded: money(refunded, currency),
    required: money(required, currency),
  };
});

function refuseUndispatchable(order: StoredOrder): void {
  const { id, state, pendingAction } = order;
  const allowed = ['confirmed', ...allowedFrom(orderLifeCycle, 'complete')];
  if (!allowed.includes(state)) {
    const detail = `The order "${id}" is ${state}; its goods can be dispatched while it is ${allowed.join(', ')}.`;
    throw refusal('order', order, 'dispatch', detail, { allowedFrom: allowed });
  }
  if (!pendingAction) return;
  const detail = `The order "${id}" is ${doing[pendingAction.action]} (since ${pendingAction.since}); repeat the request after that.`;
  throw refusal('order', order, 'dispatch', detail, { allowedFrom: allowed, pendingAction, retryable: true, retryAfter: 1 });
}

/**
 * @param isCaptured enough was captured, but some of it was refunded
 * @param isForTill the customer pays the missing amount when the goods are collected
 */
function incomplete(
  { id, totals, collection }: StoredOrder,
  {
    fulfillmentOrderId,
    missing,
    isCaptured,
    isForTill,
    toStore,
  }: { fulfillmentOrderId: string; missing: number; isCaptured: boolean; isForTill: boolean; toStore?: true },
): Problem {
  const outstanding = money(missing, totals.total.currency);
  const amount = `${moneyInWords(outstanding)} of the order "${id}"`;
  const step = collection && !toStore ? 'hand over' : 'dispatch';
  const sentence = isForTill
    ? `${amount} are not paid; take them at a till of the store (Create Transaction with orderId), then hand the goods over.`
    : isCaptured
      ? `${amount} were refunded; authorise them again, then ${step}, or cancel the order. Refund goodwill when the goods have left.`
      : `${amount} are not captured; authorise and capture them, then ${step} again.`;
  return new Problem('payment_incomplete', sentence, { objectType: 'order', id, outstanding, fulfillmentOrderId });
}
