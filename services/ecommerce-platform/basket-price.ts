import type { z } from 'zod';
import type { ShippingMethod } from '../../shared/catalog/shapes.ts';
import type { Scope } from '../../shared/contract/handler.ts';
import type { UnitOfWork } from '../../shared/store/unit-of-work.ts';
import type { LineOfBasket } from './basket-lines.ts';
import type { Basket } from './collections.ts';
import { type LineToPrice, priceLines } from './pricing.ts';
import { productBySku, refuseUnlessSellable } from './product-rules.ts';
import { type Discounts, evaluateDiscounts } from './promotions.ts';

/** A line with the price that its product has now. */
export type LineWithPrice = Omit<LineToPrice, 'discount'>;

/** The members of a basket that its prices are written to. */
export type PricedMembers = Pick<Basket, 'lines' | 'totals' | 'vouchers'> & { readonly promotionsStatus: Basket['promotionsStatus'] };

/**
 * Looks up what each line costs. @throws Problem 404, 409 for a product that is not for sale
 */
export async function withPrices(work: UnitOfWork, lines: readonly LineOfBasket[]): Promise<LineWithPrice[]> {
  const priced: LineWithPrice[] = [];
  for (const { lineId, sku, qty } of lines) {
    const product = await productBySku(work, sku);
    refuseUnlessSellable(product);
    priced.push({ lineId, sku, qty, unitPrice: product.price.amount, taxRate: product.taxRate });
  }
  return priced;
}

export function pricedMembers(
  lines: readonly LineWithPrice[],
  discounts: Discounts,
  shippingMethod?: z.output<typeof ShippingMethod>,
): PricedMembers {
  const priced = priceLines(
    lines.map((line, index) => ({ ...line, discount: discounts.perLine[index] ?? 0 })),
    shippingMethod,
  );
  return { ...priced, vouchers: [...discounts.vouchers], promotionsStatus: lines.length === 0 ? undefined : discounts.status };
}

/** Prices an open basket: promotions that everybody gets, no vouchers, no shipping. These come at checkout. */
export async function priceOpenBasket(scope: Scope, lines: readonly LineWithPrice[]): Promise<PricedMembers> {
  return pricedMembers(lines, await evaluateDiscounts(scope, { lines }));
}
