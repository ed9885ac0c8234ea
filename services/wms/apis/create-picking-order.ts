import { createPickingOrder as createPickingOrderApi } from '../../../shared/catalog/fulfillment/apis.ts';
import { again, handle } from '../../../shared/work/handler.ts';
import { pickingOrders } from '../collections.ts';
import { refuseCancelled } from '../picking/cancelled.ts';
import { openPickingOrder } from '../picking/open-picking-order.ts';

export const createPickingOrder = handle(createPickingOrderApi)(async ({ body: { fulfillmentOrderId } }, scope) => {
  const existing = await scope.work.findUnique(pickingOrders, 'fulfillmentOrder', fulfillmentOrderId);
  if (!existing) return openPickingOrder(fulfillmentOrderId, scope);
  await refuseCancelled(scope.work, fulfillmentOrderId);
  return again(existing);
});
