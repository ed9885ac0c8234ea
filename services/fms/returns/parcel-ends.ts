import type { Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import type { TrackingScan } from '../parcels/tracking-rules.ts';
import type { StoredReturn } from './collections.ts';
import { bookReturnedStockDue, giveUpReturnDue } from './due-work.ts';
import { asAnnounced, writeOff } from './moves.ts';
import { beginRejection } from './rejection.ts';
import { GIVE_UP_MS } from './timing.ts';

const WENT_BACK = 'Its parcel went back to the customer.';
const NEVER_HANDED_OVER = 'Its parcel was never handed to the carrier.';

type Status = TrackingScan['status'];
const isStuck = (status: Status | 'pending'): status is 'lost' | 'returned-to-sender' =>
  status === 'lost' || status === 'returned-to-sender';

/** A lost parcel may be found, and a parcel that went back may come to the store: both are given up after a week. */
export function planGivingUp(work: UnitOfWork, { id, state }: StoredReturn, status: Status): void {
  if ((state === 'approved' || state === 'in-transit') && isStuck(status)) work.schedule(giveUpReturnDue, id, work.now + GIVE_UP_MS, {});
  else work.cancel(giveUpReturnDue, id);
}

/** A return with a lost parcel is paid back. A return whose goods are with the customer is rejected: its parcel went back, or never left. */
export async function giveUpReturn(found: StoredReturn, scope: Pick<Scope, 'work'>): Promise<void> {
  const { state, rejecting, writtenOffAt, shipments } = found;
  const parcel = shipments.at(-1)?.state ?? 'pending';
  if ((state !== 'approved' && state !== 'in-transit') || rejecting || writtenOffAt !== undefined || !isStuck(parcel)) return;
  if (state === 'in-transit' && parcel === 'lost') writeOff(found, scope);
  else beginRejection(scope.work, found, { reason: state === 'approved' ? NEVER_HANDED_OVER : WENT_BACK, at: scope.work.now });
}

/**
 * Books the goods of a parcel that arrives after its return was written off. The customer is paid, so they go into stock, in the
 * condition that was announced.
 * @returns the changed members of the return
 */
export function bookLateArrival(
  work: UnitOfWork,
  { id, writtenOffAt, lines }: StoredReturn,
  status: Status,
): Partial<Pick<StoredReturn, 'lines'>> {
  if (writtenOffAt === undefined || status !== 'delivered') return {};
  work.schedule(bookReturnedStockDue, id, work.now, {}, { beforeReply: true });
  return { lines: lines.map(asAnnounced) };
}
