import { takeHold } from '../../shared/catalog/inventory/internal.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { type Attempt, attempts, basketAttempts, reservations, type StoredReservation } from './collections.ts';
import { abortHold, expireReservation } from './due-work.ts';
import { endOf, type Owner } from './ended-owners.ts';
import { isOpen } from './reservation-rules.ts';
import { moveStockOf } from './stock-movements.ts';

type Working = Pick<Scope, 'work' | 'call'>;

/** Refusals after which the Inventory Service holds nothing for the attempt and never will, whoever asks. */
export const NOTHING_HELD: ReadonlySet<string> = new Set(['insufficient_stock', 'not_found']);

/** What is to be held; with `takesOverLines` also what was allocated to these lines of its order is replaced. */
export type Asked = Omit<Attempt, 'version' | 'status' | 'replaces'> & { readonly takesOverLines?: readonly string[] };

/**
 * Commits what is about to be taken, and the work that undoes it, before anything is taken. An attempt for the same basket that is
 * still under way is carried to its end first: what it takes is what this one replaces.
 * @throws Problem `invalid_state_transition` when its order or basket is over
 */
export async function setOut({ takesOverLines, ...asked }: Asked, { work, call }: Working): Promise<Attempt> {
  const { id, basketId } = asked;
  if (basketId !== undefined) await finishRival(basketId, { work, call });
  const ended = await endOf(work, asked);
  if (ended) throw ended;
  const replaced = await replacedBy({ ...asked, ...(takesOverLines && { takesOverLines }) }, work);
  for (const one of replaced) {
    // What left it before must not be given back with the rest; what wants to leave from now on is refused until this is done.
    await moveStockOf(one.id, { work, call });
    work.expect(reservations, one);
  }
  if (basketId !== undefined) work.put(basketAttempts, { id: basketId, attempt: id });
  const replaces = replaced.map((one) => one.id);
  const attempt = work.put(attempts, { ...asked, status: 'under-way', ...(replaces.length > 0 && { replaces }) });
  // Due at once, but this process's own until it has answered or died: a clock that is advanced meanwhile waits for it.
  work.schedule(abortHold, id, work.now, {}, { beforeReply: true });
  await work.checkpoint();
  return attempt;
}

/** A hold for the whole order takes over all that is held for it; one for some of its lines what was allocated to these. */
async function replacedBy(
  { basketId, orderId, forCheckout, takesOverLines = [] }: Omit<Asked, 'id' | 'items'>,
  work: UnitOfWork,
): Promise<StoredReservation[]> {
  const ofBasket = basketId === undefined ? undefined : await openReservationOf(work, basketId);
  const ofOrder = orderId === undefined || !forCheckout ? [] : await openReservationsOf(work, { orderId });
  const isReplaced = ({ orderLineId = '' }: StoredReservation): boolean => basketId !== undefined || takesOverLines.includes(orderLineId);
  const found = [...(ofBasket ? [ofBasket] : []), ...ofOrder.filter(isReplaced)];
  return [...new Map(found.map((one) => [one.id, one])).values()];
}

/** An attempt for the basket that has not come to its end is carried there. @throws Problem when the Inventory Service does not answer */
export async function finishRival(basketId: string, { work, call }: Working): Promise<void> {
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

/** All that hold stock for an order, a basket, or both; the newest come last. */
export async function openReservationsOf(work: UnitOfWork, { orderId, basketId }: Owner): Promise<StoredReservation[]> {
  const found: StoredReservation[] = [];
  for (const [index, value] of [['order', orderId] as const, ['basket', basketId] as const]) {
    let cursor: string | undefined;
    do {
      const page = value === undefined ? { items: [] } : await work.find(reservations, index, value, { cursor });
      found.push(...page.items.filter(isOpen));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }
  return [...new Map(found.map((one) => [one.id, one])).values()];
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
  if (attempt?.status === 'under-way' && attempt.replaces?.includes(id)) {
    throw new Problem('contention', `The reservation "${id}" is just being replaced by another of its basket; send it again.`, {
      retryAfter: 1,
    });
  }
  work.expect(basketAttempts, newest);
}

/**
 * Takes the stock and records the reservation; the reservation that it replaces gives its stock in the same step there, and ends in
 * the same commit here. A refusal after which nothing is held ends the attempt. The caller commits.
 * When its order or basket has ended meanwhile that is the answer, and due work gives the stock back.
 * @throws Problem `contention` when the attempt was given up meanwhile
 */
export async function takeAndRecord(attempt: Attempt, { work, call }: Working): Promise<StoredReservation | Problem> {
  const { id, items, locationId, prefer, replaces } = attempt;
  const body = { items, locationId, prefer, replaces };
  const taken = await call(takeHold, { params: { reservationId: id }, body }).catch((error: unknown) => {
    if (error instanceof Problem) return error;
    throw error;
  });
  if (!(taken instanceof Problem)) return (await endOf(work, attempt)) ?? record(attempt, taken.allocations, work);
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
  work.cancel(abortHold, attempt.id);
}

interface Taken {
  readonly locationId: string;
  readonly sku: string;
  readonly qty: number;
}

async function record(attempt: Attempt, taken: readonly Taken[], work: UnitOfWork): Promise<StoredReservation> {
  const { id, basketId, orderId, locationId, items, expiresAt } = attempt;
  for (const replacedId of attempt.replaces ?? []) {
    const replaced = await work.get(reservations, replacedId);
    if (!replaced || !isOpen(replaced)) continue;
    work.transition(reservations, replaced, 'release');
    work.cancel(expireReservation, replaced.id);
  }
  work.put(attempts, { ...attempt, status: 'done' });
  work.cancel(abortHold, attempt.id);
  if (expiresAt !== undefined) work.schedule(expireReservation, attempt.id, Date.parse(expiresAt), {});
  const allocations = taken.map((held) => ({ ...held, fulfilledQty: 0, cancelledQty: 0 }));
  return work.create(reservations, 'reserve', {
    ...{ id, items, allocations },
    ...(basketId !== undefined && { basketId }),
    ...(orderId !== undefined && { orderId }),
    ...(locationId !== undefined && { locationId }),
    ...(expiresAt !== undefined && { expiresAt }),
  });
}
