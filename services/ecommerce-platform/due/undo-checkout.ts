import { handleDue } from '../../../shared/work/handler.ts';
import { undoCheckout } from '../due-work.ts';
import { keepVoucherUses, releaseHold, releaseVouchers } from '../checkout/holds.ts';
import { checkoutOf, settleCheckout } from '../checkout/record.ts';
import { baskets, checkouts } from '../collections.ts';
import { lostHold } from '../till/holds.ts';

/**
 * Gives back what a checkout took and did not keep. That it does so is committed first: a request that is still at it can then no
 * longer lock the basket with a hold that is on its way back. A timed hold that a crashed request had no time to write down runs
 * out by itself; that of a till is asked for once more.
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
  const reservationId = found.hold?.reservationId ?? (await lostHold(scope, basketId, found));
  if (reservationId !== undefined) await releaseHold(scope, reservationId);
  if (found.vouchers) await releaseVouchers(scope, basketId, `undo ${found.attempt}`);
  settleCheckout(work, basketId, found);
});
