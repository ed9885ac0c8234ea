import { handleDue } from '../../../shared/work/handler.ts';
import { checkoutTtl } from '../due-work.ts';
import { currentPrices, priceOpenBasket } from '../basket/price.ts';
import { renewIdleTimer } from '../basket/timers.ts';
import { checkoutOf, startUndoing } from '../checkout/record.ts';
import { baskets } from '../collections.ts';

/**
 * A checkout that led to no order in time: the basket is open again, priced as an open basket is. Its hold runs out at the same
 * time by itself; the use of its vouchers is given back.
 */
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
    expiresAt: renewIdleTimer(work, basket.id),
  });
  const record = await checkoutOf(work, basket.id);
  if (record && basket.vouchers.some(({ status }) => status === 'applied')) startUndoing(work, basket.id, { ...record, vouchers: true });
});
