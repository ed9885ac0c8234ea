import { recordStockMovement } from '../../../shared/catalog/inventory/internal.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { fulfillmentOrders } from '../collections.ts';
import { restockDue } from '../due-work.ts';

/** Returned goods are on hand again at their node, once per line. */
export const restock = handleDue(restockDue)(async ({ key }, { work, call }) => {
  const found = await work.get(fulfillmentOrders, key);
  if (found?.state !== 'returned-to-sender') return;
  const { id, locationId } = found;
  for (const { orderLineId, sku, pickedQty } of found.lines.filter((line) => line.pickedQty > 0)) {
    const reference = `${id} ${orderLineId} returned-to-sender`;
    const body = { reference, kind: 'restock', locationId, sku, qty: pickedQty } as const;
    await call(recordStockMovement, { body }, { step: orderLineId });
  }
});
