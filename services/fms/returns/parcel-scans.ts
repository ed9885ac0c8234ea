import type { Progression } from '../../../shared/catalog/control/progression.ts';
import { Unchanged, unchanged } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { noteScan, type ScannedParcel } from '../parcels/note-scan.ts';
import { copyOf, type ParcelCopy } from '../parcels/parcel.ts';
import type { TrackingScan } from '../parcels/tracking-rules.ts';
import { returns, type StoredReturn } from './collections.ts';
import { bookLateArrival, planGivingUp } from './parcel-ends.ts';
import { planStep } from './return-clock.ts';

/**
 * The verb of the return's life cycle that a scan means. A parcel that is lost or went back to the customer counts as departed: its
 * goods may still turn up, or come to the store, until the return is given up. A parcel that is lost before any other scan was never
 * handed over.
 * @param before state of the parcel before the scan
 */
export function returnVerbOf(
  { state, rejecting, writtenOffAt }: StoredReturn,
  status: TrackingScan['status'],
  before: ParcelCopy['state'],
): 'depart' | 'receive' | 'note' {
  if (rejecting || writtenOffAt !== undefined) return 'note';
  switch (status) {
    case 'delivered':
      return state === 'approved' || state === 'in-transit' ? 'receive' : 'note';
    case 'label-created':
      return 'note';
    case 'lost':
      return state === 'approved' && before !== 'pending' && before !== 'label-created' ? 'depart' : 'note';
    default:
      return state === 'approved' ? 'depart' : 'note';
  }
}

/** The customer never handed the parcel over, and may have returned its goods in another way. */
const LABEL_VOID = 'The return is rejected, so the label of its lost parcel is void.';

/** Applies a carrier's scan to the return of the parcel. A repeated or late scan changes nothing. */
export async function applyScanToReturn(
  work: UnitOfWork,
  found: StoredReturn,
  { mode, ...scanned }: ScannedParcel & { readonly mode: Progression['returns'] },
): Promise<Unchanged<null> | undefined> {
  const before = copyOf(found, scanned.tracking)?.state ?? 'pending';
  const wasInspected = found.lines.some(({ disposition }) => disposition !== undefined);
  if (found.state === 'rejected' && before === 'lost' && !wasInspected) return unchanged(LABEL_VOID);
  const noted = noteScan(work, found, scanned);
  if (noted instanceof Unchanged) return noted;
  const { status } = scanned.scan;
  const verb = returnVerbOf(found, status, before);
  const next = work.transition(returns, found, verb, { shipments: noted.shipments, ...bookLateArrival(work, found, status) });
  planGivingUp(work, next, status);
  if (verb !== 'note') await planStep(work, next, { mode, since: work.now });
  return undefined;
}
