import { getBasket } from '../../../shared/catalog/commerce/internal.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { handle } from '../../../shared/contract/handler.ts';
import { baskets } from '../collections.ts';

export const getBasketHandler = handle(getBasket)(async ({ params }, { work }) => {
  const basket = await work.get(baskets, params.id);
  if (!basket) throw notFound('basket', params.id);
  return basket;
});
