import { getBasket } from '../../shared/catalog/commerce/internal.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { Goods } from './evaluation.ts';

/** The lines of a basket, for requests that name only the basket. @throws Problem `not_found`, `dependency_*` */
export async function readBasketGoods(call: Scope['call'], basketId: string, customerId: string | undefined): Promise<Goods> {
  const basket = await call(getBasket, { params: { id: basketId } });
  return {
    basketId,
    currency: basket.currency,
    customerId: customerId ?? basket.customerId,
    lines: basket.lines.map(({ sku, qty, unitPrice }) => ({ sku, qty, unitPrice: unitPrice.amount })),
  };
}
