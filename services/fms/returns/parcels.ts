import type { Progression } from '../../../shared/catalog/control/progression.ts';
import { handleDue, Unchanged, unchanged } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { bookReturnedStockDue, GIVE_UP_MS, giveUpReturnDue, returnParcelDue } from '../due-work.ts';
import {
  copyOf,
  handOverParcel,
  isHandedOver,
  noteScan,
  type ParcelCopy,
  parcelOf,
  type ScannedParcel,
  type TrackingScan,
} from '../parcels.ts';
import { returns, type StoredReturn } from './collections.ts';
import { asAnnounced, planStep, writeOff } from './moves.ts';
import { hasRefund } from './refunds.ts';
import { beginRejection } from './rejection.ts';

/** Registers the parcel of a return and requests its label. A failure is committed, so that clients see it before the next attempt. */
export const handOverReturnLater = handleDue(returnParcelDue)(async ({ key }, scope) => {
  const found = await scope.work.get(returns, key);
  const parcel = found && (await parcelOf(scope.work, found));
  if (!found || !parcel || isHandedOver(found, parcel)) return;
  const { shipments, failure } = await handOverParcel(found, parcel, scope);
  if (shipments) scope.work.transition(returns, found, 'note', { shipments });
  if (!failure) return;
  await scope.work.checkpoint();
  throw failure;
});

/**
 * The verb of the return's life cycle that a scan means. A parcel that is lost or went back to the customer counts as departed: its
 * goods may still turn up, or come to the store, until the return is given up. A parcel whose first scan is `lost` was never
 * handed over.
 * @param before state of the parcel before the scan
 */
function returnVerbOf(
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

const WENT_BACK = 'Its parcel went back to the customer.';
const NEVER_HANDED_OVER = 'Its parcel was never handed to the carrier.';

type Status = TrackingScan['status'];
const isStuck = (status: Status | 'pending'): status is 'lost' | 'returned-to-sender' =>
  status === 'lost' || status === 'returned-to-sender';

/** A lost parcel may be found, and a parcel that went back may come to the store: both are given up after a week. */
function planGivingUp(work: UnitOfWork, { id, state }: StoredReturn, status: Status): void {
  if ((state === 'approved' || state === 'in-transit') && isStuck(status)) work.schedule(giveUpReturnDue, id, work.now + GIVE_UP_MS, {});
  else work.cancel(giveUpReturnDue, id);
}

/**
 * A return with a lost parcel is refunded. A return whose goods are with the customer is rejected: its parcel went back, or never left. With
 * a refund it waits until the customer brings the goods.
 */
export const giveUpReturn = handleDue(giveUpReturnDue)(async ({ key }, scope) => {
  const found = await scope.work.get(returns, key);
  if (!found) return;
  const { state, rejecting, writtenOffAt, shipments } = found;
  const parcel = shipments.at(-1)?.state ?? 'pending';
  if ((state !== 'approved' && state !== 'in-transit') || rejecting || writtenOffAt !== undefined || !isStuck(parcel)) return;
  if (state === 'in-transit' && parcel === 'lost') await writeOff(found, scope);
  else if (!hasRefund(found))
    beginRejection(scope.work, found, { reason: state === 'approved' ? NEVER_HANDED_OVER : WENT_BACK, at: scope.work.now });
});

/** Books the goods of a written-off return that arrive late, without an inspection as announced. @returns the changed members */
function bookLateArrival(
  work: UnitOfWork,
  { id, writtenOffAt, lines }: StoredReturn,
  status: Status,
): Partial<Pick<StoredReturn, 'lines'>> {
  if (writtenOffAt === undefined || status !== 'delivered') return {};
  work.schedule(bookReturnedStockDue, id, work.now, {}, { beforeReply: true });
  return { lines: lines.map(asAnnounced) };
}
