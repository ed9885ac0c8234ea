import { convertBasket as convertBasketCall } from '../../../shared/catalog/commerce/internal.ts';
import { basketLifeCycle } from '../../../shared/catalog/commerce/objects.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { again, handle } from '../../../shared/contract/handler.ts';
import { isAgain } from '../../../shared/domain/life-cycle.ts';
import { baskets } from '../collections.ts';
import { convertBasket } from '../order-placement.ts';

export const convertBasketHandler = handle(convertBasketCall)(async ({ params, body }, { work }) => {
  const basket = await work.get(baskets, params.id);
  if (!basket) throw notFound('basket', params.id);
  return isAgain(basketLifeCycle, basket, 'convert') ? again(basket) : convertBasket(work, basket, body.orderId);
});
