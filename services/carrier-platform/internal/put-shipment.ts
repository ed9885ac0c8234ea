import { putShipment as putShipmentCall } from '../../../shared/catalog/fulfillment/internal.ts';
import { handle } from '../../../shared/work/handler.ts';
import { published, shipments } from '../collections.ts';
import { registerParcel } from '../parcel/labelling.ts';

/** A parcel is registered once. A repeat changes nothing, since the parcel may be on its way. */
export const putShipment = handle(putShipmentCall)(async ({ params: { id }, body }, { work }) =>
  published((await work.get(shipments, id)) ?? registerParcel(work, { ...body, id })),
);
