import { takeHold } from '../../shared/catalog/inventory/internal.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { type Attempt, attempts, reservations, type StoredReservation } from './collections.ts';
import { abortHoldDue, expireReservationDue } from './due-work.ts';
import { findEnd } from './ended-owners.ts';
import { isOpen } from './reservation-rules.ts';

/** Problem codes after which the Inventory Service reserves nothing for the attempt, now or later. */
export const NOTHING_HELD_CODES: ReadonlySet<string> = new Set(['insufficient_stock', 'not_found']);

/**
 * Takes the stock of an attempt and records its reservation; the caller commits. Replaced reservations give their stock in the same
 * step at the Inventory Service, and end in the same commit here. A refusal after which nothing is held ends the attempt.
 * @returns Problem for a refusal, and for an order or basket that has ended in the meantime; due work then gives the stock back
 * @throws Problem `contention` when the attempt was given up in the meantime
 */
export async function takeAndRecord(attempt: Attempt, { work, call }: Pick<Scope, 'work' | 'call'>): Promise<StoredReservation | Problem> {
  const { id, items, locationId, prefer, replaces } = attempt;
  const body = { items, locationId, prefer, replaces };
  const taken = await call(takeHold, { params: { reservationId: id }, body }).catch((error: unknown) => {
    if (error instanceof Problem) return error;
    throw error;
  });
  if (!(taken instanceof Problem)) return (await findEnd(work, attempt)) ?? recordReservation(attempt, taken.allocations, work);
  if (taken.code === 'invalid_state_transition') await refuseGivenUp(attempt, work);
  if (NOTHING_HELD_CODES.has(taken.code)) endAttempt(work, attempt);
  return taken;
}

/** Ends the attempt. If another commit ended it before, this one conflicts and the request runs again. */
async function refuseGivenUp(attempt: Attempt, work: UnitOfWork): Promise<never> {
  endAttempt(work, attempt);
  await work.checkpoint();
  throw new Problem('contention', `The reservation "${attempt.id}" was given up while it was being made; send this again.`, {
    retryAfter: 1,
  });
}

export function endAttempt(work: UnitOfWork, attempt: Attempt): void {
  work.put(attempts, { ...attempt, status: 'ended' });
  work.cancel(abortHoldDue, attempt.id);
}

interface Taken {
  readonly locationId: string;
  readonly sku: string;
  readonly qty: number;
}

async function recordReservation(attempt: Attempt, taken: readonly Taken[], work: UnitOfWork): Promise<StoredReservation> {
  const { id, basketId, orderId, locationId, items, expiresAt } = attempt;
  for (const replacedId of attempt.replaces ?? []) {
    const replaced = await work.get(reservations, replacedId);
    if (!replaced || !isOpen(replaced)) continue;
    work.transition(reservations, replaced, 'release');
    work.cancel(expireReservationDue, replaced.id);
  }
  work.put(attempts, { ...attempt, status: 'done' });
  work.cancel(abortHoldDue, attempt.id);
  if (expiresAt !== undefined) work.schedule(expireReservationDue, attempt.id, Date.parse(expiresAt), {});
  const allocations = taken.map((held) => ({ ...held, fulfilledQty: 0, cancelledQty: 0 }));
  return work.create(reservations, 'reserve', { id, items, allocations, basketId, orderId, locationId, expiresAt });
}
