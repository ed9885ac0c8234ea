import type { InputOf } from '../../../shared/catalog/define.ts';
import { createOrder as createOrderApi } from '../../../shared/catalog/order/apis.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { again, handle, type Scope } from '../../../shared/contract/handler.ts';
import { convertBasket, handedOver, storeOrder } from '../basket-conversion.ts';
import { orders } from '../collections.ts';
import { refuseUnexchangeable } from '../exchange-claim.ts';
import { paidWithCredit, unlessConverted } from '../exchange-order.ts';
import { viewNow, viewOf } from '../order-view.ts';
import { basketOfSale, isSale } from '../sale.ts';

type Body = InputOf<typeof createOrderApi>['body'];

export const createOrder = handle(createOrderApi)(async ({ body }, scope) => {
  const { basketId, transactionId = '' } = body;
  const existing = await (basketId === undefined ? scope.work.get(orders, transactionId) : scope.work.one(orders, 'basket', basketId));
  if (existing) return again(await viewNow(existing, scope));
  return orderOf(basketId ?? (await basketOfSale(transactionId, body.transaction, scope)), body, scope);
});

async function orderOf(basketId: string, { basket: sent, exchangeForReturnId: returnId }: Body, scope: Scope) {
  if (returnId !== undefined) await refuseUnexchangeable(returnId, scope);
  const conversion = sent ? Promise.resolve(handedOver(basketId, sent)) : convertBasket({ basketId, exchangeFor: returnId }, scope);
  const basket = returnId === undefined ? await conversion : await unlessConverted(conversion, { returnId, basketId }, scope);
  if (basket instanceof Problem) return basket;
  const order = await storeOrder(scope.work, basket, returnId);
  if (returnId !== undefined) return paidWithCredit(order, scope);
  // The till takes the money first.
  return isSale(order) ? viewNow(order, scope) : viewOf(order, { payments: [], fulfillmentOrders: [], returns: [] });
}
