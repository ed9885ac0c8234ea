import { allocateInventory } from '../../../shared/catalog/inventory/apis.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { fulfillmentOrders } from '../collections.ts';
import { allocateDue } from '../due-work.ts';

/** The stock is reserved for the order already, so allocating a line moves none. */
export const allocate = handleDue(allocateDue)(async ({ key }, { work, call }) => {
  const found = await work.get(fulfillmentOrders, key);
  if (found?.state !== 'created') return;
  const { orderId, reservationId } = found;
  for (const { orderLineId, sku, qty } of found.lines) {
    await call(allocateInventory, { body: { orderId, orderLineId, sku, qty, reservationId } }, { step: orderLineId });
  }
  work.transition(fulfillmentOrders, found, 'allocate');
});
