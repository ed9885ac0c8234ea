import type { Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import type { TrackingScan } from '../tracking-rules.ts';
import type { StoredReturn } from './collections.ts';
import { bookReturnedStockDue, giveUpReturnDue } from './due-work.ts';
import { asAnnounced, writeOff } from './moves.ts';
import { beginRejection } from './rejection.ts';
import { GIVE_UP_MS } from './timing.ts';

const WENT_BACK = 'Its parcel went back to the customer.';

type Status = TrackingScan['status'];
const isStuck = (status: Status | 'pending'): status is 'lost' | 'returned-to-sender' =>
  status === 'lost' || status === 'returned-to-sender';

/** A parcel that is lost may be found, and what went back may be brought to the store; but nobody waits for that for ever. */
export function planGivingUp(work: UnitOfWork, { id, state }: StoredReturn, status: Status): void {
  if (state === 'in-transit' && isStuck(status)) work.schedule(giveUpReturnDue, id, work.now + GIVE_UP_MS, {});
  else work.cancel(giveUpReturnDue, id);
}

/** The goods of a lost parcel are paid back; those that went back to their customer stay there. */
export async function giveUpReturn(found: StoredReturn, scope: Pick<Scope, 'work'>): Promise<void> {
  const { state, rejecting, writtenOffAt, shipments } = found;
  const parcel = shipments.at(-1)?.state ?? 'pending';
  if (state !== 'in-transit' || rejecting || writtenOffAt !== undefined || !isStuck(parcel)) return;
  if (parcel === 'lost') writeOff(found, scope);
  else beginRejection(scope.work, found, { reason: WENT_BACK, at: scope.work.now });
}

/**
 * A parcel turns up after its return was written off. The customer is paid, so the goods are the retailer's: they go into stock in the
 * condition in which they were announced.
 * @returns what changes of the return
 */
export function foundAfterAll(
  work: UnitOfWork,
  { id, writtenOffAt, lines }: StoredReturn,
  status: Status,
): Partial<Pick<StoredReturn, 'lines'>> {
  if (writtenOffAt === undefined || status !== 'delivered') return {};
  work.schedule(bookReturnedStockDue, id, work.now, {}, { beforeReply: true });
  return { lines: lines.map(asAnnounced) };
}
