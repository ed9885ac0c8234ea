import { moveHold } from '../../../shared/catalog/inventory/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Attempt, attempts, reservations } from '../collections.ts';
import { abortHold as abortHoldWork } from '../due-work.ts';
import { endOf } from '../ended-owners.ts';
import { isOpen } from '../reservation-rules.ts';
import { carryOn, NOTHING_HELD, takeAndRecord } from '../attempt.ts';

/**
 * Ends a Reserve Inventory that never answered: the stock, if any was taken, goes back, and a take that is still on its way is
 * refused. One that replaces open reservations is carried forward instead: their stock may be gone already, and the basket
 * must be left with one hold, not with none. What is over needs none.
 */
export const abortHold = handleDue(abortHoldWork)(async ({ key }, { work, call }) => {
  const attempt = await work.get(attempts, key);
  if (attempt?.status !== 'under-way' && attempt?.status !== 'aborting') return;
  if (attempt.status === 'under-way' && (await replacesOpen(attempt, work)) && !(await endOf(work, attempt))) {
    const outcome = await takeAndRecord(await carryOn(attempt, work), { work, call });
    if (outcome instanceof Problem && !NOTHING_HELD.has(outcome.code)) throw outcome;
    return;
  }
  // Committed first: a request that is still running can no longer record what is about to be given back.
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
