import { createPickingOrder as createPickingOrderApi } from '../../../shared/catalog/fulfillment/apis.ts';
import { again, handle } from '../../../shared/work/handler.ts';
import { pickingOrders } from '../collections.ts';
import { openPickingOrder } from '../picking/open-picking-order.ts';

export const createPickingOrder = handle(createPickingOrderApi)(async ({ body: { fulfillmentOrderId } }, scope) => {
  const existing = await scope.work.findUnique(pickingOrders, 'fulfillmentOrder', fulfillmentOrderId);
  return existing ? again(existing) : openPickingOrder(fulfillmentOrderId, scope);
});
