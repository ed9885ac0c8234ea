import { getShipmentData as getShipmentDataCall } from '../../../shared/catalog/fulfillment/internal.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { handle } from '../../../shared/work/handler.ts';
import { parcels } from '../collections.ts';

export const getShipmentData = handle(getShipmentDataCall)(async ({ params: { id } }, { work }) => {
  const parcel = await work.get(parcels, id);
  if (!parcel) throw notFound('shipment', id);
  return parcel.data;
});
