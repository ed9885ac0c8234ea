import type { z } from 'zod';
import { progressionOf } from '../../../shared/catalog/control/progression.ts';
import { generateLabel } from '../../../shared/catalog/fulfillment/apis.ts';
import { putShipment } from '../../../shared/catalog/fulfillment/internal.ts';
import type { Shipment } from '../../../shared/catalog/fulfillment/shipments.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { instant } from '../../../shared/domain/time.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Parcel, parcels, trackings } from '../collections.ts';
import { HAND_OVER_TIMEOUT_MS } from '../timing.ts';
import { copyOf, lacksLabel, type ParcelCopy, type Sent, withCopy } from './parcel.ts';

export interface HandOver {
  /** The copies of the parcels, if one of them changed. */
  readonly shipments?: ParcelCopy[];
  /** Why the parcel is not handed over yet. */
  readonly failure?: Problem;
}

/** Registers a parcel with the carrier and requests its label, unless these steps are done already. The caller stores the copies. */
export async function handOverParcel(sent: Sent, parcel: Parcel, scope: Scope): Promise<HandOver> {
  const { work, context } = scope;
  try {
    const registered = parcel.registered ? parcel : await register(parcel, scope);
    // If the progression was set to manual in the meantime, an explicit call makes the label.
    const isWanted = lacksLabel(sent, registered) && progressionOf(context).label === 'auto';
    const labelled = isWanted ? await makeLabel(registered, scope) : undefined;
    if (registered.label === 'wanted') work.put(parcels, { ...registered, label: 'left' });
    return { shipments: labelled && (await noteLabel(work, sent, labelled)) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { shipments: lacksLabel(sent, parcel) ? withFailedLabel(sent, parcel) : undefined, failure: error };
  }
}

async function register(parcel: Parcel, { call, work }: Scope): Promise<Parcel> {
  const { id, ...body } = parcel.data;
  await call(putShipment, { params: { id }, body }, { timeoutMs: HAND_OVER_TIMEOUT_MS });
  return work.put(parcels, { ...parcel, registered: true });
}

const makeLabel = ({ id }: Parcel, { call }: Scope): Promise<z.output<typeof Shipment>> =>
  call(generateLabel, { params: { id }, body: {} }, { timeoutMs: HAND_OVER_TIMEOUT_MS });

/** Stores the label of a pending parcel. @returns the copies, unless the carrier's webhook was faster */
async function noteLabel(
  work: UnitOfWork,
  sent: Sent,
  { id, trackingNumber, events }: z.output<typeof Shipment>,
): Promise<ParcelCopy[] | undefined> {
  const copy = copyOf(sent, { id });
  const tracking = await work.get(trackings, id);
  if (copy?.state !== 'pending' || !tracking) return undefined;
  const numbered = trackingNumber !== undefined && { trackingNumber };
  const newestScanAt = events.find(({ status }) => status === 'label-created')?.occurredAt ?? instant(work.now);
  work.put(trackings, { ...tracking, ...numbered, newestScanAt });
  return withCopy(sent, { ...copy, ...numbered, state: 'label-created', labelStatus: 'ready' });
}

function withFailedLabel(sent: Sent, parcel: Parcel): ParcelCopy[] | undefined {
  const copy = copyOf(sent, parcel);
  return copy?.labelStatus === 'none' ? withCopy(sent, { ...copy, labelStatus: 'failed' }) : undefined;
}
