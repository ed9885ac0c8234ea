import { abandonBasket as abandonBasketCall } from '../../../shared/catalog/commerce/internal.ts';
import { basketLifeCycle } from '../../../shared/catalog/commerce/objects.ts';
import { isAgain } from '../../../shared/catalog/life-cycle.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { again, handle } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { appliedCodes } from '../basket/discounts.ts';
import { checkoutOf, startUndoing } from '../checkout/record.ts';
import { type Basket, baskets, tillBaskets } from '../collections.ts';
import { releaseHolds } from '../due-work.ts';

/**
 * The id is the transaction's, because a till that got no answer does not have the id of its basket. The record makes a late request for
 * the basket fail.
 */
export const abandonBasketHandler = handle(abandonBasketCall)(async ({ params: { id } }, { work }) => {
  const basket = await work.findUnique(baskets, 'transaction', id);
  if (!basket) {
    const till = await work.get(tillBaskets, id);
    if (!till?.abandoned) work.put(tillBaskets, { ...till, id, abandoned: true });
    return notFound('basket', id);
  }
  if (isAgain(basketLifeCycle, basket, 'cancel-checkout')) return again(basket);
  await giveBack(work, basket);
  return work.transition(baskets, basket, 'cancel-checkout', { expiresAt: undefined });
});

/** Gives back reservations and voucher uses before the reply, or by the clock while the other application is down. */
async function giveBack(work: UnitOfWork, basket: Basket): Promise<void> {
  work.schedule(releaseHolds, basket.id, work.now, null, { beforeReply: true });
  const record = await checkoutOf(work, basket.id);
  if (record && appliedCodes(basket).length > 0) startUndoing(work, basket.id, { ...record, vouchers: true });
}
