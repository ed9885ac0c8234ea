import type { z } from 'zod';
import { progressionOf } from '../../../shared/catalog/control/progression.ts';
import type { FulfillmentShipment } from '../../../shared/catalog/fulfillment/fulfillment-orders.ts';
import type { ParcelData } from '../../../shared/catalog/fulfillment/shipments.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Parcel, parcels, trackings } from '../collections.ts';

/** The published copy of a parcel in its fulfillment order or return. */
export type ParcelCopy = z.output<typeof FulfillmentShipment>;
/** The members of a fulfillment order or a return that concern its parcels. */
export interface Sent {
  readonly shipments: readonly ParcelCopy[];
}

/** Stores a parcel and its tracking. The next commit has to add the returned copy to its fulfillment order or return. */
export function createParcel(
  { stockTaken, ...unnumbered }: Omit<z.output<typeof ParcelData>, 'id'> & { readonly stockTaken: boolean },
  { work, context }: Pick<Scope, 'work' | 'context'>,
): ParcelCopy {
  const id = work.id('shp');
  const { fulfillmentOrderId, returnId } = unnumbered;
  const label = progressionOf(context).label === 'auto' ? 'wanted' : 'left';
  work.put(parcels, { id, data: { id, ...unnumbered }, stockTaken, registered: false, label });
  work.put(trackings, { id, fulfillmentOrderId, returnId, deliveryAttempts: 0 });
  return { id, state: 'pending', labelStatus: 'none' };
}

/** The newest parcel of a fulfillment order or a return. */
export async function parcelOf(work: UnitOfWork, { shipments }: Sent): Promise<Parcel | undefined> {
  const id = shipments.at(-1)?.id;
  return id === undefined ? undefined : work.get(parcels, id);
}

export const copyOf = ({ shipments }: Sent, { id }: { readonly id: string }): ParcelCopy | undefined =>
  shipments.find((one) => one.id === id);

/** All copies, with one of them replaced. */
export const withCopy = ({ shipments }: Sent, copy: ParcelCopy): ParcelCopy[] => shipments.map((one) => (one.id === copy.id ? copy : one));

/** Whether the FMS still has to request the label. */
export const lacksLabel = (sent: Sent, parcel: Parcel): boolean =>
  parcel.label === 'wanted' && copyOf(sent, parcel)?.labelStatus !== 'ready';

/** Whether the parcel is registered at the carrier, and its label is made if it needs one. */
export const isHandedOver = (sent: Sent, parcel: Parcel): boolean => parcel.registered && !lacksLabel(sent, parcel);
