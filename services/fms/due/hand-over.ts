import { handleDue } from '../../../shared/work/handler.ts';
import { fulfillmentOrders } from '../collections.ts';
import { handOver } from '../dispatch/hand-over.ts';
import { handOverDue } from '../due-work.ts';
import { isHandedOver, parcelOf } from '../parcels/parcel.ts';

/** A failure is committed to the fulfillment order, so that clients see it before the next attempt. */
export const handOverLater = handleDue(handOverDue)(async ({ key }, scope) => {
  const found = await scope.work.get(fulfillmentOrders, key);
  const parcel = found && (await parcelOf(scope.work, found));
  if (!found || !parcel || isHandedOver(found, parcel)) return;
  const { failure } = await handOver(found, parcel, scope);
  if (!failure) return;
  await scope.work.checkpoint();
  throw failure;
});
