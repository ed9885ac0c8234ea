import { getBasket } from '../../../shared/catalog/commerce/internal.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { handle } from '../../../shared/work/handler.ts';
import { checkoutOf } from '../checkout/record.ts';
import { baskets } from '../collections.ts';

export const getBasketHandler = handle(getBasket)(async ({ params }, { work }) => {
  const basket = await work.get(baskets, params.id);
  if (!basket) throw notFound('basket', params.id);
  const record = await checkoutOf(work, basket.id);
  return record?.phase === 'running' ? { ...basket, checkoutUnderWay: true } : basket;
});
