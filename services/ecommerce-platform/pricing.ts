import type { z } from 'zod';
import { LIMITS } from '../../shared/catalog/limits.ts';
import { MOST_UNITS, type SkuUnits, tooManyUnits, unitsOf } from '../../shared/catalog/lines-by-sku.ts';
import { invalid, notFound } from '../../shared/catalog/problems.ts';
import type { Figures } from '../../shared/catalog/retailer.ts';
import type { ShippingMethod } from '../../shared/catalog/shapes.ts';
import { ratesAt, type TaxPlace } from '../../shared/catalog/tax.ts';
import { addedTax, allocate, containedTax, type Money, money } from '../../shared/domain/money.ts';
import { instant } from '../../shared/domain/time.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { type Basket, type CheckoutRecord, type Product, products } from './collections.ts';
import { type Discounts, evaluateDiscounts } from './discounts.ts';
import { productBySku, refuseUnlessSellable } from './products.ts';

/** What decides the rate of a product in a place. */
type ProductTax = Pick<Product, 'taxRate' | 'taxCategory'>;

export interface LineWithPrice extends Omit<LineToPrice, 'discount'> {
  readonly productTax: ProductTax;
}

export const pricingOf = ({ now }: UnitOfWork, lines: readonly LineWithPrice[]): CheckoutRecord['pricing'] => ({
  at: instant(now),
  productTaxes: lines.map(({ lineId, productTax }) => ({ lineId, ...productTax })),
});

/** The members of a basket that depend on its prices. */
type PricedMembers = Pick<Basket, 'lines' | 'totals' | 'vouchers'> & {
  readonly promotionsStatus: Basket['promotionsStatus'];
  readonly taxStatus: Basket['taxStatus'];
};

/** Where the sale is taxed. Undefined: not known yet. It has no effect on prices that include tax. */
type Place = TaxPlace | undefined;

/** Current prices, only for products that may be sold. @throws Problem 404; 409 for a product that may not be sold */
export async function pricesForSale(work: UnitOfWork, lines: readonly UnpricedLine[], place: Place): Promise<LineWithPrice[]> {
  for (const { sku } of lines) refuseUnlessSellable(await productBySku(work, sku));
  return currentPrices(work, lines, place);
}

/**
 * Current prices, even of products that can no longer be sold: checkout refuses them.
 * @param pricing of a checkout whose tax rates apply in place of the current ones
 */
export function currentPrices(
  work: UnitOfWork,
  lines: readonly UnpricedLine[],
  place: Place,
  pricing?: CheckoutRecord['pricing'],
): Promise<LineWithPrice[]> {
  const { taxIncluded, taxRates } = work.figures;
  const rateOf = taxIncluded ? ({ taxRate }: ProductTax) => taxRate : place && ratesAt(taxRates, place);
  const before = new Map(pricing?.productTaxes.map(({ lineId, ...productTax }) => [lineId, productTax]));
  return Promise.all(
    lines.map(async ({ lineId, sku, qty, labelPrice }) => {
      const product = await work.findUnique(products, 'sku', sku);
      if (!product) throw notFound('product', sku);
      const { price, minAge, taxRate, taxCategory } = product;
      const productTax = before.get(lineId) ?? { taxRate, taxCategory };
      return { lineId, sku, minAge, qty, unitPrice: (labelPrice ?? price).amount, taxRate: rateOf?.(productTax), productTax };
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
  const isPlaceless = lines.some(({ taxRate }) => taxRate === undefined);
  return {
    ...priced,
    vouchers: [...discounts.vouchers],
    promotionsStatus: lines.length === 0 ? undefined : discounts.status,
    taxStatus: figures.taxIncluded ? undefined : isPlaceless ? 'unknown' : 'final',
  };
}

/** An open basket gets the promotions for everybody. Vouchers, member promotions and shipping follow at checkout. */
export async function priceOpenBasket(scope: Scope, lines: readonly LineWithPrice[]): Promise<PricedMembers> {
  const priced = applyDiscounts(lines, await evaluateDiscounts(scope, { lines }), scope.work.figures);
  return priced.taxStatus === 'final' ? { ...priced, taxStatus: lines.length === 0 ? 'unknown' : 'estimated' } : priced;
}

/** The figures of the retailer that prices need. */
type Pricing = Pick<Figures, 'currency' | 'taxIncluded' | 'shipping'>;

export interface LineToPrice {
  readonly lineId: string;
  readonly sku: string;
  /** Minimum age of the buyer, in years. */
  readonly minAge?: number;
  readonly qty: number;
  /** Minor units; with tax if the prices of the retailer include it. */
  readonly unitPrice: number;
  /** Percent that is contained in the price, or added to it. Undefined: the place of the customer is unknown. */
  readonly taxRate: number | undefined;
  /** Minor units, for all units of the line together. */
  readonly discount: number;
}

/**
 * Prices a basket in integer minor units: `lineTotal = qty × unitPrice − discount`, `total = subtotal − discount + shipping`. If prices
 * include tax, `tax` is the contained part. Otherwise it is added: to each line after its discount, and to shipping.
 * @param shippingMethod undefined before checkout: shipping is then 0
 * @param agreedShipping minor units, in place of the price of the shipping method
 */
export function priceLines(
  lines: readonly LineToPrice[],
  { currency, taxIncluded, shipping: prices }: Pricing,
  shippingMethod?: z.output<typeof ShippingMethod>,
  agreedShipping?: number,
): Pick<Basket, 'lines' | 'totals'> {
  const taxOf = taxIncluded ? containedTax : addedTax;
  const priced = lines.map((line) => priceLine(line, { currency, taxIncluded }));
  const sum = (of: (line: (typeof priced)[number]) => number): number => priced.reduce((total, line) => total + of(line), 0);
  const subtotal = sum(({ gross }) => gross);
  const goods = sum(({ net }) => net);
  const shipping = agreedShipping ?? shippingCost(goods, shippingMethod, prices);
  const ofShipping = shippingByRate(shipping, priced).map(({ taxRate, net }) => ({ taxRate, net, tax: taxOf(net, taxRate) }));
  const shippingTax = ofShipping.reduce((total, { tax }) => total + tax, 0);
  const tax = sum((line) => line.tax) + shippingTax;
  return {
    lines: priced.map(({ line }) => line),
    totals: {
      subtotal: money(subtotal, currency),
      discount: money(subtotal - goods, currency),
      shipping: money(shipping, currency),
      tax: money(tax, currency),
      total: money(goods + shipping + (taxIncluded ? 0 : tax), currency),
      ...(!taxIncluded && {
        taxIncluded,
        ...(shippingTax > 0 && { shippingTax: money(shippingTax, currency) }),
        taxes: taxLines([...priced, ...ofShipping], currency),
      }),
    },
  };
}

function priceLine(
  { lineId, sku, minAge, qty, unitPrice, taxRate, discount }: LineToPrice,
  { currency, taxIncluded }: Pick<Pricing, 'currency' | 'taxIncluded'>,
) {
  const gross = qty * unitPrice;
  // A discount never exceeds the line.
  const off = Math.min(Math.max(0, discount), gross);
  const net = gross - off;
  const tax = (taxIncluded ? containedTax : addedTax)(net, taxRate ?? 0);
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
      ...(!taxIncluded && { taxRate }),
      lineTotal: money(taxIncluded ? net : net + tax, currency),
    },
  };
}

export function shippingCost(goods: number, method: z.output<typeof ShippingMethod> | undefined, prices: Figures['shipping']): number {
  return method === undefined || goods >= prices.freeFrom ? 0 : prices[method];
}

/**
 * Shipping is taxed at the rates of its goods, in proportion to their cost. Goods without a rate leave it untaxed. The source document does
 * not specify it.
 */
function shippingByRate(shipping: number, lines: readonly Taxed[]): { readonly taxRate: number; readonly net: number }[] {
  if (shipping === 0) return [];
  const byRate = new Map<number, number>();
  for (const { taxRate, net } of lines) if (taxRate !== undefined) byRate.set(taxRate, (byRate.get(taxRate) ?? 0) + net);
  const shares = allocate(shipping, [...byRate.values()]);
  return [...byRate.keys()].map((taxRate, index) => ({ taxRate, net: shares[index] ?? 0 }));
}

interface Taxed {
  readonly taxRate: number | undefined;
  /** Minor units after discounts; with tax if prices include it. */
  readonly net: number;
}

/** The added tax by rate, highest rate first. */
function taxLines(parts: readonly (Taxed & { readonly tax: number })[], currency: string): NonNullable<Basket['totals']['taxes']> {
  const byRate = new Map<number, { taxable: number; tax: number }>();
  for (const { taxRate, net, tax } of parts) {
    if (taxRate === undefined) continue;
    const before = byRate.get(taxRate) ?? { taxable: 0, tax: 0 };
    byRate.set(taxRate, { taxable: before.taxable + net, tax: before.tax + tax });
  }
  const rows = [...byRate].toSorted(([one], [other]) => other - one);
  return rows.map(([rate, { taxable, tax }]) => ({ rate, taxable: money(taxable, currency), tax: money(tax, currency) }));
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
