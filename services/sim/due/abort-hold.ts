import { moveHold } from '../../../shared/catalog/inventory/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import type { DueHandler } from '../../../shared/contract/handler.ts';
import { attempts, reservations } from '../collections.ts';
import { isOpen } from '../reservation-rules.ts';
import { carryOn, NOTHING_HELD, takeAndRecord } from '../reserving.ts';

/**
 * Ends a Reserve Inventory that never answered: the stock, if any was taken, goes back, and a take that is still on its way is
 * refused. One that replaces an open reservation is carried forward instead: the other's stock may be gone already, and the basket
 * must be left with one hold, not with none.
 */
export const abortHold: DueHandler = async ({ key }, { work, call }) => {
  const attempt = await work.get(attempts, key);
  if (attempt?.status !== 'under-way' && attempt?.status !== 'aborting') return;
  const replaced = attempt.replaces === undefined ? undefined : await work.get(reservations, attempt.replaces);
  if (attempt.status === 'under-way' && replaced && isOpen(replaced)) {
    const outcome = await takeAndRecord(await carryOn(attempt, work), { work, call });
    if (outcome instanceof Problem && !NOTHING_HELD.has(outcome.code)) throw outcome;
    return;
  }
  // Committed first: a request that is still running can no longer record what is about to be given back.
  const aborting = attempt.status === 'aborting' ? attempt : work.put(attempts, { ...attempt, status: 'aborting' });
  await work.checkpoint();
  await call(moveHold, { params: { reservationId: key }, body: { reference: `abort ${key}`, kind: 'release' } });
  work.put(attempts, { ...aborting, status: 'ended' });
};
