import type { z } from 'zod';
import { type Basket as BasketSchema, basketLifeCycle } from '../../../shared/catalog/commerce/objects.ts';
import { refuseTransition } from '../../../shared/catalog/life-cycle.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import type { Fresh } from '../../../shared/work/unit-of-work.ts';
import type { StoredOrder } from '../collections.ts';

export type Basket = z.output<typeof BasketSchema>;
/** A basket bound to an order. The eCommerce Platform keeps the first order id that it received. */
export type ConvertedBasket = Basket & { readonly orderId: string };

export const isConverted = (basket: Basket): basket is ConvertedBasket => basket.state === 'converted' && basket.orderId !== undefined;

/** The refusal of a basket; undefined if it can become an order. Only baskets in checkout have fixed prices and reserved stock. */
export function unfitForOrder(basket: Basket): Problem | undefined {
  const empty = basket.lines.length === 0;
  if (empty && (basket.state === 'open' || basket.state === 'locked')) {
    return new Problem('basket_empty', `The basket "${basket.id}" has no lines; add one and check it out first.`, {
      objectType: 'basket',
      id: basket.id,
    });
  }
  if (basket.state !== 'locked') return refuseTransition(basketLifeCycle, basket, 'convert');
  return undefined;
}

export interface OrderDetails {
  readonly orderNumber: string;
  /** When the basket was validated. */
  readonly validatedAt: string;
}

/** Takes lines, prices and totals as the basket fixed them; nothing is calculated again. */
export function orderFromBasket(basket: ConvertedBasket, { orderNumber, validatedAt }: OrderDetails): Fresh<StoredOrder> {
  const { reservationId } = basket;
  return {
    id: basket.orderId,
    orderNumber,
    channel: basket.channel,
    storeId: basket.storeId,
    basketId: basket.id,
    customerId: basket.customerId,
    loyaltyAccountId: basket.loyaltyAccountId,
    lines: basket.lines.map(({ lineId, sku, minAge, qty, unitPrice, discount, tax, lineTotal }) => ({
      lineId,
      sku,
      qty,
      unitPrice,
      discount,
      tax,
      lineTotal,
      minAge,
      reservationId,
      fulfilledQty: 0,
      returnedQty: 0,
      cancelledQty: 0,
    })),
    totals: basket.totals,
    shippingAddress: basket.shippingAddress,
    shippingMethod: basket.shippingMethod,
    validatedAt,
    voucherCodes: basket.vouchers.filter(({ status }) => status === 'applied').map(({ code }) => code),
    holdAttempts: 0,
  };
}
