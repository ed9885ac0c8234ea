import { cancelFulfillment as cancelFulfillmentCall } from '../../../shared/catalog/fulfillment/internal.ts';
import { fulfillmentOrderLifeCycle } from '../../../shared/catalog/fulfillment/objects.ts';
import { isAgain } from '../../../shared/catalog/life-cycle.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { handle, type Scope } from '../../../shared/work/handler.ts';
import { fulfillmentOrders, orderFulfilments, published, type StoredFulfillmentOrder } from '../collections.ts';
import { allocateDue } from '../due-work.ts';
import { fulfillmentOrdersOf } from '../fulfillment-order-by-id.ts';
import { moveUnits } from '../stock-movements.ts';
import { HAND_OVER_TIMEOUT_MS } from '../timing.ts';

/**
 * All of them in one commit, together with the tombstone. A Dispatch or a routing that is faster changes what was read here: then
 * this runs again, and refuses, or cancels that one as well.
 */
export const cancelFulfillment = handle(cancelFulfillmentCall)(async ({ params: { orderId } }, scope) => {
  const { work } = scope;
  const fulfilment = await work.get(orderFulfilments, orderId);
  const found = await fulfillmentOrdersOf(work, orderId);
  const items = found.map((one) => {
    if (isAgain(fulfillmentOrderLifeCycle, one, 'cancel')) return one;
    work.cancel(allocateDue, one.id);
    return work.transition(fulfillmentOrders, one, 'cancel');
  });
  if (!fulfilment?.cancelled) work.put(orderFulfilments, { id: orderId, attempts: fulfilment?.attempts ?? [], cancelled: true });
  const short = items.filter(({ lines }) => lines.some(({ shortQty }) => shortQty > 0));
  if (short.length > 0) await work.checkpoint();
  return { cancelled: true as const, items: items.map(published), writtenOff: await areWrittenOff(short, scope) };
});

/**
 * The holds of a cancelled order are given back. What the warehouse did not find is written off before, or it would be promised to
 * others. Due work writes it off as well; a repeat counts once.
 */
async function areWrittenOff(short: readonly StoredFulfillmentOrder[], { call, log }: Scope): Promise<boolean> {
  try {
    for (const one of short) await moveUnits(one, 'short', { call }, HAND_OVER_TIMEOUT_MS);
    return true;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    log.warn({ code: error.code }, `what was short is not written off yet: ${error.message}`);
    return false;
  }
}
