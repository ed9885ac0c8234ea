import { isUnknownOutcome, Problem } from '../../../shared/catalog/problems.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Basket, baskets, type CheckoutRecord, checkoutIdOf, checkouts } from '../collections.ts';
import { undoCheckout } from '../due-work.ts';

export const checkoutOf = (work: UnitOfWork, basketId: string): Promise<CheckoutRecord | undefined> =>
  work.get(checkouts, checkoutIdOf(basketId));

/** Equal for every rerun of one request. */
const ownerOf = (work: UnitOfWork): string => work.id('req', 'checkout');

/**
 * Commits that this request checks the basket out, and the due work that undoes it, before anything is taken elsewhere. A rerun
 * finds its own record and goes on with it.
 * @param basket undefined for one that its transaction at the till creates
 * @throws Problem 409, retryable, while another request is at it
 */
export async function beginCheckout(
  work: UnitOfWork,
  basketId: string,
  basket: Basket | undefined,
  phase: 'running' | 'changing' = 'running',
): Promise<CheckoutRecord> {
  const found = await checkoutOf(work, basketId);
  if (found?.phase === phase && isOwnRunning(work, found)) return found;
  if (found && found.phase !== 'settled') throw underWay(basketId, basket?.state);
  // Another checkout may have locked it since it was read: a hold for this one would then replace the other's.
  if (basket) work.expect(baskets, basket);
  const attempt = (found?.attempt ?? 0) + 1;
  const record = work.put(checkouts, {
    id: checkoutIdOf(basketId),
    phase,
    attempt,
    owner: ownerOf(work),
    vouchers: false,
    ...(phase === 'changing' && found?.contact !== undefined && { contact: found.contact }),
  });
  // Kept from others for as long as this request may live; after a crash it is due at once.
  work.schedule(undoCheckout, basketId, work.now, null, { beforeReply: true });
  await work.checkpoint();
  return record;
}

/** Nothing is under way any more, once this is committed. */
export function settleCheckout(work: UnitOfWork, basketId: string, { attempt, owner, contact }: Settling): CheckoutRecord {
  work.cancel(undoCheckout, basketId);
  return work.put(checkouts, {
    ...{ id: checkoutIdOf(basketId), phase: 'settled', attempt, owner, vouchers: false },
    ...(contact !== undefined && { contact }),
  });
}

type Settling = Pick<CheckoutRecord, 'attempt' | 'owner'> & { readonly contact?: string | undefined };

/**
 * Ends a checkout that cannot succeed: what it took is given back before the reply.
 * @returns false when this request has none under way
 */
export async function giveCheckoutUp(work: UnitOfWork, basketId: string): Promise<boolean> {
  const record = await checkoutOf(work, basketId);
  if (!record || !isOwnRunning(work, record)) return false;
  // What is left of a change is put right by the due work of its intent.
  if (record.phase === 'changing') work.schedule(undoCheckout, basketId, work.now, null, { beforeReply: true });
  else if (record.hold || record.asked || record.vouchers) startUndoing(work, basketId, record);
  else settleCheckout(work, basketId, record);
  return true;
}

/** Has what a checkout took given back, before the reply or, if that fails, later. */
export function startUndoing(work: UnitOfWork, basketId: string, record: CheckoutRecord): void {
  work.put(checkouts, { ...record, phase: 'undoing' });
  work.schedule(undoCheckout, basketId, work.now, null, { beforeReply: true });
}

const isOwnRunning = (work: UnitOfWork, { phase, owner }: CheckoutRecord): boolean =>
  (phase === 'running' || phase === 'changing') && owner === ownerOf(work);

/**
 * The basket is about to become an order, with the vouchers that it says. @throws Problem 409, retryable, while these are being changed
 */
export async function refuseWhileChanging(work: UnitOfWork, { id, state }: Basket): Promise<void> {
  const record = await checkoutOf(work, id);
  if (record?.phase === 'changing') throw underWay(id, state);
  if (record) work.expect(checkouts, record);
}

function underWay(id: string, state: Basket['state'] | undefined): Problem {
  return new Problem('invalid_state_transition', `Another checkout of the basket "${id}" is under way; send this one again in a moment.`, {
    objectType: 'basket',
    id,
    ...(state !== undefined && { currentState: state }),
    action: 'checkout',
    allowedFrom: ['open', 'locked', 'converted'],
    retryable: true,
    retryAfter: 1,
  });
}

/**
 * Asks once more, with the same key, when an answer was lost: whoever did the work then says so.
 * @throws Problem what came of it
 */
export async function askTwice<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (lost) {
    if (!isUnknownOutcome(lost)) throw lost;
    return ask().catch((error: unknown) => {
      throw error instanceof Problem && error.code === 'idempotency_in_progress' ? lost : error;
    });
  }
}
