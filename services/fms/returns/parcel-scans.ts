import type { Progression } from '../../../shared/catalog/simulation/progression.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Tracking, trackings } from '../collections.ts';
import { isNews, type TrackingScan } from '../tracking-rules.ts';
import { returns, type StoredReturn } from './collections.ts';
import { foundAfterAll, planGivingUp } from './parcel-ends.ts';
import { planStep } from './return-clock.ts';

/**
 * What a scan means for a return. What is lost or went back to the customer was on its way: the goods may still turn up, or be brought to
 * the store, until somebody gives the return up.
 */
export function verbOfReturn(
  { state, rejecting, writtenOffAt }: StoredReturn,
  status: TrackingScan['status'],
): 'depart' | 'receive' | 'note' {
  if (rejecting || writtenOffAt !== undefined) return 'note';
  switch (status) {
    case 'delivered':
      return state === 'approved' || state === 'in-transit' ? 'receive' : 'note';
    case 'label-created':
      return 'note';
    default:
      return state === 'approved' ? 'depart' : 'note';
  }
}

/** Books a carrier's scan of the parcel of a return. One that is repeated or late changes nothing. */
export async function returnScanned(
  work: UnitOfWork,
  found: StoredReturn,
  { tracking, scan, mode }: { readonly tracking: Tracking; readonly scan: TrackingScan; readonly mode: Progression['returns'] },
): Promise<void> {
  const copy = found.shipments.find(({ id }) => id === tracking.id);
  if (!copy || !isNews(copy.state, tracking, scan)) return;
  const trackingNumber = copy.trackingNumber ?? scan.trackingNumber;
  const numbered = trackingNumber !== undefined && { trackingNumber };
  const deliveryAttempts = tracking.deliveryAttempts + (scan.status === 'delivery-attempted' ? 1 : 0);
  work.put(trackings, { ...tracking, ...numbered, newestScanAt: scan.occurredAt, deliveryAttempts });
  // What is scanned has a label, whoever made it.
  const next = { ...copy, ...numbered, state: scan.status, labelStatus: 'ready' as const };
  const shipments = found.shipments.map((one) => (one.id === tracking.id ? next : one));
  const verb = verbOfReturn(found, scan.status);
  const moved = work.transition(returns, found, verb, { shipments, ...foundAfterAll(work, found, scan.status) });
  planGivingUp(work, moved, scan.status);
  if (verb !== 'note') await planStep(work, moved, { mode, since: work.now });
}
