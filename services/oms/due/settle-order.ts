import { progressionOf } from '../../../shared/catalog/control/progression.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { instant } from '../../../shared/domain/time.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { withUndo } from '../cancellation/compensation.ts';
import { type FulfillmentRecord, fulfillmentRecords, orders, type StoredOrder } from '../collections.ts';
import { compensateDue, releaseHoldsDue, settleOrderDue } from '../due-work.ts';
import { isMoving } from '../fulfillment/apply-progress.ts';
import { isResolved } from '../fulfillment/progress.ts';
import { type Payment, paymentsToDecideOn } from '../payment/payments.ts';
import { earningOf, refundOwed } from '../payment/settlement.ts';

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
