import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Tracking, trackings } from '../collections.ts';
import { copyOf, type ParcelCopy, type Sent, withCopy } from './parcel.ts';
import { isNews, type TrackingScan } from './tracking-rules.ts';

/** A scan, with what was known of the parcel before. */
export interface ScannedParcel {
  readonly tracking: Tracking;
  readonly scan: TrackingScan;
}

export interface NotedScan {
  /** The copies of the parcels, one of them moved on. */
  readonly shipments: ParcelCopy[];
  /** Delivery attempts in vain, this scan included. */
  readonly deliveryAttempts: number;
}

/** Notes a scan of a parcel. The caller stores the copies. @returns undefined for a repeated or late scan, which changes nothing */
export function noteScan(work: UnitOfWork, sent: Sent, { tracking, scan }: ScannedParcel): NotedScan | undefined {
  const copy = copyOf(sent, tracking);
  if (!copy || !isNews(copy.state, tracking, scan)) return undefined;
  const deliveryAttempts = tracking.deliveryAttempts + (scan.status === 'delivery-attempted' ? 1 : 0);
  const trackingNumber = copy.trackingNumber ?? scan.trackingNumber;
  const numbered = trackingNumber !== undefined && { trackingNumber };
  work.put(trackings, { ...tracking, ...numbered, newestScanAt: scan.occurredAt, deliveryAttempts });
  // A scanned parcel has a label, whoever made it.
  return { shipments: withCopy(sent, { ...copy, ...numbered, state: scan.status, labelStatus: 'ready' }), deliveryAttempts };
}
