import { takeHold } from '../../shared/catalog/inventory/internal.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import type { Scope } from '../../shared/contract/handler.ts';
import type { UnitOfWork } from '../../shared/store/unit-of-work.ts';
import { type Attempt, attempts, basketAttempts, reservations, type StoredReservation } from './collections.ts';
import { ABORT_HOLD, EXPIRE_RESERVATION } from './due-kinds.ts';
import { isOpen } from './reservation-rules.ts';
import { moveStockOf } from './stock-movements.ts';

type Working = Pick<Scope, 'work' | 'call'>;

/** Refusals after which the Inventory Service holds nothing for the attempt and never will, whoever asks. */
export const NOTHING_HELD: ReadonlySet<string> = new Set(['insufficient_stock', 'not_found']);

/**
 * Commits what is about to be taken, and the work that undoes it, before anything is taken. An attempt for the same basket that is
 * still under way is carried to its end first: what it takes is what this one replaces.
 */
export async function setOut(asked: Omit<Attempt, 'version' | 'status' | 'replaces'>, { work, call }: Working): Promise<Attempt> {
  const { id, basketId } = asked;
  if (basketId !== undefined) await finishRival(basketId, { work, call });
  const replaced = basketId === undefined ? undefined : await openReservationOf(work, basketId);
  const replaces = replaced?.id;
  if (replaced) {
    // What left it before must not be given back with the rest; what wants to leave from now on is refused until this is done.
    await moveStockOf(replaced.id, { work, call });
    work.expect(reservations, replaced);
  }
  if (basketId !== undefined) work.put(basketAttempts, { id: basketId, attempt: id });
  const attempt = work.put(attempts, { ...asked, status: 'under-way', ...(replaces !== undefined && { replaces }) });
  // Due at once, but this process's own until it has answered or died: a clock that is advanced meanwhile waits for it.
  work.due(ABORT_HOLD, id, work.now, {}, { beforeReply: true });
  await work.checkpoint();
  return attempt;
}

async function finishRival(basketId: string, { work, call }: Working): Promise<void> {
  const newest = await work.get(basketAttempts, basketId);
  const rival = newest && (await work.get(attempts, newest.attempt));
  if (rival?.status !== 'under-way') return;
  const outcome = await takeAndRecord(await carryOn(rival, work), { work, call });
  if (outcome instanceof Problem && !NOTHING_HELD.has(outcome.code)) throw outcome;
  await work.checkpoint();
}

/**
 * Says that somebody else than the request that set out asks for the stock, before doing so: from then on that request does not end
 * the attempt by itself when the Inventory Service is not there.
 */
export async function carryOn(attempt: Attempt, work: UnitOfWork): Promise<Attempt> {
  if (attempt.carriedOn) return attempt;
  const next = work.put(attempts, { ...attempt, carriedOn: true });
  await work.checkpoint();
  return next;
}

/** The reservation of a basket that holds stock; there is at most one. */
export async function openReservationOf(work: UnitOfWork, basketId: string): Promise<StoredReservation | undefined> {
  const { items } = await work.find(reservations, 'basket', basketId);
  return items.find(isOpen);
}

/**
 * A new hold of the same basket is about to give this one's stock back: what left it now, or was promised from it for good, would be
 * given back as well. A new one that begins at the same moment lets the commit fail.
 * @throws Problem `contention`
 */
export async function refuseWhileReplaced({ id, basketId }: StoredReservation, work: UnitOfWork): Promise<void> {
  const newest = basketId === undefined ? undefined : await work.get(basketAttempts, basketId);
  if (!newest) return;
  const attempt = await work.get(attempts, newest.attempt);
  if (attempt?.status === 'under-way' && attempt.replaces === id) {
    throw new Problem('contention', `The reservation "${id}" is just being replaced by another of its basket; send it again.`, {
      retryAfter: 1,
    });
  }
  work.expect(basketAttempts, newest);
}

/**
 * Takes the stock and records the reservation; the reservation that it replaces gives its stock in the same step there, and ends in
 * the same commit here. A refusal after which nothing is held ends the attempt. The caller commits.
 * @throws Problem `contention` when the attempt was given up meanwhile
 */
export async function takeAndRecord(attempt: Attempt, { work, call }: Working): Promise<StoredReservation | Problem> {
  const { id, items, locationId, replaces } = attempt;
  const taken = await call(takeHold, { params: { reservationId: id }, body: { items, locationId, replaces } }).catch((error: unknown) => {
    if (error instanceof Problem) return error;
    throw error;
  });
  if (!(taken instanceof Problem)) return record(attempt, taken.allocations, work);
  if (taken.code === 'invalid_state_transition') await givenUp(attempt, work);
  if (NOTHING_HELD.has(taken.code)) end(work, attempt);
  return taken;
}

/** Somebody gave the attempt up and said so to the Inventory Service. Committing on top of that conflicts, and all runs again. */
async function givenUp(attempt: Attempt, work: UnitOfWork): Promise<never> {
  end(work, attempt);
  await work.checkpoint();
  throw new Problem('contention', `The reservation "${attempt.id}" was given up while it was being made; send it again.`, {
    retryAfter: 1,
  });
}

export function end(work: UnitOfWork, attempt: Attempt): void {
  work.put(attempts, { ...attempt, status: 'ended' });
  work.cancel(ABORT_HOLD, attempt.id);
}

interface Taken {
  readonly locationId: string;
  readonly sku: string;
  readonly qty: number;
}

async function record(attempt: Attempt, taken: readonly Taken[], work: UnitOfWork): Promise<StoredReservation> {
  const { version: _version, status: _status, carriedOn: _carriedOn, replaces, ...fields } = attempt;
  const replaced = replaces === undefined ? undefined : await work.get(reservations, replaces);
  if (replaced && isOpen(replaced)) {
    work.transition(reservations, replaced, 'release');
    work.cancel(EXPIRE_RESERVATION, replaced.id);
  }
  work.put(attempts, { ...attempt, status: 'done' });
  work.cancel(ABORT_HOLD, attempt.id);
  if (attempt.expiresAt !== undefined) work.due(EXPIRE_RESERVATION, attempt.id, Date.parse(attempt.expiresAt), {});
  const allocations = taken.map((held) => ({ ...held, fulfilledQty: 0, cancelledQty: 0 }));
  return work.create(reservations, 'reserve', { ...fields, allocations });
}
