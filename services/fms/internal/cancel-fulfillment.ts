import { cancelFulfillment as cancelFulfillmentCall } from '../../../shared/catalog/fulfillment/internal.ts';
import { fulfillmentOrderLifeCycle } from '../../../shared/catalog/fulfillment/objects.ts';
import { handle } from '../../../shared/contract/handler.ts';
import { isAgain } from '../../../shared/domain/life-cycle.ts';
import { fulfillmentOrders, orderFulfilments, published } from '../collections.ts';
import { ALLOCATE } from '../due-kinds.ts';
import { fulfillmentOrdersOf } from '../fulfillment-order-by-id.ts';

/**
 * All of them in one commit, together with the tombstone. A Dispatch or a routing that is faster changes what was read here: then
 * this runs again, and refuses, or cancels that one as well.
 */
export const cancelFulfillment = handle(cancelFulfillmentCall)(async ({ params: { orderId } }, { work }) => {
  const fulfilment = await work.get(orderFulfilments, orderId);
  const found = await fulfillmentOrdersOf(work, orderId);
  const items = found.map((one) => {
    if (isAgain(fulfillmentOrderLifeCycle, one, 'cancel')) return one;
    work.cancel(ALLOCATE, one.id);
    return work.transition(fulfillmentOrders, one, 'cancel');
  });
  if (!fulfilment?.cancelled) work.put(orderFulfilments, { id: orderId, attempts: fulfilment?.attempts ?? [], cancelled: true });
  return { cancelled: true as const, items: items.map(published) };
});
