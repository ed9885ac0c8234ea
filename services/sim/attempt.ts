import { Problem } from '../../shared/catalog/problems.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { NOTHING_HELD_CODES, takeAndRecord } from './attempt-outcome.ts';
import { type Attempt, attempts, basketAttempts, reservations, type StoredReservation } from './collections.ts';
import { abortHoldDue } from './due-work.ts';
import { findEnd } from './ended-owners.ts';
import { findOpenReservation, findOpenReservations } from './open-reservations.ts';
import { movePendingStock } from './stock-movements.ts';

type Working = Pick<Scope, 'work' | 'call'>;

/** A new attempt. It replaces the allocations of the order lines in `takesOverLines`, too. */
export type NewAttempt = Omit<Attempt, 'version' | 'status' | 'replaces'> & { readonly takesOverLines?: readonly string[] };

/**
 * Commits the intent to take stock, with the work that undoes it, before stock is taken. An attempt for the same basket that is under
 * way is finished first, so that its reservation can be replaced.
 * @throws Problem `invalid_state_transition` when its order or basket has ended
 */
export async function beginAttempt({ takesOverLines, ...wanted }: NewAttempt, { work, call }: Working): Promise<Attempt> {
  const { id, basketId } = wanted;
  if (basketId !== undefined) await finishRival(basketId, { work, call });
  const ended = await findEnd(work, wanted);
  if (ended) throw ended;
  const replaced = await findReplaced({ ...wanted, ...(takesOverLines && { takesOverLines }) }, work);
  for (const one of replaced) {
    // The rest of a replaced reservation is returned without the units that have left it. Until this attempt ends, no further units may leave.
    await movePendingStock(one.id, { work, call });
    work.expect(reservations, one);
  }
  if (basketId !== undefined) work.put(basketAttempts, { id: basketId, attempt: id });
  const replaces = replaced.map((one) => one.id);
  const attempt = work.put(attempts, { ...wanted, status: 'under-way', ...(replaces.length > 0 && { replaces }) });
  // The work is due immediately, but this process keeps its lease until it has answered or died. Advancing the clock waits for it.
  work.schedule(abortHoldDue, id, work.now, {}, { beforeReply: true });
  await work.checkpoint();
  return attempt;
}

/**
 * The reservations that an attempt replaces: for a basket, all open ones of it and its order; otherwise only those for the lines in
 * `takesOverLines`.
 */
async function findReplaced(
  { basketId, orderId, forCheckout, takesOverLines = [] }: Omit<NewAttempt, 'id' | 'items'>,
  work: UnitOfWork,
): Promise<StoredReservation[]> {
  const ofBasket = basketId === undefined ? undefined : await findOpenReservation(work, basketId);
  const ofOrder = orderId === undefined || !forCheckout ? [] : await findOpenReservations(work, { orderId });
  const isReplaced = ({ orderLineId = '' }: StoredReservation): boolean => basketId !== undefined || takesOverLines.includes(orderLineId);
  const found = [...(ofBasket ? [ofBasket] : []), ...ofOrder.filter(isReplaced)];
  return [...new Map(found.map((one) => [one.id, one])).values()];
}

/** Finishes the newest attempt for a basket if it is under way. @throws Problem when the Inventory Service does not answer */
export async function finishRival(basketId: string, { work, call }: Working): Promise<void> {
  const newest = await work.get(basketAttempts, basketId);
  const rival = newest && (await work.get(attempts, newest.attempt));
  if (rival?.status !== 'under-way') return;
  const outcome = await takeAndRecord(await markCarriedOn(rival, work), { work, call });
  if (outcome instanceof Problem && !NOTHING_HELD_CODES.has(outcome.code)) throw outcome;
  await work.checkpoint();
}

/**
 * Commits that a second worker requests the stock. From then on, the first request cannot end the attempt because the Inventory Service was
 * down.
 */
export async function markCarriedOn(attempt: Attempt, work: UnitOfWork): Promise<Attempt> {
  if (attempt.carriedOn) return attempt;
  const next = work.put(attempts, { ...attempt, carriedOn: true });
  await work.checkpoint();
  return next;
}

/**
 * Refuses a change of a reservation that a new attempt is replacing. All its stock is about to be returned, including units that
 * leave it or are promised from it now. A concurrent new attempt makes the commit fail.
 * @throws Problem `contention`
 */
export async function refuseWhileReplaced({ id, basketId }: StoredReservation, work: UnitOfWork): Promise<void> {
  const newest = basketId === undefined ? undefined : await work.get(basketAttempts, basketId);
  if (!newest) return;
  const attempt = await work.get(attempts, newest.attempt);
  if (attempt?.status === 'under-way' && attempt.replaces?.includes(id)) {
    throw new Problem('contention', `The reservation "${id}" is being replaced by another one of its basket; send this again.`, {
      retryAfter: 1,
    });
  }
  work.expect(basketAttempts, newest);
}
