import type { z } from 'zod';
import { notFound } from '../../../shared/catalog/problems.ts';
import type { ShippingMethod } from '../../../shared/catalog/shapes.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Basket, products } from '../collections.ts';
import { productBySku, refuseUnlessSellable } from '../product-rules.ts';
import type { LineOfBasket } from './lines.ts';
import { type LineToPrice, priceLines } from './pricing.ts';
import { type Discounts, evaluateDiscounts } from './promotions.ts';

/** A line with the price that its product has now. */
export type LineWithPrice = Omit<LineToPrice, 'discount'>;

/** The members of a basket that its prices are written to. */
export type PricedMembers = Pick<Basket, 'lines' | 'totals' | 'vouchers'> & { readonly promotionsStatus: Basket['promotionsStatus'] };

/** What each line costs now. @throws Problem 404, 409 for a product that may not be sold */
export async function pricesForSale(work: UnitOfWork, lines: readonly LineOfBasket[]): Promise<LineWithPrice[]> {
  for (const { sku } of lines) refuseUnlessSellable(await productBySku(work, sku));
  return currentPrices(work, lines);
}

/** What each line costs now, also where its product was taken out of sale after it was added: that is said at checkout. */
export function currentPrices(work: UnitOfWork, lines: readonly LineOfBasket[]): Promise<LineWithPrice[]> {
  return Promise.all(
    lines.map(async ({ lineId, sku, qty }) => {
      const product = await work.findUnique(products, 'sku', sku);
      if (!product) throw notFound('product', sku);
      const { price, taxRate, minAge } = product;
      return { lineId, sku, minAge, qty, unitPrice: price.amount, taxRate };
    }),
  );
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
