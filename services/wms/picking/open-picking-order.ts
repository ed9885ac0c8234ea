import { Problem } from '../../../shared/catalog/problems.ts';
import { instant } from '../../../shared/domain/time.ts';
import { type PickingOrder, pickingOrderIdOf, pickingOrders } from '../collections.ts';
import { finishOpeningDue } from '../due-work.ts';
import { TAKE_OVER_MS } from '../timing.ts';
import { type PickingScope, reportToFms } from './move-picking-order.ts';

/**
 * Opens a picking order. The FMS comes first: it has the lines, and decides whether the fulfillment order may still be picked. Due work
 * finishes an interrupted request.
 * @returns the picking order, or the refusal of the FMS
 */
export async function openPickingOrder(fulfillmentOrderId: string, scope: PickingScope): Promise<PickingOrder | Problem> {
  const { work } = scope;
  const id = pickingOrderIdOf(fulfillmentOrderId);
  work.schedule(finishOpeningDue, id, work.now + TAKE_OVER_MS, { fulfillmentOrderId });
  await work.checkpoint();
  return carryOutOpening(fulfillmentOrderId, scope);
}

/** Carries out an intended opening: reports it to the FMS, and stores the picking order unless the FMS refuses. */
export async function carryOutOpening(fulfillmentOrderId: string, scope: PickingScope): Promise<PickingOrder | Problem> {
  const { work } = scope;
  const id = pickingOrderIdOf(fulfillmentOrderId);
  const answered = await reportToFms(scope, { id, fulfillmentOrderId }, { status: 'open' });
  work.cancel(finishOpeningDue, id);
  if (answered instanceof Problem) return answered;
  const at = instant(work.now);
  return work.put(pickingOrders, {
    id,
    fulfillmentOrderId,
    status: 'open',
    lines: answered.lines.map(({ orderLineId, sku, qty }) => ({ orderLineId, sku, qty, pickedQty: 0 })),
    createdAt: at,
    updatedAt: at,
  });
}
