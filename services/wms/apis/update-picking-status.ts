import { updatePickingStatus as updatePickingStatusApi } from '../../../shared/catalog/fulfillment/apis.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { again, handle } from '../../../shared/work/handler.ts';
import { pickingOrders } from '../collections.ts';
import { refuseCancelled } from '../picking/cancelled.ts';
import { movePickingOrder } from '../picking/move-picking-order.ts';
import { refuseOtherPicking } from '../picking/picking-rules.ts';

export const updatePickingStatus = handle(updatePickingStatusApi)(async ({ params: { id }, body }, scope) => {
  const order = await scope.work.get(pickingOrders, id);
  if (!order) throw notFound('picking-order', id);
  if (order.status !== body.status) {
    await refuseCancelled(scope.work, order.fulfillmentOrderId);
    return movePickingOrder(order, body, scope);
  }
  refuseOtherPicking(order, body);
  return again(order);
});
