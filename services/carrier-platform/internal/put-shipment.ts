import { putShipment as putShipmentCall } from '../../../shared/catalog/fulfillment/internal.ts';
import { handle } from '../../../shared/work/handler.ts';
import { published, shipments } from '../collections.ts';
import { registerParcel } from '../parcel/labelling.ts';

/** Registers a parcel once. A repeat changes nothing, because the parcel may be in transit. */
export const putShipment = handle(putShipmentCall)(async ({ params: { id }, body }, { work }) =>
  published((await work.get(shipments, id)) ?? registerParcel(work, { ...body, id })),
);
