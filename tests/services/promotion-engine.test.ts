import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ApiInput } from '../../rehearsal/call-types.ts';
import * as crm from '../../services/crm/service.ts';
import * as loyaltyPlatform from '../../services/loyalty-platform/service.ts';
import { basketVouchers, voucherUses } from '../../services/promotion-engine/collections.ts';
import { recordVoucherUse as recordUse } from '../../services/promotion-engine/internal/record-voucher-use.ts';
import * as promotionEngine from '../../services/promotion-engine/service.ts';
import { evaluatePromotions } from '../../shared/catalog/promotion/apis.ts';
import { recordVoucherUse } from '../../shared/catalog/promotion/internal.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { type Inside, startInside } from '../support/inside.ts';

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const line = (sku: string, qty: number, unitPrice: number) => ({ sku, qty, unitPrice: eur(unitPrice) });

let rehearsal: TestRehearsal;
beforeAll(async () => {
  rehearsal = await newRehearsal();
});
afterAll(() => rehearsal[Symbol.asyncDispose]());

const evaluate = (body: NonNullable<ApiInput<'evaluate-promotions-api'>['body']>) => rehearsal.api('evaluate-promotions-api', { body });
const validate = (code: string, body: NonNullable<ApiInput<'validate-voucher-api'>['body']>) =>
  rehearsal.api('validate-voucher-api', { params: { code }, body });

describe('Evaluate Promotions', () => {
  test('leaves lines without a promotion unchanged', async () => {
    const { status, body } = await rehearsal.call('evaluate-promotions-api', { body: { lines: [line('mug-blue', 2, 1299)] } });
    expect(status).toBe(200);
    expect(body).toEqual({
      lines: [{ ...line('mug-blue', 2, 1299), discounts: [], discount: eur(0), lineTotal: eur(2598) }],
      totalDiscount: eur(0),
      applied: [],
      rejected: [],
    });
  });

  test('takes a percentage off a brand, 10.00 off each desk lamp, and gives every third bar of chocolate', async () => {
    const body = await evaluate({
      lines: [line('rug-hall', 1, 9999), line('lamp-desk', 2, 4500), line('chocolate-dark', 7, 349), line('mug-blue', 1, 1299)],
    });
    expect(body.lines.map(({ discount }: { discount: { amount: number } }) => discount.amount)).toEqual([1500, 2000, 698, 0]);
    expect(body.lines.map(({ lineTotal }: { lineTotal: { amount: number } }) => lineTotal.amount)).toEqual([8499, 7000, 1745, 1299]);
    expect(body.applied).toEqual([
      { promotionId: 'prm_woolly-ridge-15', name: '15 % off everything by Woolly Ridge', discount: eur(1500) },
      { promotionId: 'prm_lamp-desk-minus-10', name: '10.00 off the desk lamp', discount: eur(2000) },
      { promotionId: 'prm_chocolate-3-for-2', name: 'Three bars of chocolate for the price of two', discount: eur(698) },
    ]);
    expect(body.totalDiscount).toEqual(eur(4198));
  });

  test('spreads 20.00 off from 200.00 over the lines that no other promotion has closed', async () => {
    const body = await evaluate({ lines: [line('rug-hall', 1, 10000), line('mug-blue', 1, 10000), line('mug-green', 1, 1600)] });
    // 85.00 + 100.00 + 16.00 = 201.00 still reach the threshold; the rug is closed by its own promotion.
    expect(body.lines.map(({ discount }: { discount: { amount: number } }) => discount.amount)).toEqual([1500, 1724, 276]);
    const discountFor = async (amount: number) => (await evaluate({ lines: [line('mug-blue', 1, amount)] })).totalDiscount;
    expect([await discountFor(19_999), await discountFor(20_000)]).toEqual([eur(0), eur(2000)]);
    expect((await evaluate({ lines: [line('rug-hall', 1, 10000), line('mug-blue', 1, 11499)] })).totalDiscount).toEqual(eur(1500));
  });

  test('applies vouchers in the given order, each once and to the remaining amount, ignoring the case of their code', async () => {
    const body = await evaluate({ lines: [line('mug-blue', 10, 1299)], voucherCodes: ['welcome10', 'WELCOME10', 'Min100'] });
    expect(body.applied).toEqual([
      { voucherCode: 'WELCOME10', name: '10 % off', discount: eur(1299) },
      { voucherCode: 'MIN100', name: '15.00 off from 100.00', discount: eur(1500) },
    ]);
    expect(body.rejected).toEqual([]);
    expect(body.lines[0].lineTotal).toEqual(eur(12990 - 1299 - 1500));
  });

  test('gives the reason for each voucher that does not apply', async () => {
    const voucherCodes = ['NOBODYS', 'not a code!', 'expired', 'DISABLED', 'USEDUP', 'MIN100', 'VIP', 'WELCOME10'];
    const body = await evaluate({ lines: [line('mug-blue', 1, 1299)], voucherCodes });
    expect(body.rejected).toEqual([
      { code: 'NOBODYS', reason: 'not_found' },
      { code: 'NOT A CODE!', reason: 'not_found' },
      { code: 'EXPIRED', reason: 'voucher_expired' },
      { code: 'DISABLED', reason: 'voucher_disabled' },
      { code: 'USEDUP', reason: 'quantity_exceeded' },
      { code: 'MIN100', reason: 'order_rules_violated' },
      { code: 'VIP', reason: 'customer_rules_violated' },
    ]);
    expect(body.applied).toMatchObject([{ voucherCode: 'WELCOME10', discount: eur(130) }]);
  });

  test('compares the minimum of a voucher with the goods after promotions and before other vouchers', async () => {
    const reached = { lines: [line('mug-blue', 1, 10000)], voucherCodes: ['WELCOME10', 'MIN100'] };
    expect(await evaluate(reached)).toMatchObject({ totalDiscount: eur(2500), rejected: [] });
    const missed = { lines: [line('lamp-desk', 1, 10999)], voucherCodes: ['MIN100'] };
    expect(await evaluate(missed)).toMatchObject({ totalDiscount: eur(1000), rejected: [{ reason: 'order_rules_violated' }] });
  });

  test('looks the tier of a customer up and applies the promotions for members', async () => {
    const lines = [line('mug-blue', 1, 1000)];
    const asked = (customerId: string) => evaluate({ lines, customerId, voucherCodes: ['VIP'] });
    expect(await asked('cus_dmitri')).toMatchObject({
      applied: [
        { promotionId: 'prm_members-5', discount: eur(50) },
        { voucherCode: 'VIP', discount: eur(190) },
      ],
    });
    const tooLow = { rejected: [{ code: 'VIP', reason: 'customer_rules_violated' }] };
    expect(await asked('cus_clara')).toMatchObject({ ...tooLow, totalDiscount: eur(50) });
    for (const customer of ['cus_ada', 'cus_ben', 'cus_nobody'])
      expect(await asked(customer)).toMatchObject({ ...tooLow, totalDiscount: eur(0) });
  });

  test('prices a basket by its id for the customer of the basket', async () => {
    const basket = await rehearsal.basket({ customerId: 'cus_dmitri' });
    expect(await evaluate({ basketId: basket.id, voucherCodes: ['VIP'] })).toMatchObject({
      lines: [{ sku: 'mug-blue', qty: 2, unitPrice: eur(1299) }],
      applied: [
        { promotionId: 'prm_members-5', discount: eur(130) },
        { voucherCode: 'VIP', discount: eur(494) },
      ],
    });
    expect((await evaluate({ basketId: basket.id, voucherCodes: ['VIP'], customerId: 'cus_clara' })).rejected).toHaveLength(1);
    expect(await rehearsal.call('evaluate-promotions-api', { body: { basketId: 'bsk_none' } })).toMatchObject({
      status: 404,
      body: { code: 'not_found', objectType: 'basket' },
    });
  });

  test('refuses input that cannot be priced', async () => {
    const refused = async (body: unknown, pointer: string) =>
      expect(await rehearsal.call('evaluate-promotions-api', { body })).toMatchObject({
        status: 422,
        body: { code: 'validation_failed', errors: [{ pointer }] },
      });
    await refused({}, '');
    await refused({ basketId: 'bsk_1', lines: [line('mug-blue', 1, 1)] }, '');
    await refused({ lines: [] }, '/lines');
    await refused({ lines: [line('mug-blue', 0, 1299)] }, '/lines/0/qty');
    await refused({ lines: [line('mug-blue', 1, 0)] }, '/lines/0/unitPrice/amount');
    await refused({ lines: [line('mug-blue', 1, 1299)], loyaltyTier: 'gold' }, '/loyaltyTier');
    const dollars = { ...line('mug-green', 1, 1299), unitPrice: { amount: 1, currency: 'USD' } };
    await refused({ lines: [line('mug-blue', 1, 1299), dollars] }, '/lines/1/unitPrice/currency');
    await refused({ lines: [line('mug-blue', 9999, 999_999_999_999)] }, '/lines');
    expect((await rehearsal.call('evaluate-promotions-api', { body: { basketId: 'b' }, as: 'none' })).status).toBe(401);
  });

  test('ends promotions and vouchers when their time is over', async () => {
    await using own = await newRehearsal();
    const asked = { lines: [line('lamp-desk', 1, 5000)], voucherCodes: ['WELCOME10'] };
    expect(await own.api('evaluate-promotions-api', { body: asked })).toMatchObject({ totalDiscount: eur(1400) });
    await own.advance('P180D');
    expect(await own.api('evaluate-promotions-api', { body: asked })).toMatchObject({
      applied: [],
      rejected: [{ code: 'WELCOME10', reason: 'voucher_expired' }],
    });
  });
});

describe('Validate Voucher', () => {
  test('answers the discount of a voucher on an amount', async () => {
    expect(await validate('welcome10', { amount: eur(1299) })).toEqual({ valid: true, code: 'WELCOME10', discount: eur(130) });
    expect(await validate('MIN100', { amount: eur(10000) })).toEqual({ valid: true, code: 'MIN100', discount: eur(1500) });
  });

  test.each([
    ['NOBODYS', 'not_found'],
    ['EXPIRED', 'voucher_expired'],
    ['DISABLED', 'voucher_disabled'],
    ['USEDUP', 'quantity_exceeded'],
    ['MIN100', 'order_rules_violated'],
    ['VIP', 'customer_rules_violated'],
  ])('with %s answers %s', async (code, reason) => {
    expect(await validate(code.toLowerCase(), { amount: eur(9999) })).toEqual({ valid: false, code, reason });
  });

  test('looks up the tier of the named customer', async () => {
    expect(await validate('VIP', { amount: eur(1000), customerId: 'cus_dmitri' })).toMatchObject({ valid: true, discount: eur(200) });
    expect(await validate('VIP', { amount: eur(1000), customerId: 'cus_clara' })).toMatchObject({ valid: false });
  });

  test('answers the discount on a basket after its promotions', async () => {
    const basket = await rehearsal.api('create-basket-api', { body: { channel: 'web', lines: [{ sku: 'chocolate-dark', qty: 3 }] } });
    const [{ unitPrice }] = basket.lines;
    expect(await validate('WELCOME10', { basketId: basket.id })).toEqual({
      valid: true,
      code: 'WELCOME10',
      discount: eur(Math.round((unitPrice.amount * 2) / 10)),
    });
    const empty = await rehearsal.api('create-basket-api', { body: { channel: 'web' } });
    expect(await validate('WELCOME10', { basketId: empty.id })).toMatchObject({ valid: false, reason: 'order_rules_violated' });
    expect((await rehearsal.call('validate-voucher-api', { params: { code: 'WELCOME10' }, body: { basketId: 'bsk_none' } })).status).toBe(
      404,
    );
  });

  test('answers not found for a code that cannot have been issued', async () => {
    for (const code of ['10%25', 'a%20b', '-_-', 'x'.repeat(65)]) {
      expect(await rehearsal.call('validate-voucher-api', { params: { code }, body: { amount: eur(1) } })).toMatchObject({
        status: 404,
        body: { code: 'not_found', objectType: 'voucher' },
      });
    }
  });

  test('requires either a basket or an amount', async () => {
    for (const body of [{}, { basketId: 'bsk_1', amount: eur(1) }, { amount: eur(0) }, { amount: eur(1), loyaltyTier: 'gold' }])
      expect((await rehearsal.call('validate-voucher-api', { params: { code: 'WELCOME10' }, body })).status).toBe(422);
  });

  test('is a query: it takes no Idempotency-Key and answers the current state', async () => {
    const headers = { 'idempotency-key': 'validate' };
    const first = await rehearsal.call('validate-voucher-api', { params: { code: 'WELCOME10' }, body: { amount: eur(100) }, headers });
    const second = await rehearsal.call('validate-voucher-api', { params: { code: 'WELCOME10' }, body: { amount: eur(200) }, headers });
    expect([first.body.discount, second.body.discount]).toEqual([eur(10), eur(20)]);
  });
});

describe('While the tier of a customer is unavailable', () => {
  const lines = [line('mug-blue', 1, 1000)];

  test.each(['crm', 'loyalty-platform'])('without %s a voucher for members is neither granted nor refused', async (application) => {
    await using own = await newRehearsal();
    await own.down(application);
    const vip = { lines, customerId: 'cus_dmitri', voucherCodes: ['VIP'] };
    expect(await own.call('evaluate-promotions-api', { body: vip })).toMatchObject({
      status: 503,
      body: { code: 'dependency_unavailable', dependency: application },
    });
    expect(
      (await own.call('validate-voucher-api', { params: { code: 'VIP' }, body: { amount: eur(1), customerId: 'cus_dmitri' } })).status,
    ).toBe(503);
    const other = { lines, customerId: 'cus_dmitri', voucherCodes: ['WELCOME10', 'EXPIRED'] };
    expect(await own.api('evaluate-promotions-api', { body: other })).toMatchObject({ applied: [{ voucherCode: 'WELCOME10' }] });
  });

  test('a slow answer is not waited for', async () => {
    await using own = await newRehearsal();
    await own.fault('slow', { match: { api: 'get-member-balance-api' }, fault: { kind: 'latency', ms: 3000 } });
    expect(
      await own.call('validate-voucher-api', { params: { code: 'VIP' }, body: { amount: eur(1), customerId: 'cus_dmitri' } }),
    ).toMatchObject({
      status: 504,
      body: { code: 'dependency_timeout', dependency: 'loyalty-platform' },
    });
  });

  test('without the eCommerce Platform, a basket cannot be priced by its id', async () => {
    await using own = await newRehearsal();
    await own.down('ecommerce-platform');
    expect((await own.call('evaluate-promotions-api', { body: { basketId: 'bsk_1' } })).status).toBe(503);
    expect((await own.call('validate-voucher-api', { params: { code: 'VIP' }, body: { basketId: 'bsk_1' } })).status).toBe(503);
  });
});

describe('Record Voucher Use, called by the eCommerce Platform and the OMS,', () => {
  let inside: Inside;
  beforeAll(async () => {
    inside = await startInside(promotionEngine, crm, loyaltyPlatform);
  });
  afterAll(() => inside[Symbol.asyncDispose]());

  const put = (basketId: string, body: { state: 'locked' | 'redeemed' | 'released'; codes?: string[]; customerId?: string }) =>
    inside.as('ecommerce-platform')(recordVoucherUse, { params: { basketId }, body });
  const lock = (basketId: string, ...codes: string[]) => put(basketId, { state: 'locked', codes });
  const usesOf = (code: string) => inside.counters('promotion-engine', 'voucher-uses', code);
  const MIN100 = { used: 17, left: 483 };

  test('locks each code once and gives the reason for the others', async () => {
    expect(await lock('bsk_l1', 'min100', 'MIN100', 'nobodys', 'EXPIRED', 'DISABLED', 'USEDUP')).toEqual({
      basketId: 'bsk_l1',
      state: 'locked',
      codes: [
        { code: 'MIN100', accepted: true },
        { code: 'NOBODYS', accepted: false, reason: 'not_found' },
        { code: 'EXPIRED', accepted: false, reason: 'voucher_expired' },
        { code: 'DISABLED', accepted: false, reason: 'voucher_disabled' },
        { code: 'USEDUP', accepted: false, reason: 'quantity_exceeded' },
      ],
    });
    expect(await usesOf('MIN100')).toEqual({ used: 18, left: 482 });
    expect(await usesOf('USEDUP')).toEqual({ used: 100, left: 0 });
    await put('bsk_l1', { state: 'released' });
    expect(await usesOf('MIN100')).toEqual(MIN100);
  });

  /** The effect of each call in each state: the next state, and whether the basket then holds a use. */
  const outcomes = {
    nothing: { locked: ['locked', 1], redeemed: ['redeemed', 0], released: ['released', 0] },
    locked: { locked: ['locked', 1], redeemed: ['redeemed', 1], released: ['released', 0] },
    redeemed: { locked: ['redeemed', 1], redeemed: ['redeemed', 1], released: ['released', 0] },
    released: { locked: ['locked', 1], redeemed: ['released', 0], released: ['released', 0] },
  } as const;
  const ways = { nothing: [], locked: ['locked'], redeemed: ['locked', 'redeemed'], released: ['locked', 'released'] } as const;
  const cells = Object.entries(outcomes).flatMap(([from, calls]) =>
    Object.entries(calls).map(([call, [to, held]]) => ({ from, call, to, held })),
  );

  test.each(cells)('moves $from × $call to $to, and a repeat changes nothing', async ({ from, call, to, held }) => {
    const basketId = `bsk_${from}-${call}`;
    const move = (state: 'locked' | 'redeemed' | 'released') => put(basketId, { state, ...(state === 'locked' && { codes: ['MIN100'] }) });
    for (const step of ways[from as keyof typeof ways]) await move(step);
    const first = await move(call as 'locked');
    expect(first.state).toBe(to);
    const { version } = await inside.stored('promotion-engine', basketVouchers, basketId);
    expect(await move(call as 'locked')).toEqual(first);
    expect(await inside.stored('promotion-engine', basketVouchers, basketId)).toMatchObject({ state: to, version });
    expect(await usesOf('MIN100')).toEqual({ used: MIN100.used + held, left: MIN100.left - held });
    await put(basketId, { state: 'released' });
    expect(await usesOf('MIN100')).toEqual(MIN100);
  });

  test('with other codes gives back the uses that the basket no longer needs', async () => {
    const before = await usesOf('WELCOME10');
    await lock('bsk_l2', 'MIN100', 'USEDUP');
    expect(await lock('bsk_l2', 'WELCOME10')).toMatchObject({ codes: [{ code: 'WELCOME10', accepted: true }] });
    expect(await usesOf('MIN100')).toEqual(MIN100);
    expect(await usesOf('WELCOME10')).toEqual({ used: (before['used'] ?? 0) + 1 });
    expect(await lock('bsk_l2')).toMatchObject({ state: 'locked', codes: [] });
    expect(await usesOf('WELCOME10')).toEqual(before);
  });

  test('for many baskets at once gives out exactly the remaining uses', async () => {
    const { left = 0 } = await usesOf('MIN100');
    await inside.commitAs('promotion-engine', async (work) => work.move(voucherUses, 'MIN100', { left: 2 - left }));
    const replies = await Promise.all(Array.from({ length: 12 }, (_, index) => lock(`bsk_race-${index}`, 'MIN100')));
    const accepted = replies.filter(({ codes }) => codes[0]?.accepted);
    expect(accepted).toHaveLength(2);
    for (const reply of replies.filter((one) => !accepted.includes(one)))
      expect(reply.codes).toEqual([{ code: 'MIN100', accepted: false, reason: 'quantity_exceeded' }]);
    expect(await usesOf('MIN100')).toMatchObject({ left: 0 });

    const asked = { lines: [line('mug-blue', 10, 1299)], voucherCodes: ['MIN100'] };
    const price = (basketId: string) => inside.as('ecommerce-platform')(evaluatePromotions, { body: { ...asked, basketId } });
    expect(await price(accepted[0]?.basketId ?? '')).toMatchObject({ rejected: [], totalDiscount: eur(1500) });
    expect(await price('bsk_other')).toMatchObject({ rejected: [{ reason: 'quantity_exceeded' }] });

    await put(accepted[0]?.basketId ?? '', { state: 'released' });
    expect(await lock('bsk_race-late', 'MIN100')).toMatchObject({ codes: [{ accepted: true }] });
  });

  test('lets one of two requests commit that both read the last use', async () => {
    await using own = await startInside(promotionEngine);
    await own.commitAs('promotion-engine', async (work) => work.move(voucherUses, 'MIN100', { left: -482 }));
    const body = { state: 'locked' as const, codes: ['MIN100'] };
    const lockIn = (basketId: string) => async (work: UnitOfWork) => {
      const { codes } = (await recordUse.handler({ params: { basketId }, query: {}, body } as never, { work } as Scope)) as {
        codes: { accepted: boolean }[];
      };
      expect(codes[0]?.accepted).toBe(true);
    };
    expect(await own.overlapping('promotion-engine', lockIn('bsk_1'), lockIn('bsk_2'))).toEqual([
      'committed',
      'Conflict: guard: voucher-uses/MIN100',
    ]);
    const again = await own.as('ecommerce-platform')(recordVoucherUse, { params: { basketId: 'bsk_2' }, body });
    expect(again.codes).toEqual([{ code: 'MIN100', accepted: false, reason: 'quantity_exceeded' }]);
  });

  test('uses the tier sent by a service without a look-up', async () => {
    await inside.down('crm');
    const body = { lines: [line('mug-blue', 1, 1000)], customerId: 'cus_ada', voucherCodes: ['VIP'] };
    const call = inside.as('ecommerce-platform');
    expect(await call(evaluatePromotions, { body: { ...body, loyaltyTier: 'gold' } })).toMatchObject({ totalDiscount: eur(240) });
    await expect(call(evaluatePromotions, { body })).rejects.toMatchObject({ code: 'dependency_unavailable' });
    await inside.noFaults();
  });

  test('without codes refuses to lock with an error of the caller', async () => {
    await expect(put('bsk_l3', { state: 'locked' })).rejects.toMatchObject({ code: 'dependency_error' });
  });
});
