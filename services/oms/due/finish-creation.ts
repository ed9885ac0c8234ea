import { getBasket } from '../../../shared/catalog/commerce/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { orders } from '../collections.ts';
import { storeOrder } from '../creation/basket-conversion.ts';
import { finishCreationDue } from '../due-work.ts';
import { isConverted } from '../order/from-basket.ts';
import { isClaimable, releaseReturn } from '../returns/exchange-claim.ts';

/** Stores the order of a Create Order that was interrupted after the conversion of its basket. */
export const finishCreation = handleDue(finishCreationDue)(async ({ key: basketId, payload: { exchangeFor } }, { work, call }) => {
  if (await work.findUnique(orders, 'basket', basketId)) return;
  const basket = await call(getBasket, { params: { id: basketId } }).catch(undefinedIfUnknown);
  const isConverting = basket !== undefined && isConverted(basket);
  if (!isConverting) {
    if (exchangeFor !== undefined) await releaseReturn(work, exchangeFor, basketId);
    return;
  }
  // A bound basket always becomes an order, even if its return no longer pays for it.
  const isPaid = exchangeFor !== undefined && (await isClaimable(work, exchangeFor, basketId));
  await storeOrder(work, basket, isPaid ? exchangeFor : undefined);
});

function undefinedIfUnknown(error: unknown): undefined {
  if (error instanceof Problem && error.code === 'not_found') return undefined;
  throw error;
}
