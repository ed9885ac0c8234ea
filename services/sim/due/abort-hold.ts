import { moveHold } from '../../../shared/catalog/inventory/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { markCarriedOn } from '../attempt.ts';
import { NOTHING_HELD_CODES, takeAndRecord } from '../attempt-outcome.ts';
import { type Attempt, attempts, reservations } from '../collections.ts';
import { abortHoldDue } from '../due-work.ts';
import { findEnd } from '../ended-owners.ts';
import { isOpen } from '../reservation-rules.ts';

/**
 * Undoes a Reserve Inventory that never answered: its stock is returned, and a late Take Hold is refused. An attempt that
 * replaces open reservations is finished instead, because their stock may be gone and the basket must keep one reservation. An order or basket
 * that has ended needs none.
 */
export const abortHold = handleDue(abortHoldDue)(async ({ key }, { work, call }) => {
  const attempt = await work.get(attempts, key);
  if (attempt?.status !== 'under-way' && attempt?.status !== 'aborting') return;
  if (attempt.status === 'under-way' && (await replacesOpen(attempt, work)) && !(await findEnd(work, attempt))) {
    const outcome = await takeAndRecord(await markCarriedOn(attempt, work), { work, call });
    if (outcome instanceof Problem && !NOTHING_HELD_CODES.has(outcome.code)) throw outcome;
    return;
  }
  // This is committed first, so that a request that is still running cannot record stock that is about to be returned.
  const aborting = attempt.status === 'aborting' ? attempt : work.put(attempts, { ...attempt, status: 'aborting' });
  await work.checkpoint();
  await call(moveHold, { params: { reservationId: key }, body: { reference: `abort ${key}`, kind: 'release' } });
  work.put(attempts, { ...aborting, status: 'ended' });
});

async function replacesOpen({ replaces = [] }: Attempt, work: UnitOfWork): Promise<boolean> {
  for (const id of replaces) {
    const replaced = await work.get(reservations, id);
    if (replaced && isOpen(replaced)) return true;
  }
  return false;
}
