import { instant } from '../../../shared/domain/time.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { Patch } from '../../../shared/work/unit-of-work.ts';
import { markCancelled } from '../cancellation/cancellation.ts';
import { fulfillmentRecords, orders, type StoredOrder } from '../collections.ts';
import * as dueWork from '../due-work.ts';
import { isResolved, type Progress } from './progress.ts';

/** Whether goods of it are being worked on or are on their way. */
export const isMoving = ({ state }: StoredOrder): boolean => state === 'in-fulfilment' || state === 'partially-fulfilled';

/** Nothing of the order reached its customer. */
const NOT_FULFILLED = 'not-fulfilled';

/**
 * Writes what became of an order's goods, and moves the order where that leads: cancelled when nothing is left of it, partially
 * fulfilled when something arrived and more is to come. What needs other applications follows as due work: serving what is short,
 * paying back, and completing, which wants to know what was paid by points.
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
    ...(foundAfterRefund && { reconciliation: [...(order.reconciliation ?? []), turnedUp(fulfillmentOrderId, work.now)] }),
  };
  if (isMoving(order)) {
    const arrived = lines.some(({ fulfilledQty }) => fulfilledQty > 0);
    if (isResolved(lines) && !arrived) {
      await markCancelled(work, order, { verb: 'abandon-fulfilment', cancelReason: NOT_FULFILLED, at: work.now, patch });
      return;
    }
    if (record.short.some(({ status }) => status === 'open' || status === 'held'))
      work.schedule(dueWork.serveShortLines, order.id, work.now, {});
    if (isResolved(lines) || record.owed.some(({ status }) => status === 'owed'))
      work.schedule(dueWork.settleOrder, order.id, work.now, {});
    if (arrived && !isResolved(lines) && order.state === 'in-fulfilment') {
      work.transition(orders, order, 'fulfil-part', patch);
      return;
    }
  }
  if (Object.keys(patch).length > 0) work.transition(orders, order, 'note', patch);
}

const turnedUp = (fulfillmentOrderId: string, now: number) => ({
  fulfillmentOrderId,
  reason: 'delivered-after-refund' as const,
  at: instant(now),
});
