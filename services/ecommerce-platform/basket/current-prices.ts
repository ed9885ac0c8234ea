import type { z } from 'zod';
import { notFound } from '../../../shared/catalog/problems.ts';
import type { ShippingMethod } from '../../../shared/catalog/shapes.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Basket, products } from '../collections.ts';
import { productBySku, refuseUnlessSellable } from '../product/products.ts';
import { type Discounts, evaluateDiscounts } from './discounts.ts';
import type { UnpricedLine } from './lines.ts';
import { type LineToPrice, priceLines } from './pricing.ts';

export type LineWithPrice = Omit<LineToPrice, 'discount'>;

/** The members of a basket that depend on its prices. */
export type PricedMembers = Pick<Basket, 'lines' | 'totals' | 'vouchers'> & { readonly promotionsStatus: Basket['promotionsStatus'] };

/** Current prices, only for products that may be sold. @throws Problem 404; 409 for a product that may not be sold */
export async function pricesForSale(work: UnitOfWork, lines: readonly UnpricedLine[]): Promise<LineWithPrice[]> {
  for (const { sku } of lines) refuseUnlessSellable(await productBySku(work, sku));
  return currentPrices(work, lines);
}

/** Current prices, even of products that can no longer be sold: checkout refuses them. */
export function currentPrices(work: UnitOfWork, lines: readonly UnpricedLine[]): Promise<LineWithPrice[]> {
  return Promise.all(
    lines.map(async ({ lineId, sku, qty }) => {
      const product = await work.findUnique(products, 'sku', sku);
      if (!product) throw notFound('product', sku);
      const { price, taxRate, minAge } = product;
      return { lineId, sku, minAge, qty, unitPrice: price.amount, taxRate };
    }),
  );
}

export function applyDiscounts(
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

/** An open basket gets the promotions for everybody. Vouchers, member promotions and shipping follow at checkout. */
export async function priceOpenBasket(scope: Scope, lines: readonly LineWithPrice[]): Promise<PricedMembers> {
  return applyDiscounts(lines, await evaluateDiscounts(scope, { lines }));
}
