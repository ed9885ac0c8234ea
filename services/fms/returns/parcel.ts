import type { z } from 'zod';
import { DEFAULT_CARRIER, type FulfillmentShipment, type Shipment } from '../../../shared/catalog/fulfillment/objects.ts';
import { notFound, Problem } from '../../../shared/catalog/problems.ts';
import { progressionOf } from '../../../shared/catalog/simulation/progression.ts';
import { instant } from '../../../shared/domain/time.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { nodes, type Parcel, parcels, trackings } from '../collections.ts';
import { labelOf, lacksLabel, register } from '../hand-over.ts';
import { returns, type StoredReturn } from './collections.ts';

type Copy = z.output<typeof FulfillmentShipment>;

/** The parcel in which a return comes: from the customer to where it is handed in. For the commit of the approval. */
export async function newParcel(found: StoredReturn, { work, context }: Pick<Scope, 'work' | 'context'>): Promise<Copy> {
  const { id: returnId, locationId, customerAddress: from } = found;
  const node = await work.get(nodes, locationId);
  if (!node) throw notFound('location', locationId);
  if (!from) throw new Error(`The return ${returnId} comes by parcel, and nobody knows from where.`);
  const id = work.id('shp');
  work.put(parcels, {
    id,
    data: { id, returnId, carrier: DEFAULT_CARRIER, service: 'STANDARD', from, to: node.address },
    // Its goods left the stock records long ago.
    ...{ stockTaken: true, registered: false },
    label: progressionOf(context).label === 'auto' ? 'wanted' : 'left',
  });
  work.put(trackings, { id, returnId, deliveryAttempts: 0 });
  return { id, state: 'pending', labelStatus: 'none' };
}

export async function parcelOf(work: UnitOfWork, { shipments }: StoredReturn): Promise<Parcel | undefined> {
  const id = shipments.at(-1)?.id;
  return id === undefined ? undefined : work.get(parcels, id);
}

/** Registers the parcel and has its label made, as far as that is still to be done. @returns why it is not done yet */
export async function handOverReturn(found: StoredReturn, parcel: Parcel, scope: Scope): Promise<Problem | undefined> {
  const { work, context } = scope;
  try {
    const registered = parcel.registered ? parcel : await register(parcel, scope);
    const wanted = lacksLabel(found, registered) && progressionOf(context).label === 'auto';
    if (wanted) await labelled(work, found, await labelOf(registered, scope));
    if (registered.label === 'wanted') work.put(parcels, { ...registered, label: 'left' });
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const copy = found.shipments.find(({ id, labelStatus }) => id === parcel.id && labelStatus === 'none');
    if (copy && lacksLabel(found, parcel)) noteCopy(work, found, { ...copy, labelStatus: 'failed' });
    return error;
  }
}

/** The carrier also says so by webhook; whichever comes second finds it known. */
async function labelled(work: UnitOfWork, found: StoredReturn, { id, trackingNumber, events }: z.output<typeof Shipment>): Promise<void> {
  const copy = found.shipments.find((one) => one.id === id);
  const tracking = await work.get(trackings, id);
  if (copy?.state !== 'pending' || !tracking) return;
  const numbered = trackingNumber !== undefined && { trackingNumber };
  const newestScanAt = events.find(({ status }) => status === 'label-created')?.occurredAt ?? instant(work.now);
  work.put(trackings, { ...tracking, ...numbered, newestScanAt });
  noteCopy(work, found, { ...copy, ...numbered, state: 'label-created', labelStatus: 'ready' });
}

const noteCopy = (work: UnitOfWork, found: StoredReturn, copy: Copy): StoredReturn =>
  work.transition(returns, found, 'note', { shipments: found.shipments.map((one) => (one.id === copy.id ? copy : one)) });
