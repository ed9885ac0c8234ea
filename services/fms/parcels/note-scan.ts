import { isOfCarrierPlatform } from '../../../shared/catalog/fulfillment/shipments.ts';
import { type Unchanged, unchanged } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Tracking, trackings } from '../collections.ts';
import { copyOf, type ParcelCopy, type Sent, withCopy } from './parcel.ts';
import { ignoredBecause, type TrackingScan } from './tracking-rules.ts';

/** A scan, with the stored facts of its parcel. */
export interface ScannedParcel {
  readonly tracking: Tracking;
  readonly scan: TrackingScan;
  readonly webhookId: string | undefined;
}

export interface NotedScan {
  /** The copies of the parcels, one of them moved on. */
  readonly shipments: ParcelCopy[];
  /** Delivery attempts in vain, this scan included. */
  readonly deliveryAttempts: number;
}

/**
 * Notes a scan of a parcel. The caller stores the copies. The instants of two carriers come from two clocks, so a scan is ordered only
 * against scans of the same carrier.
 * @returns `Unchanged` for a repeated or late scan
 */
export function noteScan(work: UnitOfWork, sent: Sent, { tracking, scan, webhookId }: ScannedParcel): NotedScan | Unchanged<null> {
  const copy = copyOf(sent, tracking);
  if (!copy) return unchanged(`The parcel "${tracking.id}" was replaced.`);
  const newest = isOfCarrierPlatform(webhookId, tracking.id) ? 'newestScanAt' : 'newestOutsideScanAt';
  const reason = ignoredBecause(copy.state, tracking[newest], scan);
  if (reason !== undefined) return unchanged(reason);
  const deliveryAttempts = tracking.deliveryAttempts + (scan.status === 'delivery-attempted' ? 1 : 0);
  const trackingNumber = copy.trackingNumber ?? scan.trackingNumber;
  const numbered = trackingNumber !== undefined && { trackingNumber };
  work.put(trackings, { ...tracking, ...numbered, [newest]: scan.occurredAt, deliveryAttempts });
  // A scanned parcel has a label, whoever made it.
  return { shipments: withCopy(sent, { ...copy, ...numbered, state: scan.status, labelStatus: 'ready' }), deliveryAttempts };
}
