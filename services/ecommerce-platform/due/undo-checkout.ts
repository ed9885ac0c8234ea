import { handleDue } from '../../../shared/work/handler.ts';
import { checkoutOf, settleCheckout } from '../checkout/record.ts';
import { releaseHold } from '../checkout/stock-hold.ts';
import { keepVoucherUses, releaseVouchers } from '../checkout/voucher-uses.ts';
import { baskets, checkouts } from '../collections.ts';
import { undoCheckout } from '../due-work.ts';
import { recoverHold } from '../till/stock-hold.ts';

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
  const reservationId = found.hold?.reservationId ?? (await recoverHold(scope, basketId, found));
  if (reservationId !== undefined) await releaseHold(scope, reservationId);
  if (found.vouchers) await releaseVouchers(scope, basketId, `undo ${found.attempt}`);
  settleCheckout(work, basketId, found);
});
