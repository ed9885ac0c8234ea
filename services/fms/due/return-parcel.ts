import { handleDue } from '../../../shared/work/handler.ts';
import { isHandedOver, parcelOf } from '../parcels/parcel.ts';
import { returns } from '../returns/collections.ts';
import { returnParcelDue } from '../returns/due-work.ts';
import { handOverReturn } from '../returns/parcel.ts';

/** A failure is committed to the return, so that clients see it before the next attempt. */
export const handOverReturnLater = handleDue(returnParcelDue)(async ({ key }, scope) => {
  const found = await scope.work.get(returns, key);
  const parcel = found && (await parcelOf(scope.work, found));
  if (!found || !parcel || isHandedOver(found, parcel)) return;
  const failure = await handOverReturn(found, parcel, scope);
  if (!failure) return;
  await scope.work.checkpoint();
  throw failure;
});
