import { progressionOf } from '../../shared/catalog/control/progression.ts';
import { FulfillmentOrder } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { instant } from '../../shared/domain/time.ts';
import { type EventHandler, handleDue, type Scope, unchanged } from '../../shared/work/handler.ts';
import type { Patch } from '../../shared/work/unit-of-work.ts';
import { markCancelled } from './cancellation.ts';
import { type FulfillmentRecord, fulfillmentRecords, orders, type StoredOrder } from './collections.ts';
import { withUndo } from './compensation.ts';
import { capturePaymentsDue, compensateDue, releaseHoldsDue, serveShortLinesDue, settleOrderDue } from './due-work.ts';
import { type Payment, paymentsToDecideOn } from './payments.ts';
import { freshRecord, hasBegun, isResolved, type Progress, progressAfter } from './progress.ts';
import { earningOf, refundOwed } from './refunds.ts';

/** Moves the order with its fulfillment orders, from the beginning of the work in the warehouse. */
export const onFulfillmentOrderChanged: EventHandler = async ({ data }, scope) => {
  const { work } = scope;
  const found = FulfillmentOrder.parse(data.object);
  if (found.state === 'created' || found.state === 'allocated') {
    return unchanged(`The fulfillment order is ${found.state}: the order moves when the warehouse begins its work.`);
  }
  const order = await work.get(orders, found.orderId);
  if (!order) return unchanged(`There is no order "${found.orderId}".`);
  const record = (await work.get(fulfillmentRecords, order.id)) ?? freshRecord(order.id);
  const progress = progressAfter(order, record, found);
  if (!progress) return unchanged('A later state of the fulfillment order arrived before.');
  const begins = order.state === 'confirmed' && hasBegun(found);
  if (begins) work.schedule(capturePaymentsDue, order.id, work.now, { attempt: 1 });
  const current = begins ? work.transition(orders, order, 'begin-fulfilment', { routingStatus: undefined }) : order;
  await applyProgress(current, progress, found.id, scope);
  return undefined;
};

/** Whether the warehouse works on its goods, or they are in transit. */
export const isMoving = ({ state }: StoredOrder): boolean => state === 'in-fulfilment' || state === 'partially-fulfilled';

/** `cancelReason` of an order when none of its goods reached the customer. */
const NOT_FULFILLED = 'not-fulfilled';

/**
 * Stores the progress of an order and moves the order accordingly: `cancelled` when nothing is left of it, `partially-fulfilled` when
 * some units arrived and others are to come. Steps that call other applications follow as due work: serving short units, refunding and
 * completing.
 */
export async function applyProgress(
  order: StoredOrder,
  { record, lines, foundAfterRefund }: Progress,
  fulfillmentOrderId: string,
  { work }: Scope,
): Promise<void> {
  work.put(fulfillmentRecords, record);
  const patch: Patch<StoredOrder> = {
    ...(lines !== order.lines && { lines }),
    ...(foundAfterRefund && { reconciliation: [...(order.reconciliation ?? []), reconciliationOf(fulfillmentOrderId, work.now)] }),
  };
  if (isMoving(order)) {
    const arrived = lines.some(({ fulfilledQty }) => fulfilledQty > 0);
    if (isResolved(lines) && !arrived) {
      await markCancelled(work, order, { verb: 'abandon-fulfilment', cancelReason: NOT_FULFILLED, at: work.now, patch });
      return;
    }
    if (record.short.some(({ status }) => status === 'open' || status === 'held'))
      work.schedule(serveShortLinesDue, order.id, work.now, {});
    if (isResolved(lines) || record.owed.some(({ status }) => status === 'owed')) work.schedule(settleOrderDue, order.id, work.now, {});
    if (arrived && !isResolved(lines) && order.state === 'in-fulfilment') {
      work.transition(orders, order, 'fulfil-part', patch);
      return;
    }
  }
  if (Object.keys(patch).length > 0) work.transition(orders, order, 'note', patch);
}

const reconciliationOf = (fulfillmentOrderId: string, now: number) => ({
  fulfillmentOrderId,
  reason: 'delivered-after-refund' as const,
  at: instant(now),
});

/**
 * Refunds cancelled units, and completes an order when none of its goods is in transit. A refund waits for the capture, because a payment
 * is captured in full.
 */
export const settleOrder = handleDue(settleOrderDue)(async ({ key }, scope) => {
  const { work, context } = scope;
  const order = await work.get(orders, key);
  const record = await work.get(fulfillmentRecords, key);
  if (!order || !record || !isMoving(order)) return;
  const owed = record.owed.filter(({ status }) => status === 'owed');
  if (owed.length === 0 && !isResolved(order.lines)) return;
  const before = await paymentsToDecideOn(order, scope).catch(markPending);
  const isWaiting = !isResolved(order.lines) && before.some(({ state }) => state === 'authorised' || state === 'pending');
  if (isWaiting) return;
  const byHand = progressionOf(context).refund === 'manual';
  const payments = byHand || owed.length === 0 ? before : await refundOwed({ order, owed, payments: before }, scope).catch(markPending);
  if (owed.length > 0) work.put(fulfillmentRecords, settled(record, byHand ? 'left' : 'paid'));
  if (isResolved(order.lines)) complete(order, payments);
  else if (order.compensation !== undefined) work.transition(orders, order, 'note', { compensation: undefined });

  /** The remaining authorisations were for cancelled units, so they are voided. */
  function complete(moving: StoredOrder, paid: readonly Payment[]): void {
    const unneeded = paid.filter(({ state }) => state === 'authorised').map(({ id }) => id);
    if (unneeded.length > 0) work.schedule(compensateDue, moving.id, work.now, {});
    work.schedule(releaseHoldsDue, moving.id, work.now, {});
    work.transition(orders, moving, 'complete', {
      completedAt: instant(work.now),
      ...earningOf(moving, paid),
      compensation: undefined,
      ...withUndo(moving, { payments: unneeded, vouchers: false }),
    });
  }

  /** Shows a failed refund on the order; due work tries again. */
  async function markPending(error: unknown): Promise<never> {
    if (error instanceof Problem && order && owed.length > 0 && order.compensation === undefined) {
      work.transition(orders, order, 'note', { compensation: 'pending' });
      await work.checkpoint();
    }
    throw error;
  }
});

const settled = (record: FulfillmentRecord, status: 'paid' | 'left'): FulfillmentRecord => ({
  ...record,
  owed: record.owed.map((one) => (one.status === 'owed' ? { ...one, status } : one)),
});
