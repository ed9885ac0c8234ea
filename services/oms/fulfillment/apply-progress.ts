import { instant } from '../../../shared/domain/time.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { Patch } from '../../../shared/work/unit-of-work.ts';
import { markCancelled } from '../cancellation/cancellation.ts';
import { fulfillmentRecords, orders, type StoredOrder } from '../collections.ts';
import { serveShortLinesDue, settleOrderDue } from '../due-work.ts';
import { isResolved, type Progress } from './progress.ts';

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
