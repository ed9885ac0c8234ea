import { createOrder as createOrderApi } from '../../../shared/catalog/order/apis.ts';
import { again, handle } from '../../../shared/contract/handler.ts';
import { convertBasket, handedOver, storeOrder } from '../basket-conversion.ts';
import { orders } from '../collections.ts';
import { viewNow, viewOf } from '../order-view.ts';

export const createOrder = handle(createOrderApi)(async ({ body }, scope) => {
  const { work } = scope;
  const existing = await work.one(orders, 'basket', body.basketId);
  if (existing) return again(await viewNow(existing, scope));
  const basket = body.basket ? handedOver(body.basketId, body.basket) : await convertBasket(body.basketId, scope);
  return viewOf(await storeOrder(work, basket), { payments: [], fulfillmentOrders: [] });
});
