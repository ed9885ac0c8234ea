import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Basket, type ConvertedBasket, orderFromBasket } from '../../../services/oms/baskets.ts';
import { allocate, containedTax, money } from '../../../shared/domain/money.ts';
import { orderNumberOf } from '../../../shared/domain/order-number.ts';

const AT = '2026-03-01T10:00:00.000Z';
const DAY = '20260301';
const eur = (amount: number) => money(amount, 'EUR');

interface Goods {
  readonly qty: number;
  readonly unitPrice: number;
  readonly taxRate: number;
}

/** A basket as the eCommerce Platform prices it: the discount spread over the lines, tax contained. */
function basketOf(
  goods: readonly Goods[],
  { discount = 0, shipping = 0, ...members }: { discount?: number; shipping?: number } & Partial<Basket> = {},
): Basket {
  const weights = goods.map(({ qty, unitPrice }) => qty * unitPrice);
  const subtotal = weights.reduce((sum, weight) => sum + weight, 0);
  const shares = allocate(Math.min(discount, subtotal), weights);
  const lines = goods.map(({ qty, unitPrice, taxRate }, index) => {
    const share = shares[index] ?? 0;
    const lineTotal = qty * unitPrice - share;
    const amounts = {
      unitPrice: eur(unitPrice),
      discount: eur(share),
      tax: eur(containedTax(lineTotal, taxRate)),
      lineTotal: eur(lineTotal),
    };
    return { lineId: `line-${index}`, sku: `sku-${index}`, qty, ...amounts };
  });
  const taken = shares.reduce((sum, share) => sum + share, 0);
  const tax = lines.reduce((sum, line) => sum + line.tax.amount, 0);
  const about = { id: 'bsk_1', version: 3, createdAt: AT, updatedAt: AT, state: 'converted', channel: 'web', currency: 'EUR' } as const;
  const sums = { subtotal: eur(subtotal), discount: eur(taken), shipping: eur(shipping), tax: eur(tax) };
  const totals = { ...sums, total: eur(subtotal - taken + shipping) };
  return { ...about, lines, vouchers: [], totals, reservationId: 'res_1', orderId: 'ord_1', ...members };
}

const orderOf = (basket: Basket) => orderFromBasket(basket as ConvertedBasket, { orderNumber: '260301-000000', validatedAt: AT });

const anyLine = { qty: fc.integer({ min: 1, max: 9999 }), unitPrice: fc.integer({ min: 1, max: 500_000 }) };
const anyGoods = fc.array(fc.record({ ...anyLine, taxRate: fc.constantFrom(0, 9, 13.5, 23) }), { minLength: 1, maxLength: 8 });
const MUGS = [{ qty: 1, unitPrice: 1299, taxRate: 23 }];

test('An order made of any basket has lines and totals that add up', () => {
  fc.assert(
    fc.property(anyGoods, fc.nat(2_000_000), fc.constantFrom(0, 490, 990), (goods, discount, shipping) => {
      const { lines, totals } = orderOf(basketOf(goods, { discount, shipping }));
      const sum = (amountOf: (line: (typeof lines)[number]) => number): number => lines.reduce((total, line) => total + amountOf(line), 0);
      for (const line of lines) expect(line.lineTotal.amount).toBe(line.qty * line.unitPrice.amount - line.discount.amount);
      expect(sum(({ qty, unitPrice }) => qty * unitPrice.amount)).toBe(totals.subtotal.amount);
      expect(sum((line) => line.discount.amount)).toBe(totals.discount.amount);
      expect(sum((line) => line.lineTotal.amount) + totals.shipping.amount).toBe(totals.total.amount);
      expect(totals.total.amount).toBe(totals.subtotal.amount - totals.discount.amount + totals.shipping.amount);
    }),
  );
});

test('An order made of a basket keeps every line of the basket with its id, price, discount and tax, and the reservation of the basket', () => {
  fc.assert(
    fc.property(anyGoods, fc.nat(100_000), (goods, discount) => {
      const basket = basketOf(goods, { discount });
      const counters = { fulfilledQty: 0, returnedQty: 0, cancelledQty: 0 };
      expect(orderOf(basket).lines).toEqual(basket.lines.map((line) => ({ ...line, reservationId: 'res_1', ...counters })));
    }),
  );
});

test('An order made of a basket has the order id of the basket, and only the vouchers with a discount', () => {
  const vouchers = [
    { code: 'WELCOME10', status: 'applied' as const, discount: eur(130) },
    { code: 'EXPIRED', status: 'rejected' as const, reason: 'voucher_expired', discount: eur(0) },
  ];
  const order = orderOf(basketOf(MUGS, { vouchers, customerId: 'cus_ada' }));
  expect(order).toMatchObject({ id: 'ord_1', basketId: 'bsk_1', customerId: 'cus_ada', voucherCodes: ['WELCOME10'], validatedAt: AT });
});

test('An order made of a basket has a number that starts with the day and changes with id and attempt', () => {
  const numbers = [orderNumberOf('ord_1', DAY, 0), orderNumberOf('ord_1', DAY, 1), orderNumberOf('ord_2', DAY, 0)];
  for (const number of numbers) expect(number).toMatch(/^260301-[0-9BCDFGHJKMNPQRSTVWXZ]{6}$/);
  expect(new Set(numbers).size).toBe(3);
  expect(orderNumberOf('ord_1', DAY, 0)).toBe(numbers[0]);
});
