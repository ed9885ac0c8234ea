import { getBasket } from '../../../shared/catalog/commerce/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import type { DueHandler } from '../../../shared/contract/handler.ts';
import { storeOrder } from '../basket-conversion.ts';
import { orders } from '../collections.ts';
import { isConverted } from '../order-from-basket.ts';

/** A Create Order ended between the conversion of its basket (the item's key) and storing the order. */
export const finishCreation: DueHandler = async ({ key: basketId }, { work, call }) => {
  if (await work.one(orders, 'basket', basketId)) return;
  const basket = await call(getBasket, { params: { id: basketId } }).catch(unknownBasket);
  if (basket && isConverted(basket)) await storeOrder(work, basket);
};

function unknownBasket(error: unknown): undefined {
  if (error instanceof Problem && error.code === 'not_found') return undefined;
  throw error;
}
