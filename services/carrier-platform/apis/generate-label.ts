import type { InputOf } from '../../../shared/catalog/define.ts';
import { generateLabel as generateLabelApi } from '../../../shared/catalog/fulfillment/apis.ts';
import { getShipmentData } from '../../../shared/catalog/fulfillment/internal.ts';
import { shipmentLifeCycle } from '../../../shared/catalog/fulfillment/shipments.ts';
import { isAgain } from '../../../shared/catalog/life-cycle.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { again, handle, type Scope } from '../../../shared/work/handler.ts';
import { refuseOtherContent } from '../../../shared/work/repeats.ts';
import { published, type StoredShipment, shipments } from '../collections.ts';
import { labelParcel, registerParcel } from '../parcel/labelling.ts';

type Body = InputOf<typeof generateLabelApi>['body'];

export const generateLabel = handle(generateLabelApi)(async ({ params: { id }, body }, scope) => {
  const shipment = (await scope.work.get(shipments, id)) ?? (await registerFromFms(id, scope));
  if (isAgain(shipmentLifeCycle, shipment, 'label')) {
    refuseOtherLabel(shipment, body);
    return again(published(shipment));
  }
  return published(await labelParcel(shipment, body, scope));
});

/** @throws Problem `conflicting_repeat` when the label is of another carrier or service */
function refuseOtherLabel({ id, carrier, service }: StoredShipment, asked: Body): void {
  const { carrier: otherCarrier, service: otherService } = asked;
  refuseOtherContent(
    { carrier: otherCarrier, service: otherService },
    { carrier, service },
    { objectType: 'shipment', id, what: 'has its label' },
  );
}

/**
 * Registers a parcel whose registration has not arrived yet, with data that is read from the FMS. The FMS itself registers a parcel before
 * it requests the label, so an unknown parcel in its request is refused.
 * @throws Problem `not_found`
 */
async function registerFromFms(id: string, { work, call, context }: Scope): Promise<StoredShipment> {
  if (context.chain.includes('fms')) throw notFound('shipment', id);
  return registerParcel(work, await call(getShipmentData, { params: { id } }));
}
