import type { z } from 'zod';
import type { Basket } from '../../shared/catalog/commerce/objects.ts';
import type { Order } from '../../shared/catalog/order/objects.ts';
import { goneOf, shippingOf, valueOfUnits } from '../../shared/catalog/payment/cover.ts';
import { floorShare, type Money, money } from '../../shared/domain/money.ts';
import type { Sale } from './collections.ts';

type Goods = Pick<z.output<typeof Basket>, 'lines' | 'totals'>;

/** The goods of a transaction with their prices. They come from its basket or from its order, and are never calculated again. */
export const goodsFor = ({ basket, collection }: Sale): Goods => basket ?? withoutGone(collection.order);

/** The goods of an order that the customer gets, with their part of the prices. The store may lack some units. */
function withoutGone({ lines, totals }: Pick<z.output<typeof Order>, 'lines' | 'totals'>): Goods {
  if (lines.every((line) => goneOf(line) === 0)) return { lines, totals };
  const left = lines.flatMap((line) => {
    const gone = goneOf(line);
    const qty = line.qty - gone;
    if (qty === 0) return [];
    const { currency } = line.lineTotal;
    const lineTotal = money(line.lineTotal.amount - valueOfUnits(line, gone), currency);
    const tax = money(line.tax.amount - floorShare(line.tax.amount, gone, line.qty), currency);
    const added = totals.taxIncluded === false ? tax.amount : 0;
    const discount = money(qty * line.unitPrice.amount + added - lineTotal.amount, currency);
    return [{ ...line, qty, discount, tax, lineTotal }];
  });
  const { shipping, taxIncluded, shippingTax } = totals;
  const sumOf = (amountOf: (line: Goods['lines'][number]) => number) =>
    money(
      left.reduce((sum, line) => sum + amountOf(line), 0),
      shipping.currency,
    );
  const goods = sumOf((line) => line.lineTotal.amount);
  return {
    lines: left,
    totals: {
      subtotal: sumOf((line) => line.qty * line.unitPrice.amount),
      discount: sumOf((line) => line.discount.amount),
      shipping,
      tax: money(sumOf((line) => line.tax.amount).amount + (shippingTax?.amount ?? 0), shipping.currency),
      total: money(goods.amount + shippingOf(totals), shipping.currency),
      taxIncluded,
      shippingTax,
      taxes: totals.taxes && taxesWithout({ lines, taxes: totals.taxes }, left),
    },
  };
}

type Line = Goods['lines'][number];
type Taxes = NonNullable<Goods['totals']['taxes']>;

/** The added tax by rate, without the tax of the units that the customer does not get. */
function taxesWithout({ lines, taxes }: { readonly lines: readonly Line[]; readonly taxes: Taxes }, left: readonly Line[]): Taxes {
  const sumAt = (all: readonly Line[], rate: number, amountOf: (line: Line) => number): number =>
    all.filter(({ taxRate }) => taxRate === rate).reduce((sum, line) => sum + amountOf(line), 0);
  const less = ({ amount, currency }: Money, rate: number, amountOf: (line: Line) => number): Money =>
    money(amount - sumAt(lines, rate, amountOf) + sumAt(left, rate, amountOf), currency);
  return taxes.map(({ rate, taxable, tax }) => ({
    rate,
    taxable: less(taxable, rate, (line) => line.lineTotal.amount - line.tax.amount),
    tax: less(tax, rate, (line) => line.tax.amount),
  }));
}
