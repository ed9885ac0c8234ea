import { generateLabel as generateLabelApi } from '../../../shared/catalog/fulfillment/apis.ts';
import { getShipmentData } from '../../../shared/catalog/fulfillment/internal.ts';
import { shipmentLifeCycle } from '../../../shared/catalog/fulfillment/objects.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { again, handle, type Scope } from '../../../shared/contract/handler.ts';
import { isAgain } from '../../../shared/domain/life-cycle.ts';
import { published, type StoredShipment, shipments } from '../collections.ts';
import { label, register } from '../parcel.ts';

export const generateLabel = handle(generateLabelApi)(async ({ params: { id }, body }, scope) => {
  const shipment = (await scope.work.get(shipments, id)) ?? (await lookUp(id, scope));
  if (isAgain(shipmentLifeCycle, shipment, 'label')) return again(published(shipment));
  return published(await label(shipment, body, scope));
});

/**
 * A parcel whose registration has not come through yet: the FMS knows what it is. Not when the FMS asks itself, which registers
 * before it asks for a label.
 */
async function lookUp(id: string, { work, call, context }: Scope): Promise<StoredShipment> {
  if (context.chain.includes('fms')) throw notFound('shipment', id);
  return register(work, await call(getShipmentData, { params: { id } }));
}
