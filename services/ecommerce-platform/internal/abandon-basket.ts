import { abandonBasket as abandonBasketCall } from '../../../shared/catalog/commerce/internal.ts';
import { basketLifeCycle } from '../../../shared/catalog/commerce/objects.ts';
import { isAgain } from '../../../shared/catalog/life-cycle.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { again, handle } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { checkoutOf, startUndoing } from '../checkout/record.ts';
import { type Basket, baskets, tillBaskets } from '../collections.ts';
import { releaseHolds } from '../due-work.ts';

/**
 * Named by the transaction, since a till that had no answer does not know which basket it got. One that is still to be locked for
 * the transaction is not locked any more.
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

/** Holds and voucher uses go back before the reply, or by the clock when the other application is down. */
async function giveBack(work: UnitOfWork, { id, vouchers }: Basket): Promise<void> {
  work.schedule(releaseHolds, id, work.now, null, { beforeReply: true });
  const record = await checkoutOf(work, id);
  const used = vouchers.some(({ status }) => status === 'applied');
  if (record && used) startUndoing(work, id, { ...record, vouchers: true });
}
