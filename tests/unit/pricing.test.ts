import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { addToLines, type LineToPrice, priceLines, shippingCost } from '../../services/ecommerce-platform/pricing.ts';
import { DEFAULT_FIGURES } from '../../shared/catalog/retailer.ts';
import { ratesAt } from '../../shared/catalog/tax.ts';
import { addedTax, containedTax } from '../../shared/domain/money.ts';

const MUG = { lineId: 'bsk_1-1', sku: 'mug-blue', qty: 1, unitPrice: 1299, taxRate: 23, discount: 0 };
const aLine = (line: Partial<LineToPrice> = {}): LineToPrice => ({ ...MUG, ...line });
const amountsOf = ({ taxIncluded: _included, taxes: _taxes, ...totals }: ReturnType<typeof priceLines>['totals']) =>
  Object.fromEntries(Object.entries(totals).map(([name, { amount }]) => [name, amount]));
const totalsOf = (lines: readonly LineToPrice[], method?: 'STANDARD' | 'EXPRESS') =>
  amountsOf(priceLines(lines, DEFAULT_FIGURES, method).totals);

const anyLine = fc
  .record({
    lineId: fc.string({ minLength: 1 }),
    sku: fc.string({ minLength: 1 }),
    qty: fc.integer({ min: 1, max: 9_999 }),
    unitPrice: fc.integer({ min: 1, max: 1_000_000 }),
    taxRate: fc.constantFrom(0, 4.8, 9, 13.5, 23),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ share, ...line }): LineToPrice => ({ ...line, discount: Math.floor(line.qty * line.unitPrice * share) }));

const anyBasket = fc.array(anyLine, { maxLength: 20 });
const anyMethod = fc.constantFrom(undefined, 'STANDARD' as const, 'EXPRESS' as const);

test('The price of two blue mugs is 30.88 with standard shipping, and 25.98 before a shipping method is chosen', () => {
  const mugs = [aLine({ qty: 2 })];
  expect(totalsOf(mugs, 'STANDARD')).toMatchObject({ subtotal: 2598, discount: 0, shipping: 490, total: 3088 });
  expect(totalsOf(mugs)).toMatchObject({ shipping: 0, total: 2598 });
});

test('The price of a basket always adds up in whole minor units of one currency: lines, discount, shipping and total', () => {
  fc.assert(
    fc.property(anyBasket, anyMethod, (basket, method) => {
      const { lines, totals } = priceLines(basket, DEFAULT_FIGURES, method);
      const sum = (of: (line: (typeof lines)[number]) => number): number => lines.reduce((total, line) => total + of(line), 0);
      for (const line of lines) {
        expect(line.lineTotal.amount).toBe(line.qty * line.unitPrice.amount - line.discount.amount);
        expect(line.lineTotal.amount).toBeGreaterThanOrEqual(0);
      }
      expect(totals.subtotal.amount).toBe(sum(({ qty, unitPrice }) => qty * unitPrice.amount));
      expect(totals.discount.amount).toBe(sum(({ discount }) => discount.amount));
      expect(totals.total.amount).toBe(totals.subtotal.amount - totals.discount.amount + totals.shipping.amount);
      expect(totals.total.amount).toBe(sum(({ lineTotal }) => lineTotal.amount) + totals.shipping.amount);
      const ofLines = lines.flatMap(({ unitPrice, discount, tax, lineTotal }) => [unitPrice, discount, tax, lineTotal]);
      const { taxIncluded: _included, taxes: _taxes, ...amounts } = totals;
      const odd = [...Object.values(amounts), ...ofLines].filter(
        (money) => !Number.isSafeInteger(money.amount) || money.currency !== 'EUR',
      );
      expect(odd).toEqual([]);
    }),
  );
});

test('The price of a basket rises with a discount on the goods by at most the shipping that is no longer free', () => {
  fc.assert(
    fc.property(fc.array(anyLine, { minLength: 1, maxLength: 10 }), anyMethod, (basket, method) => {
      const reduced = priceLines(basket, DEFAULT_FIGURES, method).totals;
      const undiscounted = basket.map((line) => ({ ...line, discount: 0 }));
      const full = priceLines(undiscounted, DEFAULT_FIGURES, method).totals;
      expect(reduced.total.amount - reduced.shipping.amount).toBeLessThanOrEqual(full.total.amount - full.shipping.amount);
      expect(reduced.shipping.amount).toBeGreaterThanOrEqual(full.shipping.amount);
    }),
  );
});

test('The price of a basket contains the tax of its lines and its shipping, at most the tax at the highest rate', () => {
  fc.assert(
    fc.property(anyBasket, anyMethod, (basket, method) => {
      const { lines, totals } = priceLines(basket, DEFAULT_FIGURES, method);
      const ofLines = lines.reduce((sum, { tax }) => sum + tax.amount, 0);
      const ofShipping = totals.tax.amount - ofLines;
      expect(ofShipping).toBeGreaterThanOrEqual(0);
      // One rounding for each rate.
      expect(ofShipping).toBeLessThanOrEqual(containedTax(totals.shipping.amount, 23) + 3);
      lines.forEach((line, index) => {
        expect(line.tax.amount).toBe(containedTax(line.lineTotal.amount, basket[index]?.taxRate ?? 0));
      });
    }),
  );
});

test('The price of a basket taxes shipping at the rate of the goods; with several rates, in proportion to the cost of the goods', () => {
  expect(totalsOf([aLine({ unitPrice: 1230 })], 'STANDARD')).toMatchObject({ tax: containedTax(1230, 23) + containedTax(490, 23) });
  expect(totalsOf([aLine({ taxRate: 0 })], 'STANDARD')).toMatchObject({ tax: 0 });
  const mixed = [aLine({ unitPrice: 3000 }), aLine({ lineId: 'b', sku: 'book', unitPrice: 1000, taxRate: 0 })];
  expect(totalsOf(mixed, 'EXPRESS')).toMatchObject({ tax: containedTax(3000, 23) + containedTax(743, 23) });
});

/** A retailer whose prices are without tax. */
const WITHOUT_TAX = { ...DEFAULT_FIGURES, taxIncluded: false };

test('Tax is added to each line after its discount and to shipping, rounded half up, and the lines by rate add up', () => {
  const lines = [aLine({ qty: 3, discount: 97, taxRate: 8.875 }), aLine({ lineId: 'b', sku: 'bread', unitPrice: 500, taxRate: 0 })];
  const { lines: priced, totals } = priceLines(lines, WITHOUT_TAX, 'STANDARD');
  // 38.00 × 8.875 % = 3.3725; of the shipping of 4.90, 38.00 ÷ 43.00 is taxed: 4.33 × 8.875 % = 0.384.
  expect(priced.map(({ tax, taxRate, lineTotal }) => [tax.amount, taxRate, lineTotal.amount])).toEqual([
    [337, 8.875, 4_137],
    [0, 0, 500],
  ]);
  expect(amountsOf(totals)).toEqual({ subtotal: 4_397, discount: 97, shipping: 490, tax: 375, shippingTax: 38, total: 5_165 });
  expect([totals.taxIncluded, totals.taxes?.map(({ rate, taxable, tax }) => [rate, taxable.amount, tax.amount])]).toEqual([
    false,
    [
      [8.875, 4_233, 375],
      [0, 557, 0],
    ],
  ]);
});

test.each([
  [100, 0.5, 1],
  [99, 0.5, 0],
  [1_299, 8.875, 115],
  [2_598, 8.8125, 229],
  [999_999_999_999, 100, 999_999_999_999],
])('The tax added to %i at %d %% is %i, rounded half up', (net, rate, tax) => expect(addedTax(net, rate)).toBe(tax));

test('A basket without tax whose place is unknown has no tax yet, on goods and on shipping', () => {
  const { lines, totals } = priceLines([aLine({ taxRate: undefined })], WITHOUT_TAX, 'STANDARD');
  expect([lines[0]?.lineTotal.amount, lines[0]?.taxRate]).toEqual([1_299, undefined]);
  expect([amountsOf(totals), totals.taxes]).toEqual([{ subtotal: 1_299, discount: 0, shipping: 490, tax: 0, total: 1_789 }, []]);
});

test('The price of a basket without tax always adds up in whole minor units, by line and by rate', () => {
  fc.assert(
    fc.property(anyBasket, anyMethod, (basket, method) => {
      const { lines, totals } = priceLines(basket, WITHOUT_TAX, method);
      const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);
      const { subtotal, discount, shipping, shippingTax, tax, total, taxes = [] } = totals;
      for (const line of lines) {
        const net = line.qty * line.unitPrice.amount - line.discount.amount;
        expect(line.tax.amount).toBe(addedTax(net, line.taxRate ?? 0));
        expect(line.lineTotal.amount).toBe(net + line.tax.amount);
      }
      expect(total.amount).toBe(subtotal.amount - discount.amount + shipping.amount + tax.amount);
      expect(total.amount).toBe(sum(lines.map(({ lineTotal }) => lineTotal.amount)) + shipping.amount + (shippingTax?.amount ?? 0));
      expect(tax.amount).toBe(sum(taxes.map((one) => one.tax.amount)));
      const taxable = sum(taxes.map((one) => one.taxable.amount));
      expect(taxable).toBe(lines.length === 0 ? 0 : subtotal.amount - discount.amount + shipping.amount);
      expect(taxes.map(({ rate }) => rate)).toEqual(taxes.map(({ rate }) => rate).toSorted((one, other) => other - one));
    }),
  );
});

test('A rate is found by region, else by country, else at the product, each for the category of the product', () => {
  const rates = [
    { country: 'US', region: 'NY', category: 'standard', rate: 8.875 },
    { country: 'US', category: 'standard', rate: 1 },
    { country: 'US', category: 'food', rate: 0 },
    { country: 'US', region: 'TX', category: 'food', rate: 2 },
  ];
  const at = (country: string, region: string | undefined, taxCategory?: string) =>
    ratesAt(rates, { country, region })({ taxCategory, taxRate: 23 });
  expect([at('US', 'ny'), at('US', 'CA'), at('US', undefined), at('IE', 'NY')]).toEqual([8.875, 1, 1, 23]);
  expect([at('US', 'NY', 'food'), at('US', 'TX', 'food'), at('US', 'TX', 'books')]).toEqual([0, 2, 23]);
});

test('The price of a basket has free shipping from 50.00 of goods after discount, and not at 49.99', () => {
  const costs = (goods: number) => [
    shippingCost(goods, 'STANDARD', DEFAULT_FIGURES.shipping),
    shippingCost(goods, 'EXPRESS', DEFAULT_FIGURES.shipping),
  ];
  expect([costs(DEFAULT_FIGURES.shipping.freeFrom - 1), costs(DEFAULT_FIGURES.shipping.freeFrom)].flat()).toEqual([490, 990, 0, 0]);
  expect(totalsOf([aLine({ unitPrice: 5_500, discount: 501 })], 'STANDARD')).toMatchObject({ shipping: 490, total: 5_489 });
});

test('The discount of a line is never negative and never exceeds the price of the line', () => {
  const { lines } = priceLines([aLine({ discount: 9_999 }), aLine({ discount: -100 })], DEFAULT_FIGURES);
  expect(lines.map(({ discount, lineTotal }) => `${discount.amount} off, ${lineTotal.amount}`)).toEqual(['1299 off, 0', '0 off, 1299']);
});

const asked = (sku: string, qty: number) => ({ sku, qty, pointer: '/lines/0' });

test('The lines of a basket are one per SKU and lose no unit, for any additions in any order', () => {
  const one = fc.record({ sku: fc.constantFrom('a', 'b', 'c', 'd'), qty: fc.integer({ min: 1, max: 300 }) });
  const anyAsked = fc.array(one, { maxLength: 30 });
  fc.assert(
    fc.property(anyAsked, (wanted) => {
      const additions = wanted.map(({ sku, qty }) => asked(sku, qty));
      const lines = addToLines('bsk_1', [], additions);
      expect(new Set(lines.map(({ sku }) => sku)).size).toBe(lines.length);
      expect(new Set(lines.map(({ lineId }) => lineId)).size).toBe(lines.length);
      for (const { sku, qty } of lines) {
        expect(qty).toBe(wanted.filter((one) => one.sku === sku).reduce((sum, one) => sum + one.qty, 0));
      }
    }),
  );
});

test('Adding units to the lines of a basket keeps their ids and does not change the input', () => {
  const before = addToLines('bsk_1', [], [asked('a', 1), asked('b', 2)]);
  const after = addToLines('bsk_1', before, [asked('b', 3), asked('c', 1)]);
  expect(before.map(({ qty }) => qty)).toEqual([1, 2]);
  expect(after).toEqual([
    { lineId: 'bsk_1-1', sku: 'a', qty: 1 },
    { lineId: 'bsk_1-2', sku: 'b', qty: 5 },
    { lineId: 'bsk_1-3', sku: 'c', qty: 1 },
  ]);
});

test('The lines of a basket take at most 9,999 units each, and the refusal points at the line of the request', () => {
  expect(addToLines('bsk_1', [], [asked('a', 9_998), asked('a', 1)])[0]?.qty).toBe(9_999);
  expect(() => addToLines('bsk_1', [], [asked('a', 9_999), { sku: 'a', qty: 1, pointer: '/lines/1' }])).toThrow(
    expect.objectContaining({ code: 'validation_failed', context: { errors: [expect.objectContaining({ pointer: '/lines/1' })] } }),
  );
});

test('The lines of a basket are at most 200', () => {
  const additions = Array.from({ length: 200 }, (_, index) => asked(`sku-${index}`, 1));
  const full = addToLines('bsk_1', [], additions);
  expect(() => addToLines('bsk_1', full, [asked('one-more', 1)])).toThrow(expect.objectContaining({ code: 'validation_failed' }));
});
