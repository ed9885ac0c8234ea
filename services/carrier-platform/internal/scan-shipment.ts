import { scanShipment as scanShipmentCall } from '../../../shared/catalog/fulfillment/internal.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { handle } from '../../../shared/work/handler.ts';
import { published, shipments } from '../collections.ts';
import { scanParcel } from '../parcel/scanning.ts';

export const scanShipment = handle(scanShipmentCall)(async ({ params: { id }, body }, { work, context }) => {
  const shipment = await work.get(shipments, id);
  if (!shipment) throw notFound('shipment', id);
  return published(await scanParcel(shipment, body, { work, context }));
});
