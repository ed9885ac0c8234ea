import type { z } from 'zod';
import type { Basket } from '../../shared/catalog/commerce/objects.ts';
import type { Order } from '../../shared/catalog/order/objects.ts';
import { goneOf, valueOfUnits } from '../../shared/catalog/payment/cover.ts';
import { floorShare, money } from '../../shared/domain/money.ts';
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
    const discount = money(qty * line.unitPrice.amount - lineTotal.amount, currency);
    const tax = money(line.tax.amount - floorShare(line.tax.amount, gone, line.qty), currency);
    return [{ ...line, qty, discount, tax, lineTotal }];
  });
  const { shipping } = totals;
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
      tax: sumOf((line) => line.tax.amount),
      total: money(goods.amount + shipping.amount, shipping.currency),
    },
  };
}
