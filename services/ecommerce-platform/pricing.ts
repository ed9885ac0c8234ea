import type { z } from 'zod';
import { LIMITS } from '../../shared/catalog/limits.ts';
import { MOST_UNITS, type SkuUnits, tooManyUnits, unitsOf } from '../../shared/catalog/lines-by-sku.ts';
import { invalid, notFound } from '../../shared/catalog/problems.ts';
import type { Figures } from '../../shared/catalog/retailer.ts';
import type { ShippingMethod } from '../../shared/catalog/shapes.ts';
import { allocate, containedTax, type Money, money } from '../../shared/domain/money.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { type Basket, products } from './collections.ts';
import { type Discounts, evaluateDiscounts } from './discounts.ts';
import { productBySku, refuseUnlessSellable } from './products.ts';

export type LineWithPrice = Omit<LineToPrice, 'discount'>;

/** The members of a basket that depend on its prices. */
type PricedMembers = Pick<Basket, 'lines' | 'totals' | 'vouchers'> & { readonly promotionsStatus: Basket['promotionsStatus'] };

/** Current prices, only for products that may be sold. @throws Problem 404; 409 for a product that may not be sold */
export async function pricesForSale(work: UnitOfWork, lines: readonly UnpricedLine[]): Promise<LineWithPrice[]> {
  for (const { sku } of lines) refuseUnlessSellable(await productBySku(work, sku));
  return currentPrices(work, lines);
}

/** Current prices, even of products that can no longer be sold: checkout refuses them. */
export function currentPrices(work: UnitOfWork, lines: readonly UnpricedLine[]): Promise<LineWithPrice[]> {
  return Promise.all(
    lines.map(async ({ lineId, sku, qty, labelPrice }) => {
      const product = await work.findUnique(products, 'sku', sku);
      if (!product) throw notFound('product', sku);
      const { price, taxRate, minAge } = product;
      return { lineId, sku, minAge, qty, unitPrice: (labelPrice ?? price).amount, taxRate };
    }),
  );
}

export function applyDiscounts(
  lines: readonly LineWithPrice[],
  discounts: Discounts,
  figures: Pricing,
  shippingMethod?: z.output<typeof ShippingMethod>,
): PricedMembers {
  const discounted = lines.map((line, index) => ({ ...line, discount: discounts.perLine[index] ?? 0 }));
  const priced = priceLines(discounted, figures, shippingMethod);
  return { ...priced, vouchers: [...discounts.vouchers], promotionsStatus: lines.length === 0 ? undefined : discounts.status };
}

/** An open basket gets the promotions for everybody. Vouchers, member promotions and shipping follow at checkout. */
export async function priceOpenBasket(scope: Scope, lines: readonly LineWithPrice[]): Promise<PricedMembers> {
  return applyDiscounts(lines, await evaluateDiscounts(scope, { lines }), scope.work.figures);
}

/** The figures of the retailer that prices need. */
type Pricing = Pick<Figures, 'currency' | 'shipping'>;

export interface LineToPrice {
  readonly lineId: string;
  readonly sku: string;
  /** Minimum age of the buyer, in years. */
  readonly minAge?: number;
  readonly qty: number;
  /** Minor units, tax included. */
  readonly unitPrice: number;
  /** Percent contained in the price. */
  readonly taxRate: number;
  /** Minor units, for all units of the line together. */
  readonly discount: number;
}

/**
 * Prices a basket in integer minor units: `lineTotal = qty × unitPrice − discount`, `total = subtotal − discount + shipping`. Prices
 * include tax; `tax` is the contained part.
 * @param shippingMethod undefined before checkout: shipping is then 0
 * @param agreedShipping minor units, in place of the price of the shipping method
 */
export function priceLines(
  lines: readonly LineToPrice[],
  { currency, shipping: prices }: Pricing,
  shippingMethod?: z.output<typeof ShippingMethod>,
  agreedShipping?: number,
): Pick<Basket, 'lines' | 'totals'> {
  const priced = lines.map((line) => priceLine(line, currency));
  const sum = (of: (line: (typeof priced)[number]) => number): number => priced.reduce((total, line) => total + of(line), 0);
  const subtotal = sum(({ gross }) => gross);
  const goods = sum(({ net }) => net);
  const shipping = agreedShipping ?? shippingCost(goods, shippingMethod, prices);
  return {
    lines: priced.map(({ line }) => line),
    totals: {
      subtotal: money(subtotal, currency),
      discount: money(subtotal - goods, currency),
      shipping: money(shipping, currency),
      tax: money(sum(({ tax }) => tax) + shippingTax(shipping, priced), currency),
      total: money(goods + shipping, currency),
    },
  };
}

function priceLine({ lineId, sku, minAge, qty, unitPrice, taxRate, discount }: LineToPrice, currency: string) {
  const gross = qty * unitPrice;
  // A discount never exceeds the line.
  const off = Math.min(Math.max(0, discount), gross);
  const net = gross - off;
  const tax = containedTax(net, taxRate);
  return {
    gross,
    net,
    tax,
    taxRate,
    line: {
      lineId,
      sku,
      minAge,
      qty,
      unitPrice: money(unitPrice, currency),
      discount: money(off, currency),
      tax: money(tax, currency),
      lineTotal: money(net, currency),
    },
  };
}

export function shippingCost(goods: number, method: z.output<typeof ShippingMethod> | undefined, prices: Figures['shipping']): number {
  return method === undefined || goods >= prices.freeFrom ? 0 : prices[method];
}

/** Shipping is taxed at the rates of its goods, in proportion to their cost. The source document does not specify it. */
function shippingTax(shipping: number, lines: readonly { readonly net: number; readonly taxRate: number }[]): number {
  if (shipping === 0) return 0;
  const byRate = new Map<number, number>();
  for (const { taxRate, net } of lines) byRate.set(taxRate, (byRate.get(taxRate) ?? 0) + net);
  const rates = [...byRate.keys()];
  return allocate(shipping, [...byRate.values()]).reduce((tax, share, index) => tax + containedTax(share, rates[index] ?? 0), 0);
}

export interface RequestedUnits extends SkuUnits {
  /** JSON pointer to the member of the request. */
  readonly pointer: string;
}

export interface UnpricedLine extends SkuUnits {
  readonly lineId: string;
}

/** The number at the end of the newest line's id; 0 without lines. */
const highestNumber = (lines: readonly UnpricedLine[]): number =>
  Math.max(0, ...lines.map(({ lineId }) => Number(/\d+$/.exec(lineId)?.[0])));

/**
 * Adds units to the lines of a basket: one line per SKU and one per label, in request order. Line ids are unique in the whole estate,
 * because orders keep them and stock is allocated by them.
 * @throws Problem 422 at the pointer of the request that exceeds a limit
 */
export function addToLines(basketId: string, lines: readonly UnpricedLine[], requested: readonly RequestedUnits[]): UnpricedLine[] {
  const result: { lineId: string; sku: string; qty: number; labelPrice?: Money }[] = lines.map(({ lineId, sku, qty }) => ({
    lineId,
    sku,
    qty,
  }));
  for (const { sku, qty, labelPrice, pointer } of requested) {
    const known = labelPrice ? undefined : result.find((line) => line.sku === sku && !line.labelPrice);
    const total = (known?.qty ?? 0) + qty;
    if (total > MOST_UNITS) throw tooManyUnits(pointer, sku, unitsOf(sku, [...lines, ...requested]));
    if (known) known.qty = total;
    else if (result.length === LIMITS.lines) throw invalid(pointer, 'too_many_lines', `A basket has at most ${LIMITS.lines} lines.`);
    else result.push({ lineId: `${basketId}-${highestNumber(result) + 1}`, sku, qty, labelPrice });
  }
  return result;
}
