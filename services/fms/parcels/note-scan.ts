import { CARRIER_SILENCE_MS, isOfCarrierPlatform, shipmentLifeCycle } from '../../../shared/catalog/fulfillment/shipments.ts';
import { allowedFrom } from '../../../shared/catalog/life-cycle.ts';
import { type Unchanged, unchanged } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Tracking, trackings } from '../collections.ts';
import { giveUpSilentParcelDue } from '../due-work.ts';
import { copyOf, type ParcelCopy, type Sent, withCopy } from './parcel.ts';
import { ignoredBecause, type TrackingScan } from './tracking-rules.ts';

/** A scan, with the stored facts of its parcel. */
export interface ScannedParcel {
  readonly tracking: Tracking;
  readonly scan: TrackingScan;
  readonly webhookId: string | undefined;
}

export interface NotedScan {
  /** The copies of the parcels, with the scan applied to one of them. */
  readonly shipments: ParcelCopy[];
  /** Number of failed delivery attempts, this scan included. */
  readonly deliveryAttempts: number;
}

/** The Carrier Platform has no scans of this parcel, and reports it as lost. */
const OTHER_CARRIER = 'A carrier outside the estate scans the parcel, so the Carrier Platform cannot report its loss.';

/** A parcel of a carrier outside the estate is given up after the same silence. */
function restartSilence(work: UnitOfWork, shipmentId: string, status: TrackingScan['status']): void {
  const canBeLost = allowedFrom(shipmentLifeCycle, 'lose').includes(status);
  if (canBeLost) work.schedule(giveUpSilentParcelDue, shipmentId, work.now + CARRIER_SILENCE_MS, {});
  else work.cancel(giveUpSilentParcelDue, shipmentId);
}

/**
 * Stores a scan of a parcel. The caller stores the copies. The instants of two carriers come from two clocks, so a scan is ordered only
 * against scans of the same carrier.
 * @returns `Unchanged` for a repeated or late scan
 */
export function noteScan(work: UnitOfWork, sent: Sent, { tracking, scan, webhookId }: ScannedParcel): NotedScan | Unchanged<null> {
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
