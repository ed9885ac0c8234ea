import { handleDue } from '../../../shared/work/handler.ts';
import { fulfillmentOrders } from '../collections.ts';
import { takeStock } from '../dispatch/hand-over.ts';
import { takeStockDue } from '../due-work.ts';
import { parcelOf } from '../parcels/parcel.ts';

export const takeStockLater = handleDue(takeStockDue)(async ({ key }, scope) => {
  const found = await scope.work.get(fulfillmentOrders, key);
  const parcel = found && (await parcelOf(scope.work, found));
  if (!found || !parcel || parcel.stockTaken) return;
  const failure = await takeStock(found, parcel, scope);
  if (failure) throw failure;
});
