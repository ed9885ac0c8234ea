import { progressionOf } from '../../../shared/catalog/control/progression.ts';
import { allowedFrom, refusal } from '../../../shared/catalog/life-cycle.ts';
import { ensureCaptured as ensureCapturedCall } from '../../../shared/catalog/order/internal.ts';
import { orderLifeCycle } from '../../../shared/catalog/order/objects.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { money, moneyInWords } from '../../../shared/domain/money.ts';
import { handle } from '../../../shared/work/handler.ts';
import { fulfillmentRecords, orderById, orders, type StoredOrder } from '../collections.ts';
import { capturePaymentsDue, settleOrderDue } from '../due-work.ts';
import { requiredFor } from '../order/lines.ts';
import { captureIfPossible, isCovered } from '../payment/capture.ts';
import { paymentsOf } from '../payment/payments.ts';
import { coverageOf } from '../payment/status.ts';
import { DECIDE_TIMEOUT_MS } from '../timing.ts';

/** Captures missing amounts before the dispatch, and refuses it unless captured − refunded covers the goods. */
export const ensureCaptured = handle(ensureCapturedCall)(async ({ params, body }, scope) => {
  const { work, context } = scope;
  const found = await orderById(work, params.id);
  refuseUndispatchable(found);
  // The event that picking has begun may not have arrived yet, and payments are captured only in fulfilment.
  const order = found.state === 'confirmed' ? work.transition(orders, found, 'begin-fulfilment', { routingStatus: undefined }) : found;
  if (order !== found) {
    work.schedule(capturePaymentsDue, order.id, work.now, { attempt: 1 });
    await work.checkpoint();
  }
  const required = requiredFor(order);
  const byHand = progressionOf(context).capture === 'manual';
  const payments =
    order.totals.total.amount === 0
      ? []
      : byHand
        ? await paymentsOf(order.id, scope, DECIDE_TIMEOUT_MS)
        : await captureIfPossible(order.id, scope, (now) => isCovered(now, required));
  const { netCaptured, refunded } = coverageOf(payments);
  const { currency } = order.totals.total;
  if (netCaptured < required) {
    throw incomplete(order, { ...body, missing: required - netCaptured, isCaptured: netCaptured + refunded >= required });
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
    const detail = `The order "${id}" is ${state}; goods are dispatched for an order that is ${allowed.join(', ')}.`;
    throw refusal('order', order, 'dispatch', detail, { allowedFrom: allowed });
  }
  if (!pendingAction) return;
  const detail = `The order "${id}" is being cancelled (since ${pendingAction.since}); send this request again when that has ended.`;
  throw refusal('order', order, 'dispatch', detail, { allowedFrom: allowed, pendingAction, retryable: true, retryAfter: 1 });
}

interface Shortfall {
  readonly fulfillmentOrderId: string;
  readonly missing: number;
  /** Whether enough was captured, but some of it was refunded. */
  readonly isCaptured: boolean;
}

function incomplete({ id, totals }: StoredOrder, { fulfillmentOrderId, missing, isCaptured }: Shortfall): Problem {
  const outstanding = money(missing, totals.total.currency);
  const amount = `${moneyInWords(outstanding)} of the order "${id}"`;
  const sentence = isCaptured
    ? `${amount} were refunded; authorise them again, then dispatch, or cancel the order. Refund goodwill after the dispatch.`
    : `${amount} are not captured; authorise and capture them, then dispatch again.`;
  return new Problem('payment_incomplete', sentence, { objectType: 'order', id, outstanding, fulfillmentOrderId });
}
