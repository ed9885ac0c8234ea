import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  applyPromotions,
  freeUnits,
  isRunning,
  type Line,
  MOST_DISCOUNTS,
  type Purchase,
  pricedAtFull,
  spread,
} from '../../services/promotion-engine/promotion-rules.ts';
import { applyVouchers, discountOf, standingReason, type VoucherTerms } from '../../services/promotion-engine/voucher-rules.ts';
import type { Promotion } from '../../shared/catalog/promotion/reference-data.ts';
import { inOneTurn } from '../../shared/domain/breathe.ts';

const EUR = 'EUR';
const WINDOW = { activeFrom: '2026-01-01T00:00:00.000Z', activeTo: '2026-02-01T00:00:00.000Z' };
const skus = ['a', 'b', 'c', 'd'] as const;

const lines: fc.Arbitrary<Line[]> = fc.array(
  fc.record({ sku: fc.constantFrom(...skus), qty: fc.integer({ min: 1, max: 50 }), unitPrice: fc.integer({ min: 1, max: 30_000 }) }),
  { maxLength: 8 },
);
const percent = fc.integer({ min: 1, max: 10_000 }).map((basisPoints) => basisPoints / 100);
const amount = fc.integer({ min: 1, max: 20_000 }).map((value) => ({ amount: value, currency: EUR }));
const someSkus = fc.subarray([...skus], { minLength: 1 });
const tiers = fc.subarray(['bronze', 'silver', 'gold'] as ('bronze' | 'silver' | 'gold')[], { minLength: 1 });

const kinds = fc.oneof(
  fc.record({ kind: fc.constant('percent-off' as const), percent, skus: someSkus }),
  fc.record({ kind: fc.constant('amount-off' as const), amount, skus: someSkus }),
  fc
    .tuple(fc.integer({ min: 2, max: 6 }), fc.integer({ min: 1, max: 5 }), someSkus)
    .map(([buy, pay, of]) => ({ kind: 'buy-x-pay-y' as const, buy, pay: Math.min(pay, buy - 1), skus: of })),
  fc.record({ kind: fc.constant('basket-threshold' as const), threshold: amount, discount: amount }),
  fc.record({ kind: fc.constant('tier-percent' as const), percent, tiers }),
);
const promotions: fc.Arbitrary<Promotion[]> = fc
  .array(fc.tuple(kinds, fc.boolean()), { maxLength: 6 })
  .chain((found) => fc.tuple(fc.constant(found), fc.shuffledSubarray([...found.keys()], { minLength: found.length })))
  .map(([found, priorities]) =>
    found.map(([kind, stackable], index) => {
      const priority = (priorities[index] ?? 0) + 1;
      return { ...WINDOW, ...kind, id: `prm_${priority}`, name: `Promotion ${priority}`, priority, stackable };
    }),
  );
const V = { ...WINDOW, code: 'V', name: 'V', enabled: true };
const discount = fc.oneof(
  fc.record({ type: fc.constant('percent' as const), percent }),
  fc.record({ type: fc.constant('amount' as const), amount }),
);
const vouchers: fc.Arbitrary<VoucherTerms[]> = fc.array(
  fc
    .tuple(discount, fc.option(amount, { nil: undefined }), fc.option(tiers, { nil: undefined }))
    .map(([given, minimum, of]) => ({ ...V, discount: given, minimum, tiers: of })),
  { maxLength: 4 },
);
const purchase = fc.record({
  currency: fc.constantFrom(EUR, EUR, 'USD'),
  tier: fc.constantFrom(undefined, 'bronze' as const, 'gold' as const),
});

const discounted = (goods: readonly Line[], rules: readonly Promotion[], who: Purchase) =>
  inOneTurn(applyPromotions(pricedAtFull(goods), rules, who));

test('Discounts are integers, never exceed a line, and add up, with any promotions and vouchers', () => {
  fc.assert(
    fc.property(lines, promotions, vouchers, purchase, (goods, rules, codes, who) => {
      const checked = codes.map((voucher, index) => ({ code: `V${index}`, voucher, reason: undefined }));
      const outcome = applyVouchers(discounted(goods, rules, who), checked, who);
      expect(outcome.lines.map(({ sku, qty, unitPrice }) => ({ sku, qty, unitPrice }))).toEqual(goods);
      for (const { qty, unitPrice, left, discounts } of outcome.lines) {
        const taken = discounts.reduce((sum, discount) => sum + discount.amount, 0);
        expect(discounts.every((discount) => Number.isSafeInteger(discount.amount) && discount.amount > 0)).toBe(true);
        expect(left).toBe(qty * unitPrice - taken);
        expect(left).toBeGreaterThanOrEqual(0);
      }
      const named = outcome.lines.flatMap(({ discounts }) => discounts.map(({ source }) => source.voucherCode));
      for (const { code } of outcome.rejected) expect(named).not.toContain(code);
    }),
    { numRuns: 500 },
  );
});

test('Discounts of a promotion that does not stack are the only discounts of their lines', () => {
  fc.assert(
    fc.property(lines, promotions, purchase, (goods, rules, who) => {
      const alone = new Set(rules.filter(({ stackable }) => !stackable).map(({ id }) => id));
      for (const { discounts } of discounted(goods, rules, who)) {
        if (discounts.some(({ source }) => alone.has(source.promotionId ?? ''))) expect(discounts).toHaveLength(1);
      }
    }),
    { numRuns: 500 },
  );
});

test('Discounts depend on the priority of promotions, and not on the sequence of their list', () => {
  fc.assert(
    fc.property(lines, promotions, purchase, (goods, rules, who) => {
      expect(discounted(goods, rules.toReversed(), who)).toEqual(discounted(goods, rules, who));
    }),
  );
});

/** Promotions that each give a discount on every line of the SKU. */
const stackables = (count: number, skus: readonly string[]): Promotion[] =>
  Array.from({ length: count }, (_, place) => ({
    ...WINDOW,
    id: `prm_${place}`,
    name: `Promotion ${place}`,
    priority: place + 1,
    stackable: true,
    kind: 'amount-off',
    amount: { amount: 1, currency: EUR },
    skus: [...skus],
  }));
const linesOf = (count: number): Line[] => Array.from({ length: count }, () => ({ sku: 'a', qty: 1, unitPrice: 10_000 }));

test('Promotions leave a turn to other work after each of them', () => {
  const steps = applyPromotions(pricedAtFull(linesOf(3)), stackables(120, ['a']), { currency: EUR });
  let turns = 0;
  while (!steps.next().done) turns += 1;
  expect(turns).toBe(120);
});

test('Promotions read each SKU of a long list once, however many lines there are', () => {
  const skus = ['a', ...Array.from({ length: 200 }, (_, place) => `other-${place}`)];
  const [promotion] = stackables(1, skus);
  let reads = 0;
  const counted = new Proxy(skus, {
    get: (list, name) => {
      if (typeof name === 'string' && /^\d+$/.test(name)) reads += 1;
      return Reflect.get(list, name);
    },
  });
  const lines = discounted(linesOf(50), [{ ...promotion, skus: counted } as Promotion], { currency: EUR });
  expect(lines.map(({ left }) => left)).toEqual(Array(50).fill(9_999));
  expect(reads).toBe(skus.length);
});

test('Promotions refuse more discounts together than an answer may have', () => {
  const each = 50;
  const most = stackables(MOST_DISCOUNTS / each, ['a']);
  const all = discounted(linesOf(each), most, { currency: EUR });
  expect(all.reduce((sum, { discounts }) => sum + discounts.length, 0)).toBe(MOST_DISCOUNTS);
  const refusal = expect.objectContaining({
    code: 'validation_failed',
    context: { errors: [expect.objectContaining({ pointer: '/lines', code: 'too_big', detail: expect.stringContaining('stackable') })] },
  });
  expect(() => discounted(linesOf(each + 1), most, { currency: EUR })).toThrow(refusal);
});

test('Discounts of one amount are spread to the last minor unit, and no share exceeds its line', () => {
  fc.assert(
    fc.property(fc.nat(100_000), fc.array(fc.nat(20_000), { maxLength: 10 }), (whole, weights) => {
      const shares = spread(whole, weights);
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(Math.min(whole, total));
      for (const [index, share] of shares.entries()) expect(share).toBeLessThanOrEqual(weights[index] ?? 0);
    }),
  );
});

test('Free units are the cheapest of each full group', () => {
  fc.assert(
    fc.property(lines, fc.integer({ min: 2, max: 5 }), fc.integer({ min: 1, max: 4 }), (goods, buy, most) => {
      const pay = Math.min(most, buy - 1);
      const open = pricedAtFull(goods);
      const units = open
        .flatMap(({ qty, unitPrice }, index) => Array.from({ length: qty }, () => ({ index, unitPrice })))
        .sort((a, b) => b.unitPrice - a.unitPrice || a.index - b.index);
      const expected = goods.map(() => 0);
      for (let start = 0; start + buy <= units.length; start += buy) {
        for (const { index } of units.slice(start + pay, start + buy)) expected[index] = (expected[index] ?? 0) + 1;
      }
      const eligible = open.map(({ left }) => left);
      expect(freeUnits(open, eligible, { buy, pay })).toEqual(expected);
    }),
  );
});

const terms: VoucherTerms = { ...V, discount: { type: 'percent', percent: 10 } };
const during = Date.parse('2026-01-15T00:00:00.000Z');

test('A voucher is valid from its first instant until before its last', () => {
  const [from, to] = [Date.parse(WINDOW.activeFrom), Date.parse(WINDOW.activeTo)];
  expect([from - 1, from, to - 1, to].map((now) => isRunning(WINDOW, now))).toEqual([false, true, true, false]);
});

test('A voucher is refused for the first reason that applies', () => {
  const over = Date.parse(WINDOW.activeTo);
  expect(standingReason(undefined, { now: during, usesLeft: 0 })).toBe('not_found');
  expect(standingReason({ ...terms, enabled: false }, { now: over, usesLeft: 0 })).toBe('voucher_disabled');
  expect(standingReason(terms, { now: over, usesLeft: 0 })).toBe('voucher_expired');
  expect(standingReason(terms, { now: Date.parse(WINDOW.activeFrom) - 1, usesLeft: 1 })).toBe('voucher_expired');
  expect(standingReason(terms, { now: during, usesLeft: 0 })).toBe('quantity_exceeded');
  expect(standingReason(terms, { now: during, usesLeft: 1 })).toBeUndefined();
  expect(standingReason(terms, { now: during, usesLeft: undefined })).toBeUndefined();
});

test('A voucher discounts at most the remaining amount, nothing below its minimum, and nothing in another currency', () => {
  const five: VoucherTerms = { ...terms, discount: { type: 'amount', amount: { amount: 500, currency: EUR } } };
  expect(discountOf(five, { left: 300, goods: 300, currency: EUR })).toBe(300);
  expect(discountOf(five, { left: 300, goods: 300, currency: 'USD' })).toBe(0);
  const from10 = { ...terms, minimum: { amount: 1000, currency: EUR } };
  expect(discountOf(from10, { left: 999, goods: 999, currency: EUR })).toBe(0);
  expect(discountOf(from10, { left: 995, goods: 1000, currency: EUR })).toBe(100);
  expect(discountOf(from10, { left: 2000, goods: 2000, currency: 'USD' })).toBe(0);
});
