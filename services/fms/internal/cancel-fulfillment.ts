import { fulfillmentOrderLifeCycle } from '../../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { cancelFulfillment as cancelFulfillmentCall } from '../../../shared/catalog/fulfillment/internal.ts';
import { isAgain } from '../../../shared/catalog/life-cycle.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { handle, type Scope } from '../../../shared/work/handler.ts';
import { fulfillmentOrders, fulfillmentOrdersOf, orderFulfillments, published, type StoredFulfillmentOrder } from '../collections.ts';
import { allocateDue } from '../due-work.ts';
import { moveUnits } from '../stock-movements.ts';
import { HAND_OVER_TIMEOUT_MS } from '../timing.ts';

/**
 * Cancels all fulfillment orders of an order in one commit, together with the tombstone. A Dispatch or a routing that commits first causes a conflict:
 * this handler runs again, and then refuses, or cancels the new fulfillment orders as well.
 */
export const cancelFulfillment = handle(cancelFulfillmentCall)(async ({ params: { orderId } }, scope) => {
  const { work } = scope;
  const fulfillment = await work.get(orderFulfillments, orderId);
  const found = await fulfillmentOrdersOf(work, orderId);
  const items = found.map((one) => {
    if (isAgain(fulfillmentOrderLifeCycle, one, 'cancel')) return one;
    work.cancel(allocateDue, one.id);
    return work.transition(fulfillmentOrders, one, 'cancel');
  });
  if (!fulfillment?.cancelled) work.put(orderFulfillments, { id: orderId, attempts: fulfillment?.attempts ?? [], cancelled: true });
  const short = items.filter(({ lines }) => lines.some(({ shortQty }) => shortQty > 0));
  if (short.length > 0) await work.checkpoint();
  return { cancelled: true as const, items: items.map(published), writtenOff: await writeOffShort(short, scope) };
});

/**
 * Missing units are written off before the OMS releases the reservations of the order. Otherwise they would be promised to others. Due work
 * writes them off as well; each unit counts once.
 * @returns whether all of them are written off
 */
async function writeOffShort(short: readonly StoredFulfillmentOrder[], { call, log }: Scope): Promise<boolean> {
  try {
    for (const one of short) await moveUnits(one, 'short', { call }, HAND_OVER_TIMEOUT_MS);
    return true;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    log.warn({ code: error.code }, `writing missing units off failed: ${error.message}`);
    return false;
  }
}
