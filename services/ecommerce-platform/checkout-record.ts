import { Problem } from '../../shared/catalog/problems.ts';
import { handleDue } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { type Basket, baskets, type CheckoutRecord, checkoutIdOf, checkouts } from './collections.ts';
import { undoCheckout } from './due-work.ts';
import { giveBackReservation, recoverReservation } from './stock-reservation.ts';
import { keepVoucherUses, releaseVouchers } from './voucher-uses.ts';

export interface LockedCheckout {
  readonly locked: Basket;
  readonly record: CheckoutRecord;
}

export const checkoutOf = (work: UnitOfWork, basketId: string): Promise<CheckoutRecord | undefined> =>
  work.get(checkouts, checkoutIdOf(basketId));

/** The number of the attempt, which is the same for every rerun of one request. */
const ownerOf = (work: UnitOfWork): string => work.id('req', 'checkout');

/**
 * Commits, before any call takes stock or vouchers, that this request checks the basket out, and the due work that undoes it. A rerun
 * of the request continues with its own record.
 * @param basket undefined when its transaction at the till creates it
 * @throws Problem 409, retryable, while another request checks the basket out
 */
export async function claimCheckout(
  work: UnitOfWork,
  basketId: string,
  basket: Basket | undefined,
  phase: 'running' | 'changing' = 'running',
): Promise<CheckoutRecord> {
  const found = await checkoutOf(work, basketId);
  if (found?.phase === phase && isOwnRunning(work, found)) return found;
  if (found && found.phase !== 'settled') throw otherCheckoutRunning(basketId, basket?.state);
  // Another checkout may have locked the basket since it was read. A second reservation would replace the first one.
  if (basket) work.expect(baskets, basket);
  const attempt = (found?.attempt ?? 0) + 1;
  const record = work.put(checkouts, {
    id: checkoutIdOf(basketId),
    phase,
    attempt,
    owner: ownerOf(work),
    vouchers: false,
    ...(phase === 'changing' && found && keptOf(found)),
  });
  // This request leases the work. If the process dies, the work is due as soon as the lease expires.
  work.schedule(undoCheckout, basketId, work.now, null, { beforeReply: true });
  await work.checkpoint();
  return record;
}

/** How the checkout identified its customer, and how it priced the basket. */
type Kept = { readonly [Member in 'contact' | 'cardUnread' | 'tier' | 'pricing']?: CheckoutRecord[Member] };

const keptOf = ({ contact, cardUnread, tier, pricing }: Kept): Kept => ({
  contact,
  tier,
  pricing,
  ...(cardUnread && { cardUnread }),
});

type CheckoutToSettle = Pick<CheckoutRecord, 'attempt' | 'owner'> & Kept;

/** Ends the checkout in progress, with the commit that follows. */
export function settleCheckout(work: UnitOfWork, basketId: string, checkout: CheckoutToSettle): CheckoutRecord {
  const { attempt, owner } = checkout;
  work.cancel(undoCheckout, basketId);
  return work.put(checkouts, {
    id: checkoutIdOf(basketId),
    phase: 'settled',
    attempt,
    owner,
    vouchers: false,
    ...keptOf(checkout),
  });
}

/** Gives back the stock and vouchers of a failed checkout before the reply. @returns false when this request runs no checkout */
export async function giveUpCheckout(work: UnitOfWork, basketId: string): Promise<boolean> {
  const record = await checkoutOf(work, basketId);
  if (!record || !isOwnRunning(work, record)) return false;
  // Undoing a change reads the vouchers of the basket, so the phase stays `changing`.
  if (record.phase === 'changing') work.schedule(undoCheckout, basketId, work.now, null, { beforeReply: true });
  else if (record.hold || record.asked || record.vouchers) startUndoing(work, basketId, record);
  else settleCheckout(work, basketId, record);
  return true;
}

/** Schedules the due work that undoes the checkout before the reply. If it fails, the clock runs it again. */
export function startUndoing(work: UnitOfWork, basketId: string, record: CheckoutRecord): void {
  work.put(checkouts, { ...record, phase: 'undoing' });
  work.schedule(undoCheckout, basketId, work.now, null, { beforeReply: true });
}

const isOwnRunning = (work: UnitOfWork, { phase, owner }: CheckoutRecord): boolean =>
  (phase === 'running' || phase === 'changing') && owner === ownerOf(work);

/** Keeps a basket from becoming an order while its values change, until this unit is committed. @throws Problem 409, retryable */
export async function refuseWhileChanging(work: UnitOfWork, { id, state }: Basket): Promise<void> {
  const record = await checkoutOf(work, id);
  if (record?.phase === 'changing') throw otherCheckoutRunning(id, state);
  if (record) work.expect(checkouts, record);
}

/** The till may still be creating the basket, which then has no state, so `refusal` cannot be used. */
function otherCheckoutRunning(id: string, state: Basket['state'] | undefined): Problem {
  const detail = `Another checkout of the basket "${id}" is in progress; retry in a moment.`;
  const about = { objectType: 'basket', id, currentState: state, action: 'checkout', allowedFrom: ['open', 'locked', 'converted'] };
  return new Problem('invalid_state_transition', detail, { ...about, retryable: true, retryAfter: 1 });
}

/**
 * Releases the stock and the voucher uses of a checkout that did not succeed.
 *
 * The phase `undoing` is committed first, so that a running request cannot lock the basket with a reservation that is being released.
 * A timed reservation that a crashed request did not record expires. A till's reservation never expires, so its request is repeated.
 */
export const undoCheckoutOfBasket = handleDue(undoCheckout)(async ({ key: basketId }, scope) => {
  const { work } = scope;
  const found = await checkoutOf(work, basketId);
  if (found?.phase === 'changing') {
    const basket = await work.get(baskets, basketId);
    if (basket) await keepVoucherUses(scope, basket, found.attempt);
    settleCheckout(work, basketId, found);
    return;
  }
  if (found?.phase !== 'running' && found?.phase !== 'undoing') return;
  if (found.phase === 'running') {
    work.put(checkouts, { ...found, phase: 'undoing' });
    await work.checkpoint();
  }
  const reservationId = found.hold?.reservationId ?? (await recoverReservation(scope, basketId, found));
  if (reservationId !== undefined) await giveBackReservation(scope, reservationId);
  if (found.vouchers) await releaseVouchers(scope, basketId, { attempt: found.attempt, step: 'undo' });
  settleCheckout(work, basketId, found);
});
