import type { z } from 'zod';
import type { BasketLine, Totals } from '../../../shared/catalog/commerce/objects.ts';
import type { ShippingMethod } from '../../../shared/catalog/shapes.ts';
import { FREE_SHIPPING_FROM, SHIPPING_PRICES } from '../../../shared/catalog/shipping-prices.ts';
import { allocate, CURRENCY, containedTax, money } from '../../../shared/domain/money.ts';

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

export interface Priced {
  readonly lines: z.output<typeof BasketLine>[];
  readonly totals: z.output<typeof Totals>;
}

/**
 * Prices a basket in integer minor units: `lineTotal = qty × unitPrice − discount`, `total = subtotal − discount + shipping`. Prices
 * include tax; `tax` is the contained part.
 * @param shippingMethod undefined before checkout: shipping is then 0
 */
export function priceLines(lines: readonly LineToPrice[], shippingMethod?: z.output<typeof ShippingMethod>): Priced {
  const priced = lines.map(priceLine);
  const sum = (of: (line: (typeof priced)[number]) => number): number => priced.reduce((total, line) => total + of(line), 0);
  const subtotal = sum(({ gross }) => gross);
  const goods = sum(({ net }) => net);
  const shipping = shippingCost(goods, shippingMethod);
  return {
    lines: priced.map(({ line }) => line),
    totals: {
      subtotal: money(subtotal, CURRENCY),
      discount: money(subtotal - goods, CURRENCY),
      shipping: money(shipping, CURRENCY),
      tax: money(sum(({ tax }) => tax) + shippingTax(shipping, priced), CURRENCY),
      total: money(goods + shipping, CURRENCY),
    },
  };
}

function priceLine({ lineId, sku, minAge, qty, unitPrice, taxRate, discount }: LineToPrice) {
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
      unitPrice: money(unitPrice, CURRENCY),
      discount: money(off, CURRENCY),
      tax: money(tax, CURRENCY),
      lineTotal: money(net, CURRENCY),
    },
  };
}

export function shippingCost(goods: number, method: z.output<typeof ShippingMethod> | undefined): number {
  return method === undefined || goods >= FREE_SHIPPING_FROM ? 0 : SHIPPING_PRICES[method];
}

/** Shipping is taxed at the rates of its goods, in proportion to their cost. The source document does not specify it. */
function shippingTax(shipping: number, lines: readonly { readonly net: number; readonly taxRate: number }[]): number {
  if (shipping === 0) return 0;
  const byRate = new Map<number, number>();
  for (const { taxRate, net } of lines) byRate.set(taxRate, (byRate.get(taxRate) ?? 0) + net);
  const rates = [...byRate.keys()];
  return allocate(shipping, [...byRate.values()]).reduce((tax, share, index) => tax + containedTax(share, rates[index] ?? 0), 0);
}
