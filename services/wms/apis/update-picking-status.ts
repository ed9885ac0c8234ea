import { updatePickingStatus as updatePickingStatusApi } from '../../../shared/catalog/fulfillment/apis.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { again, handle } from '../../../shared/contract/handler.ts';
import { pickingOrders } from '../collections.ts';
import { movePickingOrder } from '../picking.ts';

export const updatePickingStatus = handle(updatePickingStatusApi)(async ({ params: { id }, body }, scope) => {
  const order = await scope.work.get(pickingOrders, id);
  if (!order) throw notFound('picking-order', id);
  return order.status === body.status ? again(order) : movePickingOrder(order, body, scope);
});
