import type { OutputOf } from '../../shared/catalog/define.ts';
import { moveHold, takeHold } from '../../shared/catalog/inventory/internal.ts';
import { asProblem, Problem } from '../../shared/catalog/problems.ts';
import { handleDue, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { type Attempt, attempts, basketAttempts, reservations, type StoredReservation } from './collections.ts';
import { abortReservationDue, expireReservationDue } from './due-work.ts';
import { findEnd, findOpenReservation, findOpenReservations, isOpen, refuseWhileSent, stockOfOrder } from './reservation-rules.ts';
import { movePendingStock } from './stock-movements.ts';

type Working = Pick<Scope, 'work' | 'call'>;

/** A new attempt. It replaces the allocations of the order lines in `takesOverLines`, too. */
export type NewAttempt = Omit<Attempt, 'version' | 'status' | 'replaces'> & { readonly takesOverLines?: readonly string[] };

/**
 * Commits the intent to take stock, with the work that undoes it, before stock is taken. A running attempt for the same basket is finished
 * first, so that its reservation can be replaced.
 * @throws Problem `invalid_state_transition` when its order or basket has ended
 */
export async function beginAttempt({ takesOverLines, ...wanted }: NewAttempt, { work, call }: Working): Promise<Attempt> {
  const { id, basketId } = wanted;
  if (basketId !== undefined) await finishRival(basketId, { work, call });
  const ended = await findEnd(work, wanted);
  if (ended) throw ended;
  const replaced = await findReplaced({ ...wanted, ...(takesOverLines && { takesOverLines }) }, work);
  for (const one of replaced) {
    await refuseSuperseding(one, wanted, work);
    // The rest of a replaced reservation is returned without the units that have left it. Until this attempt ends, no further units may leave.
    await movePendingStock(one.id, { work, call });
    work.expect(reservations, one);
  }
  if (basketId !== undefined) work.put(basketAttempts, { id: basketId, attempt: id });
  const replaces = replaced.map((one) => one.id);
  const attempt = work.put(attempts, { ...wanted, status: 'under-way', ...(replaces.length > 0 && { replaces }) });
  // The work is due immediately, but this process keeps its lease until it has answered or died. Advancing the clock waits for it.
  work.schedule(abortReservationDue, id, work.now, {}, { beforeReply: true });
  await work.checkpoint();
  return attempt;
}

/** The open reservations that an attempt replaces: of its basket and order; otherwise only for the lines in `takesOverLines`. */
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

/**
 * A request that arrives late must not replace a reservation that was made and kept since. Checkouts name no order, so they come before all
 * requests that do. The reservation of an order that is being sent is final.
 * @throws Problem `invalid_state_transition`
 */
async function refuseSuperseding(found: StoredReservation, { orderId }: Pick<NewAttempt, 'orderId'>, work: UnitOfWork): Promise<void> {
  if (found.orderId !== undefined && orderId === undefined) throw stockOfOrder(found, found.orderId);
  await refuseWhileSent(found, work);
}

/** Finishes the newest attempt for a basket if it is under way. @throws Problem when the Inventory Service does not answer */
export async function finishRival(basketId: string, { work, call }: Working): Promise<void> {
  const newest = await work.get(basketAttempts, basketId);
  const rival = newest && (await work.get(attempts, newest.attempt));
  if (rival?.status !== 'under-way') return;
  const outcome = await takeAndRecord(await markCarriedOn(rival, work), { work, call });
  if (outcome instanceof Problem && !NOTHING_RESERVED_CODES.has(outcome.code)) throw outcome;
  await work.checkpoint();
}

/** Commits that a second worker requests the stock. The first one can then no longer end the attempt after `didNothing`. */
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
    const detail = `The reservation "${id}" is being replaced by another one of its basket; repeat the request.`;
    throw new Problem('contention', detail, { retryAfter: 1 });
  }
  work.expect(basketAttempts, newest);
}

/** Problem codes after which the Inventory Service reserves nothing for the attempt, now or later. */
export const NOTHING_RESERVED_CODES: ReadonlySet<string> = new Set(['insufficient_stock', 'not_found']);

/**
 * Takes the stock of an attempt and records its reservation; the caller commits. Replaced reservations give their stock in the same step at
 * the Inventory Service, and end in the same commit here. A refusal that leaves nothing reserved ends the attempt.
 * @returns Problem for a refusal, and for an order or basket that has ended in the meantime; due work then gives the stock back
 * @throws Problem `contention` when the attempt was given up in the meantime
 */
export async function takeAndRecord(attempt: Attempt, { work, call }: Pick<Scope, 'work' | 'call'>): Promise<StoredReservation | Problem> {
  const { id, items, locationId, collectAt, prefer, replaces } = attempt;
  // A real Inventory Service may ignore collectAt; then all units come from the shelf of the store.
  const body = { items, locationId: collectAt ?? locationId, collectAt, prefer, replaces };
  const taken = await call(takeHold, { params: { reservationId: id }, body }).catch(asProblem);
  if (!(taken instanceof Problem)) return (await findEnd(work, attempt)) ?? recordReservation(attempt, taken.allocations, work);
  if (taken.code === 'invalid_state_transition') await refuseGivenUp(attempt, work);
  if (NOTHING_RESERVED_CODES.has(taken.code)) endAttempt(work, attempt);
  return taken;
}

/** Ends the attempt. If another commit has ended it, this one conflicts and the request runs again. */
async function refuseGivenUp(attempt: Attempt, work: UnitOfWork): Promise<never> {
  endAttempt(work, attempt);
  await work.checkpoint();
  const detail = `The reservation "${attempt.id}" was undone before it was complete; repeat the request.`;
  throw new Problem('contention', detail, { retryAfter: 1 });
}

export function endAttempt(work: UnitOfWork, attempt: Attempt): void {
  work.put(attempts, { ...attempt, status: 'ended' });
  work.cancel(abortReservationDue, attempt.id);
}

async function recordReservation(
  attempt: Attempt,
  taken: OutputOf<typeof takeHold>['allocations'],
  work: UnitOfWork,
): Promise<StoredReservation> {
  const { id, basketId, orderId, collectAt, items, expiresAt } = attempt;
  // The goods of a collection are at one location.
  const locationId = collectAt === undefined ? attempt.locationId : taken[0]?.locationId;
  for (const replacedId of attempt.replaces ?? []) {
    const replaced = await work.get(reservations, replacedId);
    if (!replaced || !isOpen(replaced)) continue;
    work.transition(reservations, replaced, 'release');
    work.cancel(expireReservationDue, replaced.id);
  }
  work.put(attempts, { ...attempt, status: 'done' });
  work.cancel(abortReservationDue, attempt.id);
  if (expiresAt !== undefined) work.schedule(expireReservationDue, attempt.id, Date.parse(expiresAt), {});
  const allocations = taken.map((held) => ({ ...held, fulfilledQty: 0, cancelledQty: 0 }));
  return work.create(reservations, 'reserve', { id, items, allocations, basketId, orderId, locationId, collectAt, expiresAt });
}

/**
 * Undoes a Reserve Inventory that never answered: its stock is returned, and a late Take Hold is refused. An attempt that
 * replaces open reservations is finished instead, because their stock may be gone and the basket must keep one reservation. An order or basket
 * that has ended needs none.
 */
export const abortReservation = handleDue(abortReservationDue)(async ({ key }, { work, call }) => {
  const attempt = await work.get(attempts, key);
  if (attempt?.status !== 'under-way' && attempt?.status !== 'aborting') return;
  if (attempt.status === 'under-way' && (await replacesOpen(attempt, work)) && !(await findEnd(work, attempt))) {
    const outcome = await takeAndRecord(await markCarriedOn(attempt, work), { work, call });
    if (outcome instanceof Problem && !NOTHING_RESERVED_CODES.has(outcome.code)) throw outcome;
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
