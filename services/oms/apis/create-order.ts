import type { InputOf } from '../../../shared/catalog/define.ts';
import { createOrder as createOrderApi } from '../../../shared/catalog/order/apis.ts';
import { notFound, Problem } from '../../../shared/catalog/problems.ts';
import { again, handle, type Scope } from '../../../shared/contract/handler.ts';
import { convertBasket, handedOver, storeOrder } from '../basket-conversion.ts';
import { orders } from '../collections.ts';
import { refuseUnexchangeable } from '../exchange-claim.ts';
import { paidWithCredit, unlessConverted } from '../exchange-order.ts';
import { viewNow, viewOf } from '../order-view.ts';

type Body = InputOf<typeof createOrderApi>['body'];

export const createOrder = handle(createOrderApi)(async ({ body }, scope) => {
  if (body.basketId !== undefined) return orderOfBasket(body.basketId, body, scope);
  throw notFound('transaction', body.transactionId ?? '');
});

async function orderOfBasket(basketId: string, { basket: sent, exchangeForReturnId: returnId }: Body, scope: Scope) {
  const { work } = scope;
  const existing = await work.one(orders, 'basket', basketId);
  if (existing) return again(await viewNow(existing, scope));
  if (returnId !== undefined) await refuseUnexchangeable(returnId, scope);
  const conversion = sent ? Promise.resolve(handedOver(basketId, sent)) : convertBasket(basketId, returnId, scope);
  const basket = returnId === undefined ? await conversion : await unlessConverted(conversion, { returnId, basketId }, scope);
  if (basket instanceof Problem) return basket;
  const order = await storeOrder(work, basket, returnId);
  return returnId === undefined ? viewOf(order, { payments: [], fulfillmentOrders: [], returns: [] }) : paidWithCredit(order, scope);
}
