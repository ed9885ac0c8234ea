import { handleDue } from '../../../shared/work/handler.ts';
import { currentPrices, priceOpenBasket } from '../basket/current-prices.ts';
import { appliedCodes } from '../basket/discounts.ts';
import { restartIdleTimer } from '../basket/idle-timer.ts';
import { checkoutOf, startUndoing } from '../checkout/record.ts';
import { baskets } from '../collections.ts';
import { checkoutTtl } from '../due-work.ts';

/** Reopens a basket without an order and releases its voucher uses. Its reservation expires at the same time. */
export const reopenBasket = handleDue(checkoutTtl)(async ({ key }, scope) => {
  const { work } = scope;
  const basket = await work.get(baskets, key);
  if (basket?.state !== 'locked') return;
  const prices = await priceOpenBasket(scope, await currentPrices(work, basket.lines));
  work.transition(baskets, basket, 'reopen', {
    ...prices,
    loyalty: undefined,
    shippingAddress: undefined,
    shippingMethod: undefined,
    reservationId: undefined,
    expiresAt: restartIdleTimer(work, basket.id),
  });
  const record = await checkoutOf(work, basket.id);
  if (record && appliedCodes(basket).length > 0) startUndoing(work, basket.id, { ...record, vouchers: true });
});
