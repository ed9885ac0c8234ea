import { putShipment as putShipmentCall } from '../../../shared/catalog/fulfillment/internal.ts';
import { handle } from '../../../shared/work/handler.ts';
import { published, shipments } from '../collections.ts';
import { register } from '../parcel/labelling.ts';

/** Registered once, whatever a repeat says: by then the parcel may be on its way. */
export const putShipment = handle(putShipmentCall)(async ({ params: { id }, body }, { work }) =>
  published((await work.get(shipments, id)) ?? register(work, { ...body, id })),
);
