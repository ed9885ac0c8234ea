import type { z } from 'zod';
import { progressionOf } from '../../shared/catalog/control/progression.ts';
import { generateLabel, type TrackingUpdate } from '../../shared/catalog/fulfillment/apis.ts';
import type { FulfillmentShipment } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { getShipmentData as getShipmentDataCall, putShipment } from '../../shared/catalog/fulfillment/internal.ts';
import { isOfCarrierPlatform, type ParcelData, type Shipment, shipmentLifeCycle } from '../../shared/catalog/fulfillment/shipments.ts';
import { allowedFrom } from '../../shared/catalog/life-cycle.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { compareInstants } from '../../shared/domain/instant.ts';
import { CLOCK_TOLERANCE_MS, instant } from '../../shared/domain/time.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { handle, type Scope, unchanged } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { type Parcel, parcels, type Tracking, trackings } from './collections.ts';
import { giveUpSilentParcelDue, HAND_OVER_TIMEOUT_MS } from './due-work.ts';

/** The published copy of a parcel in its fulfillment order or return. */
export type ParcelCopy = z.output<typeof FulfillmentShipment>;
/** The members of a fulfillment order or a return that concern its parcels. */
interface Sent {
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

export const copyOf = ({ shipments }: Sent, { id }: { id: string }): ParcelCopy | undefined => shipments.find((one) => one.id === id);

/** All copies, with one of them replaced. */
const withCopy = ({ shipments }: Sent, copy: ParcelCopy): ParcelCopy[] => shipments.map((one) => (one.id === copy.id ? copy : one));

/** Whether the FMS still has to request the label. */
const lacksLabel = (sent: Sent, parcel: Parcel): boolean => parcel.label === 'wanted' && copyOf(sent, parcel)?.labelStatus !== 'ready';

/** Whether the parcel is registered at the carrier, and its label is made if it needs one. */
export const isHandedOver = (sent: Sent, parcel: Parcel): boolean => parcel.registered && !lacksLabel(sent, parcel);

/**
 * Registers a parcel with the carrier and requests its label, unless these steps are done already. The caller stores the copies.
 * @returns the copies, if one has changed, and why the parcel is not handed over yet
 */
export async function handOverParcel(sent: Sent, parcel: Parcel, scope: Scope): Promise<{ shipments?: ParcelCopy[]; failure?: Problem }> {
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
  const now = instant(work.now);
  const madeAt = events.find(({ status }) => status === 'label-created')?.occurredAt ?? now;
  // After a label from the future, all scans would look old.
  const newestScanAt = Date.parse(madeAt) > work.now + CLOCK_TOLERANCE_MS ? now : madeAt;
  work.put(trackings, { ...tracking, ...numbered, newestScanAt });
  return withCopy(sent, { ...copy, ...numbered, state: 'label-created', labelStatus: 'ready' });
}

function withFailedLabel(sent: Sent, parcel: Parcel): ParcelCopy[] | undefined {
  const copy = copyOf(sent, parcel);
  return copy?.labelStatus === 'none' ? withCopy(sent, { ...copy, labelStatus: 'failed' }) : undefined;
}

export const getShipmentData = handle(getShipmentDataCall)(async ({ params: { id } }, { work }) => {
  const parcel = await requireObject(work, parcels, id, 'shipment');
  return parcel.data;
});

/** A scan, with the stored facts of its parcel. */
export interface ScannedParcel {
  readonly tracking: Tracking;
  readonly scan: TrackingScan;
  readonly webhookId: string | undefined;
}

/** The Carrier Platform has no scans of this parcel, and reports it as lost. */
const OTHER_CARRIER = 'A carrier outside the estate scans the parcel, so the Carrier Platform cannot report its loss.';

/** A parcel of a carrier outside the estate is given up after the same silence. */
function restartSilence(work: UnitOfWork, shipmentId: string, status: TrackingScan['status']): void {
  const canBeLost = allowedFrom(shipmentLifeCycle, 'lose').includes(status);
  if (canBeLost) work.schedule(giveUpSilentParcelDue, shipmentId, work.now + work.figures.windowMs.carrierSilence, {});
  else work.cancel(giveUpSilentParcelDue, shipmentId);
}

/**
 * Stores a scan of a parcel. The caller stores the copies. The instants of two carriers come from two clocks, so a scan is ordered only
 * against scans of the same carrier.
 * @returns the copies and the number of failed delivery attempts, this scan included; `Unchanged` for a repeated or late scan
 */
export function noteScan(work: UnitOfWork, sent: Sent, { tracking, scan, webhookId }: ScannedParcel) {
  const copy = copyOf(sent, tracking);
  if (!copy) return unchanged(`The parcel "${tracking.id}" was replaced.`);
  const isOutside = !isOfCarrierPlatform(webhookId, tracking.id);
  if (!isOutside && scan.status === 'lost' && tracking.newestOutsideScanAt !== undefined) return unchanged(OTHER_CARRIER);
  const newest = isOutside ? 'newestOutsideScanAt' : 'newestScanAt';
  const reason = ignoredBecause(copy.state, tracking[newest], scan);
  if (reason !== undefined) return unchanged(reason);
  if (isOutside) restartSilence(work, tracking.id, scan.status);
  const deliveryAttempts = tracking.deliveryAttempts + (scan.status === 'delivery-attempted' ? 1 : 0);
  const trackingNumber = copy.trackingNumber ?? scan.trackingNumber;
  const numbered = trackingNumber !== undefined && { trackingNumber };
  work.put(trackings, { ...tracking, ...numbered, [newest]: scan.occurredAt, deliveryAttempts });
  // A scanned parcel has a label, even if another carrier made it.
  return { shipments: withCopy(sent, { ...copy, ...numbered, state: scan.status, labelStatus: 'ready' }), deliveryAttempts };
}

export type TrackingScan = z.output<typeof TrackingUpdate>['data'];
type ShipmentState = (typeof shipmentLifeCycle.states)[number];

/** The states that a parcel can reach from each state, in any number of steps: carriers may leave scans out. */
const reachable: ReadonlyMap<ShipmentState, ReadonlySet<ShipmentState>> = new Map(
  shipmentLifeCycle.states.map((state) => [state, reachableFrom(state)]),
);

function reachableFrom(start: ShipmentState): Set<ShipmentState> {
  const found = new Set<ShipmentState>();
  const open: ShipmentState[] = [start];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    for (const { verb, from, to } of shipmentLifeCycle.rows) {
      // No carrier puts goods on a counter.
      if (verb === 'make-ready' || !from.includes(state)) continue;
      for (const next of to.filter((one) => !found.has(one))) {
        found.add(next);
        open.push(next);
      }
    }
  }
  return found;
}

/**
 * Why a scan changes nothing: it is older than the newest scan of the same carrier, repeats that scan, or does not follow from the state of
 * the parcel (collected, while it is out for delivery).
 * @param newestScanAt time of the newest scan of the same carrier
 * @returns undefined for a scan that moves the parcel
 */
function ignoredBecause(
  state: ShipmentState,
  newestScanAt: string | undefined,
  { status, occurredAt }: Pick<TrackingScan, 'status' | 'occurredAt'>,
): string | undefined {
  const sinceNewest = newestScanAt === undefined ? undefined : compareInstants(occurredAt, newestScanAt);
  if (sinceNewest !== undefined && sinceNewest < 0) {
    return `The scan was made at ${occurredAt}, and the same carrier scanned the parcel later, at ${newestScanAt}.`;
  }
  if (sinceNewest === 0 && status === state) return `The scan ${status} of ${occurredAt} has already arrived.`;
  if (reachable.get(state)?.has(status)) return undefined;
  return `The parcel is ${state}, and ${status} does not follow from that.`;
}
