import { trackShipment as trackShipmentApi } from '../../../shared/catalog/fulfillment/apis.ts';
import { shipmentLifeCycle } from '../../../shared/catalog/fulfillment/shipments.ts';
import { refusal } from '../../../shared/catalog/life-cycle.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { handle } from '../../../shared/work/handler.ts';
import { published, shipments } from '../collections.ts';

/** The carrier does not have a parcel without a label, so there is nothing to track. */
export const trackShipment = handle(trackShipmentApi)(async ({ params: { id } }, { work }) => {
  const shipment = await work.get(shipments, id);
  if (!shipment) throw notFound('shipment', id);
  if (shipment.state !== 'pending') return published(shipment);
  throw refusal(
    'shipment',
    { id, state: shipment.state },
    'track',
    `The shipment "${id}" is pending: it can be tracked once it has a label.`,
    { allowedFrom: shipmentLifeCycle.states.filter((state) => state !== 'pending') },
  );
});
