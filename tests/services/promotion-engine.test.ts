import { describe, expect, test } from '@jest/globals';
import { basketVouchers } from '../../services/promotion-engine/collections.ts';
import * as promotionEngine from '../../services/promotion-engine/service.ts';
import { evaluatePromotions } from '../../shared/catalog/promotion/apis.ts';
import { recordVoucherUse } from '../../shared/catalog/promotion/internal.ts';
import { newRehearsal } from '../support/estate.ts';
import { startInside } from '../support/inside.ts';
import { eur } from '../support/steps/tender.ts';
import { sharedIn } from '../support/test-in.ts';

const line = (sku: string, qty: number, unitPrice: number) => ({ sku, qty, unitPrice: eur(unitPrice) });
const MUG = line('mug-blue', 1, 1299);
const TEN = line('mug-blue', 1, 1000);

const rehearsal = sharedIn(newRehearsal);

const evaluate = (body: object, from = rehearsal) => from.call('evaluate-promotions-api', { body });
const evaluated = async (body: object, from = rehearsal) => {
  const { status, body: priced } = await evaluate(body, from);
  expect(status).toBe(200);
  return priced;
};
const discounts = ({ lines }: { lines: { discount: { amount: number } }[] }) => lines.map(({ discount }) => discount.amount);
const validate = async (code: string, body: object, from = rehearsal) =>
  (await from.call('validate-voucher-api', { params: { code }, body })).body;

test('Evaluate Promotions takes 15 % off a brand, 10.00 off each desk lamp, and every third bar of chocolate', async () => {
  const lines = [line('rug-hall', 1, 9999), line('lamp-desk', 2, 4500), line('chocolate-dark', 7, 349), MUG];
  const body = await evaluated({ lines });
  expect(discounts(body)).toEqual([1500, 2000, 698, 0]);
  expect(body.lines.map(({ lineTotal }: { lineTotal: { amount: number } }) => lineTotal.amount)).toEqual([8499, 7000, 1745, 1299]);
  expect(body.applied).toEqual([
    { promotionId: 'prm_woolly-ridge-15', name: '15 % off everything by Woolly Ridge', discount: eur(1500) },
    { promotionId: 'prm_lamp-desk-minus-10', name: '10.00 off the desk lamp', discount: eur(2000) },
    { promotionId: 'prm_chocolate-3-for-2', name: 'Three bars of chocolate for the price of two', discount: eur(698) },
  ]);
  expect(body.totalDiscount).toEqual(eur(4198));
});

test('Evaluate Promotions refuses lines with more discounts than an answer may have', async () => {
  const sale = { name: 'Sale', activeFrom: '-P1D', activeTo: 'P1D', stackable: true, kind: 'tier-percent', percent: 1, tiers: ['gold'] };
  const promotions = Array.from({ length: 26 }, (_, place) => ({ ...sale, id: `prm_own-${place}`, priority: 1_000 + place }));
  await using own = await newRehearsal(undefined, { promotions });
  const member = (lines: number) => ({ lines: Array(lines).fill(line('mug-green', 1, 1_000_000)), customerId: 'cus_dmitri' });
  const few = await evaluated(member(100), own);
  expect(few.lines[99].discounts).toHaveLength(28);
  expect(await evaluate(member(200), own)).toMatchObject({
    status: 422,
    body: {
      code: 'validation_failed',
      errors: [{ pointer: '/lines', code: 'too_big', detail: expect.stringContaining('5,000 discounts') }],
    },
  });
});

test('Evaluate Promotions spreads 20.00 off from 200.00 over the lines without an exclusive promotion', async () => {
  const rug = line('rug-hall', 1, 10000);
  const mug = (amount: number) => line('mug-blue', 1, amount);
  // 85.00 + 100.00 + 16.00 = 201.00 still reach the threshold; the rug is closed by its own promotion.
  expect(discounts(await evaluated({ lines: [rug, mug(10000), line('mug-green', 1, 1600)] }))).toEqual([1500, 1724, 276]);
  for (const [lines, discount] of [
    [[mug(19_999)], 0],
    [[mug(20_000)], 2000],
    [[rug, mug(11_499)], 1500],
  ] as const)
    expect((await evaluated({ lines })).totalDiscount).toEqual(eur(discount));
});

test('Evaluate Promotions applies vouchers in the given order, once and to the remaining amount, in any case', async () => {
  const body = await evaluated({ lines: [line('mug-blue', 10, 1299)], voucherCodes: ['welcome10', 'WELCOME10', 'Min100'] });
  expect(body.applied).toEqual([
    { voucherCode: 'WELCOME10', name: '10 % off', discount: eur(1299) },
    { voucherCode: 'MIN100', name: '15.00 off from 100.00', discount: eur(1500) },
  ]);
  expect([body.rejected, body.lines[0].lineTotal]).toEqual([[], eur(12990 - 1299 - 1500)]);
});

test('Evaluate Promotions returns the reason for each voucher that does not apply', async () => {
  const reasons = {
    NOBODYS: 'not_found',
    'NOT A CODE!': 'not_found',
    EXPIRED: 'voucher_expired',
    DISABLED: 'voucher_disabled',
    USEDUP: 'quantity_exceeded',
    MIN100: 'order_rules_violated',
    VIP: 'customer_rules_violated',
  };
  const voucherCodes = [...Object.keys(reasons).map((code) => code.toLowerCase()), 'WELCOME10'];
  const body = await evaluated({ lines: [MUG], voucherCodes });
  expect(body.rejected).toEqual(Object.entries(reasons).map(([code, reason]) => ({ code, reason })));
  expect(body.applied).toMatchObject([{ voucherCode: 'WELCOME10', discount: eur(130) }]);
});

test('Evaluate Promotions reads the tier of a customer and applies the promotions for members', async () => {
  const priced = (customerId: string) => evaluated({ lines: [TEN], customerId, voucherCodes: ['VIP'] });
  const { applied } = await priced('cus_dmitri');
  expect(applied).toMatchObject([
    { promotionId: 'prm_members-5', discount: eur(50) },
    { voucherCode: 'VIP', discount: eur(190) },
  ]);
  const rejected = [{ code: 'VIP', reason: 'customer_rules_violated' }];
  expect(await priced('cus_clara')).toMatchObject({ rejected, totalDiscount: eur(50) });
  for (const id of ['cus_ada', 'cus_ben', 'cus_nobody']) expect(await priced(id)).toMatchObject({ rejected, totalDiscount: eur(0) });
});

test('Evaluate Promotions prices a basket by its id for the customer of the basket', async () => {
  const { id: basketId } = await rehearsal.basket({ customerId: 'cus_dmitri' });
  const { lines, applied } = await evaluated({ basketId, voucherCodes: ['VIP'] });
  expect(lines).toMatchObject([line('mug-blue', 2, 1299)]);
  expect(applied).toMatchObject([
    { promotionId: 'prm_members-5', discount: eur(130) },
    { voucherCode: 'VIP', discount: eur(494) },
  ]);
  expect((await evaluated({ basketId, voucherCodes: ['VIP'], customerId: 'cus_clara' })).rejected).toHaveLength(1);
});

test.each<[string, object, string]>([
  ['neither basket nor lines', {}, ''],
  ['both basket and lines', { basketId: 'bsk_1', lines: [MUG] }, ''],
  ['the tier, which only services send', { lines: [MUG], loyaltyTier: 'gold' }, '/loyaltyTier'],
  ['a total that is too large', { lines: [line('mug-blue', 9999, 999_999_999_999)] }, '/lines'],
])('Evaluate Promotions refuses %s', async (_what, body, pointer) => {
  expect((await evaluate(body)).body).toMatchObject({ status: 422, code: 'validation_failed', errors: [{ pointer }] });
});

test.each<[string, number, object]>([
  ['welcome10', 1299, { valid: true, discount: eur(130) }],
  ['min100', 9999, { valid: false, reason: 'order_rules_violated' }],
])('Validate Voucher returns for %s on %i cents %j', async (code, amount, result) => {
  expect(await validate(code, { amount: eur(amount) })).toEqual({ code: code.toUpperCase(), ...result });
});

test('Validate Voucher reads the tier of the named customer', async () => {
  expect(await validate('VIP', { amount: eur(1000), customerId: 'cus_dmitri' })).toMatchObject({ valid: true, discount: eur(200) });
  expect(await validate('VIP', { amount: eur(1000), customerId: 'cus_clara' })).toMatchObject({ valid: false });
});

test('Validate Voucher returns the discount on a basket after its promotions', async () => {
  const { id: basketId, lines } = await rehearsal.basket({ sku: 'chocolate-dark', qty: 3 });
  const discount = eur(Math.round((lines[0].unitPrice.amount * 2) / 10));
  expect(await validate('WELCOME10', { basketId })).toEqual({ valid: true, code: 'WELCOME10', discount });
  const { id: empty } = await rehearsal.basket({ lines: [] });
  expect(await validate('WELCOME10', { basketId: empty })).toMatchObject({ valid: false, reason: 'order_rules_violated' });
});

test.each(['10%25', 'a%20b', '-_-', 'x'.repeat(65)])('Validate Voucher does not find %s, which cannot be a code', async (code) => {
  expect(await validate(code, { amount: eur(1) })).toMatchObject({ status: 404, code: 'not_found', objectType: 'voucher' });
});

test('Validate Voucher requires either a basket or an amount', async () => {
  for (const body of [{}, { basketId: 'bsk_1', amount: eur(1) }, { amount: eur(0) }, { amount: eur(1), loyaltyTier: 'gold' }])
    expect(await validate('WELCOME10', body)).toMatchObject({ status: 422 });
});

describe('The Promotion Engine without other applications', () => {
  const VIP = { customerId: 'cus_dmitri', voucherCodes: ['VIP'] };

  test.each(['crm', 'loyalty-platform'])('A voucher for members is neither granted nor refused without the %s', async (dependency) => {
    await using own = await newRehearsal();
    await own.down(dependency);
    expect((await evaluate({ lines: [TEN], ...VIP }, own)).body).toMatchObject({ status: 503, code: 'dependency_unavailable', dependency });
    expect(await validate('VIP', { amount: eur(1), customerId: 'cus_dmitri' }, own)).toMatchObject({ status: 503 });
    const others = { lines: [TEN], customerId: 'cus_dmitri', voucherCodes: ['WELCOME10', 'EXPIRED'] };
    expect(await evaluated(others, own)).toMatchObject({ applied: [{ voucherCode: 'WELCOME10' }] });
  });

  test('Validate Voucher does not wait for a slow answer about the tier', async () => {
    await using own = await newRehearsal();
    await own.fault('slow', { match: { api: 'get-member-balance-api' }, fault: { kind: 'latency', ms: 3000 } });
    const problem = await validate('VIP', { amount: eur(1), customerId: 'cus_dmitri' }, own);
    expect(problem).toMatchObject({ status: 504, code: 'dependency_timeout', dependency: 'loyalty-platform' });
  });
});

describe('Record Voucher Use', () => {
  const inside = sharedIn(() => startInside(promotionEngine));

  type State = 'locked' | 'redeemed' | 'released';
  const put = (basketId: string, state: State, codes?: string[]) =>
    inside.as('ecommerce-platform')(recordVoucherUse, { params: { basketId }, body: { state, ...(codes && { codes }) } });
  const usesOf = (code: string) => inside.counters('promotion-engine', 'voucher-uses', code);
  const MIN100 = { used: 17, preset: 17, left: 483 };

  /** The effect of each call in each state: the next state, and the uses that the basket then has. */
  const outcomes = {
    nothing: { locked: ['locked', 1], redeemed: ['redeemed', 0], released: ['released', 0] },
    locked: { locked: ['locked', 1], redeemed: ['redeemed', 1], released: ['released', 0] },
    redeemed: { locked: ['redeemed', 1], redeemed: ['redeemed', 1], released: ['released', 0] },
    released: { locked: ['locked', 1], redeemed: ['released', 0], released: ['released', 0] },
  } as const;
  const ways: Record<string, readonly State[]> = {
    nothing: [],
    locked: ['locked'],
    redeemed: ['locked', 'redeemed'],
    released: ['locked', 'released'],
  };
  const cells = Object.entries(outcomes).flatMap(([from, calls]) =>
    Object.entries(calls).map(([call, [to, held]]) => ({ from, call: call as State, to, held })),
  );

  test.each(cells)('Record Voucher Use moves $from × $call to $to, and a repeat changes nothing', async ({ from, call, to, held }) => {
    const basketId = `bsk_${from}-${call}`;
    const move = (state: State) => put(basketId, state, state === 'locked' ? ['MIN100'] : undefined);
    for (const step of ways[from] ?? []) await move(step);
    const first = await move(call);
    const before = await inside.stored('promotion-engine', basketVouchers, basketId);
    expect([first.state, before.state]).toEqual([to, to]);
    expect(await move(call)).toEqual(first);
    expect((await inside.stored('promotion-engine', basketVouchers, basketId)).version).toBe(before.version);
    expect(await usesOf('MIN100')).toEqual({ ...MIN100, used: MIN100.used + held, left: MIN100.left - held });
    await put(basketId, 'released');
    expect(await usesOf('MIN100')).toEqual(MIN100);
  });

  test('Evaluate Promotions uses the tier that an application sends, without the CRM', async () => {
    const body = { lines: [TEN], customerId: 'cus_ada', voucherCodes: ['VIP'] };
    const call = inside.as('ecommerce-platform');
    expect(await call(evaluatePromotions, { body: { ...body, loyaltyTier: 'gold' } })).toMatchObject({ totalDiscount: eur(240) });
    await expect(call(evaluatePromotions, { body })).rejects.toMatchObject({ code: 'dependency_unavailable' });
  });
});
