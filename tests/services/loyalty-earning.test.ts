import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as loyaltyPlatform from '../../services/loyalty-platform/service.ts';
import { orders, type StoredOrder } from '../../services/oms/collections.ts';
import * as oms from '../../services/oms/service.ts';
import { payments, type StoredPayment } from '../../services/payment-hub/collections.ts';
import { addRefund } from '../../services/payment-hub/refund/refund.ts';
import { instant } from '../../shared/domain/time.ts';
import type { Fresh, UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { runsOf } from '../support/effort.ts';
import { type Inside, startInside } from '../support/inside.ts';

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const MINUTE = 60_000;

const anOrder = (id: string, now: number, more: Partial<StoredOrder> = {}): Fresh<StoredOrder> => ({
  ...{ id, orderNumber: id, channel: 'web', basketId: `bsk_${id}`, validatedAt: instant(now), voucherCodes: [], holdAttempts: 0 },
  lines: [
    {
      ...{ lineId: 'line-1', sku: 'mug-blue', qty: 2, unitPrice: eur(1299), discount: eur(0), tax: eur(0), lineTotal: eur(2598) },
      // No fulfillment order delivered it: these tests have no goods.
      ...{ fulfilledQty: 0, returnedQty: 0, cancelledQty: 2 },
    },
  ],
  totals: { subtotal: eur(2598), discount: eur(0), shipping: eur(490), tax: eur(0), total: eur(3088) },
  ...{ customerId: 'cus_ada', loyaltyAccountId: 'loy_ada' },
  ...more,
});

const aPayment = (id: string, orderId: string, amount: number, type: StoredPayment['tender']['type']): Fresh<StoredPayment> => ({
  ...{ id, orderId, tender: { type }, amount: eur(amount), authorizedAmount: eur(amount), capturedAmount: eur(amount) },
  ...{ refundedAmount: eur(0), refunds: [] },
});

/** Publishes orders and payments as their owners do, and reads the points of the member. */
function story(inside: Inside) {
  const completed =
    (id: string, amount: number | undefined, more: Partial<StoredOrder> = {}) =>
    async (work: UnitOfWork) => {
      const draft = work.create(orders, 'create', anOrder(id, work.now, more));
      const begun = work.transition(orders, work.transition(orders, draft, 'confirm'), 'begin-fulfilment');
      const { completedAt = instant(work.now) } = more;
      return work.transition(orders, begun, 'complete', { completedAt, ...(amount !== undefined && { earningAmount: eur(amount) }) });
    };
  const paidBack = (id: string, amount: number, reference?: string) => async (work: UnitOfWork) => {
    const payment = await work.get(payments, id);
    if (!payment) throw new Error(`There is no payment ${id}.`);
    const { patch, to } = addRefund(payment, { amount: eur(amount), at: instant(work.now), ...(reference !== undefined && { reference }) });
    work.transition(payments, payment, 'refund', patch, to);
  };
  return {
    complete: (id: string, amount?: number, more?: Partial<StoredOrder>) => inside.commitAs('oms', completed(id, amount, more)),
    note: (id: string) =>
      inside.commitAs('oms', async (work) => {
        const found = await work.get(orders, id);
        if (found) work.transition(orders, found, 'note');
      }),
    pay: (id: string, orderId: string, amount: number, type: StoredPayment['tender']['type'] = 'card') =>
      inside.commitAs('payment-hub', async (work) => {
        work.transition(payments, work.create(payments, 'authorise', aPayment(id, orderId, amount, type)), 'capture');
      }),
    refund: (id: string, amount: number, reference?: string) => inside.commitAs('payment-hub', paidBack(id, amount, reference)),
    /** Events since the start of the rehearsal. */
    async member(id = 'loy_ada') {
      const { body } = await inside.call('GET', `/members/${id}/balance`);
      const before = inside.fixtures.loyaltyAccounts.find((account) => account.id === id);
      return {
        points: body.pointsBalance - (before?.pointsBalance ?? 0),
        lifetime: body.lifetimePoints - (before?.lifetimePoints ?? 0),
        entries: body.entries.slice(before?.entries.length ?? 0),
      };
    },
  };
}

describe('An order that is completed', () => {
  test('earns its member one point per full 1.00 paid otherwise than by points, once', async () => {
    await using inside = await startInside(loyaltyPlatform);
    const { complete, note, member } = story(inside);
    await complete('ord_1', 2598);
    await note('ord_1');
    await complete('ord_2', 99);
    const { points, lifetime, entries } = await member();
    expect([points, lifetime]).toEqual([25, 25]);
    expect(entries).toEqual([{ type: 'earn', points: 25, at: expect.any(String), orderId: 'ord_1' }]);
    expect(await inside.violations()).toEqual([]);
  });

  test('earns nothing without a member, for an unknown member, and without its amount', async () => {
    await using inside = await startInside(loyaltyPlatform);
    const { complete, member } = story(inside);
    await complete('ord_1', 2598, { loyaltyAccountId: undefined });
    await complete('ord_2', 2598, { loyaltyAccountId: 'loy_nobody' });
    await complete('ord_3');
    expect((await member()).entries).toEqual([]);
  });

  test('does not earn again through Earn Points', async () => {
    await using inside = await startInside(loyaltyPlatform, oms);
    const { complete, member } = story(inside);
    const byHand = (orderId: string, amount: number) => inside.call('POST', '/members/loy_ada/earn', { orderId, amount: eur(amount) });
    await complete('ord_1', 2598);
    await complete('ord_2', 99);
    expect(await byHand('ord_1', 2598)).toMatchObject({ status: 200 });
    expect(await byHand('ord_2', 99)).toMatchObject({ status: 200 });
    expect((await member()).entries.map(({ points }: { points: number }) => points)).toEqual([25]);
    expect(await inside.violations()).toEqual([]);
  });

  test('that is worth less than 1.00 does not earn again through Earn Points', async () => {
    await using inside = await startInside(loyaltyPlatform, oms);
    const { complete, member } = story(inside);
    await complete('ord_1', 99, { loyaltyAccountId: undefined });
    const byHand = (amount: number) => inside.call('POST', '/members/loy_ada/earn', { orderId: 'ord_1', amount: eur(amount) });
    expect(await byHand(99)).toMatchObject({ status: 200 });
    expect(await byHand(5000)).toMatchObject({ status: 409, body: { code: 'conflicting_repeat', standing: { amount: eur(99) } } });
    expect((await member()).entries).toEqual([]);
  });
});

describe('A tier', () => {
  test('drops when the purchase behind it is refunded, and is reached again by the next purchase', async () => {
    await using inside = await startInside(loyaltyPlatform);
    const { complete, pay, refund: back } = story(inside);
    const standing = async () => {
      const { tier, lifetimePoints, pointsToNextTier } = (await inside.call('GET', '/members/loy_grace/balance')).body;
      return [tier, lifetimePoints, pointsToNextTier];
    };
    const member = { customerId: 'cus_grace', loyaltyAccountId: 'loy_grace' };
    await pay('pay_1', 'ord_1', 3088);
    await complete('ord_1', 2598, member);
    expect(await standing()).toEqual(['silver', 1022, 3978]);
    await back('pay_1', 1299);
    expect(await standing()).toEqual(['silver', 1009, 3991]);
    await back('pay_1', 1299);
    expect(await standing()).toEqual(['bronze', 997, 3]);
    await complete('ord_2', 300, member);
    expect(await standing()).toEqual(['silver', 1000, 4000]);
    expect(await inside.violations()).toEqual([]);
  });

  test('drops also when the points of the purchase are spent and cannot be taken back', async () => {
    await using inside = await startInside(loyaltyPlatform);
    const { complete, pay, refund: back } = story(inside);
    await pay('pay_1', 'ord_1', 3088);
    await complete('ord_1', 2598, { customerId: 'cus_grace', loyaltyAccountId: 'loy_grace' });
    await inside.call('POST', '/members/loy_grace/redeem', { points: 1022, orderId: 'ord_9' });
    await back('pay_1', 2598);
    expect((await inside.call('GET', '/members/loy_grace/balance')).body).toMatchObject({
      ...{ tier: 'bronze', lifetimePoints: 997, pointsBalance: 0 },
    });
    expect(await inside.violations()).toEqual([]);
  });

  test('stays when points are spent and when they are given back unspent', async () => {
    await using inside = await startInside(loyaltyPlatform);
    const standing = async () => (await inside.call('GET', '/members/loy_clara/balance')).body;
    await inside.call('POST', '/members/loy_clara/redeem', { points: 1840, orderId: 'ord_9' });
    expect(await standing()).toMatchObject({ tier: 'silver', lifetimePoints: 2340, pointsBalance: 0 });
    await inside.advance(16 * MINUTE);
    expect(await standing()).toMatchObject({ tier: 'silver', lifetimePoints: 2340, pointsBalance: 1840 });
  });
});

describe('A refund', () => {
  test('takes back the points that the remaining amount does not earn, refund by refund, down to none', async () => {
    await using inside = await startInside(loyaltyPlatform);
    const { complete, pay, refund: back, member } = story(inside);
    await pay('pay_1', 'ord_1', 3088);
    await complete('ord_1', 2598);
    await back('pay_1', 1299);
    const { points, lifetime, entries } = await member();
    expect([points, lifetime]).toEqual([12, 12]);
    expect(entries.at(-1)).toEqual({ type: 'reverse', points: -13, at: expect.any(String), orderId: 'ord_1', reference: 'pay_1.refund-1' });
    // 12.98 are left, which earn 12; then nothing, however much more is refunded.
    await back('pay_1', 1);
    expect((await member()).entries).toHaveLength(2);
    await back('pay_1', 1788);
    expect((await member()).points).toBe(0);
    expect((await member()).entries.at(-1)).toMatchObject({ points: -12, reference: 'pay_1.refund-3' });
    expect(await inside.violations()).toEqual([]);
  });

  test('takes at most the balance and reports the missing points', async () => {
    await using inside = await startInside(loyaltyPlatform);
    const { complete, pay, refund: back, member } = story(inside);
    await pay('pay_1', 'ord_1', 3088);
    await complete('ord_1', 2598);
    await inside.call('POST', '/members/loy_ada/redeem', { points: 520, orderId: 'ord_9' });
    await back('pay_1', 1299);
    expect((await member()).entries.at(-1)).toMatchObject({ type: 'reverse', points: -5, shortfall: 8 });
    await back('pay_1', 1299);
    expect((await member()).entries.at(-1)).toMatchObject({ type: 'reverse', points: 0, shortfall: 12 });
    expect((await member()).points).toBe(-500);
    expect(await inside.violations()).toEqual([]);
  });

  test('beyond the balance takes the missing points when an unspent redemption is given back', async () => {
    await using inside = await startInside(loyaltyPlatform);
    const { complete, pay, refund: back, member } = story(inside);
    await pay('pay_1', 'ord_1', 68290);
    await complete('ord_1', 67800);
    await inside.call('POST', '/members/loy_ada/redeem', { points: 1178, orderId: 'ord_9' });
    await back('pay_1', 67800);
    expect((await member()).entries.at(-1)).toMatchObject({ type: 'reverse', points: 0, shortfall: 678 });
    await inside.advance(20 * MINUTE);
    const { points, lifetime, entries } = await member();
    expect([points, lifetime]).toEqual([0, 0]);
    expect(entries.slice(-2)).toMatchObject([
      { type: 'reverse', points: 1178 },
      { type: 'reverse', points: -678, shortfall: -678 },
    ]);
    expect(await inside.violations()).toEqual([]);
  });

  test('beyond the balance takes the missing points from those earned next, up to their number', async () => {
    await using inside = await startInside(loyaltyPlatform);
    const { complete, pay, refund: back, member } = story(inside);
    await pay('pay_1', 'ord_1', 3088);
    await complete('ord_1', 2598);
    await inside.call('POST', '/members/loy_ada/redeem', { points: 520, orderId: 'ord_9' });
    await back('pay_1', 2598);
    expect((await member()).entries.at(-1)).toMatchObject({ points: -5, shortfall: 20 });
    await complete('ord_2', 1500);
    expect(await member()).toMatchObject({ points: -500, lifetime: 15 });
    expect((await member()).entries.at(-1)).toMatchObject({ points: -15, shortfall: -15 });
    await complete('ord_3', 1500);
    expect(await member()).toMatchObject({ points: -490, lifetime: 30 });
    expect((await member()).entries.at(-1)).toMatchObject({ points: -5, shortfall: -5 });
    await complete('ord_4', 1500);
    expect((await member()).entries.at(-1)).toMatchObject({ type: 'earn', points: 15 });
    expect(await inside.violations()).toEqual([]);
  });

  test('that arrives before the earn waits for it', async () => {
    await using inside = await startInside(loyaltyPlatform);
    const { complete, note, pay, refund: back, member } = story(inside);
    const completedAt = instant(await inside.now());
    await inside.advance(MINUTE);
    await pay('pay_1', 'ord_1', 3088);
    await back('pay_1', 1299);
    expect((await member()).entries).toEqual([]);
    await complete('ord_1', 2598, { completedAt });
    await note('ord_1');
    expect((await member()).entries).toMatchObject([
      { type: 'earn', points: 25 },
      { type: 'reverse', points: -13, orderId: 'ord_1', reference: 'pay_1.refund-1' },
    ]);
  });

  test('from before the completion is not part of the earned amount and takes nothing', async () => {
    await using inside = await startInside(loyaltyPlatform);
    const { complete, pay, refund: back, member } = story(inside);
    await pay('pay_1', 'ord_1', 3088);
    await back('pay_1', 1000);
    await inside.advance(MINUTE);
    await complete('ord_1', 1598, { earningRefunds: ['pay_1.refund-1'] });
    expect((await member()).entries).toMatchObject([{ type: 'earn', points: 15 }]);
    await back('pay_1', 98);
    expect((await member()).entries).toHaveLength(1);
    await back('pay_1', 1);
    expect((await member()).entries.at(-1)).toMatchObject({ points: -1, reference: 'pay_1.refund-3' });
  });

  test('at the instant of the completion takes points unless the order has already deducted it', async () => {
    await using inside = await startInside(loyaltyPlatform);
    const { complete, pay, refund: back, member } = story(inside);
    await pay('pay_1', 'ord_1', 3088);
    await back('pay_1', 1000);
    await complete('ord_1', 1598, { earningRefunds: ['pay_1.refund-1'] });
    expect((await member()).points).toBe(15);
    await back('pay_1', 100);
    expect((await member()).points).toBe(14);
    await pay('pay_2', 'ord_2', 3088);
    const completedAt = instant(await inside.now());
    await inside.advance(MINUTE);
    // Its refund arrived after the OMS counted the payments, and before the order reported it.
    await back('pay_2', 1000);
    await complete('ord_2', 2598, { completedAt: instant(Date.parse(completedAt) + 2 * MINUTE) });
    expect((await member()).points).toBe(14 + 15);
  });

  test('of undelivered goods, or in points, takes nothing', async () => {
    await using inside = await startInside(loyaltyPlatform);
    const { complete, pay, refund: back, member } = story(inside);
    await pay('pay_card', 'ord_1', 2588);
    await pay('pay_points', 'ord_1', 500, 'loyalty');
    await complete('ord_1', 2098);
    await back('pay_card', 1000, 'cancelled/line-1/1');
    await back('pay_points', 500);
    expect((await member()).entries).toMatchObject([{ type: 'earn', points: 20 }]);
    await back('pay_card', 98);
    expect((await member()).entries).toHaveLength(1);
    await back('pay_card', 1);
    expect((await member()).entries.at(-1)).toMatchObject({ points: -1, reference: 'pay_card.refund-3' });
  });

  test('of an order that never earned has no effect', async () => {
    await using inside = await startInside(loyaltyPlatform);
    const { complete, pay, refund: back, member } = story(inside);
    await pay('pay_1', 'ord_1', 3088);
    await back('pay_1', 1299);
    await complete('ord_1', 2598, { loyaltyAccountId: undefined });
    expect((await member()).entries).toEqual([]);
  });
});

describe('Earning and refunds that arrive concurrently', () => {
  test('in any order, leave the member the points of the remaining amount', async () => {
    const property = fc.asyncProperty(
      fc.integer({ min: 0, max: 2_500 }),
      fc.array(fc.integer({ min: 1, max: 770 }), { minLength: 1, maxLength: 4 }),
      async (amount, refunds) => {
        await using inside = await startInside(loyaltyPlatform);
        const { complete, pay, refund: back, member } = story(inside);
        for (const [index] of refunds.entries()) await pay(`pay_${index}`, 'ord_1', 770);
        const completedAt = instant(await inside.now());
        await inside.advance(MINUTE);
        await Promise.all([complete('ord_1', amount, { completedAt }), ...refunds.map((part, index) => back(`pay_${index}`, part))]);
        const left = Math.max(0, amount - refunds.reduce((sum, part) => sum + part, 0));
        expect((await member()).points).toBe(Math.floor(left / 100));
        expect(await inside.violations()).toEqual([]);
      },
    );
    await fc.assert(property, { numRuns: runsOf({ usually: 8, thoroughly: 25 }), interruptAfterTimeLimit: 15_000, endOnFailure: true });
  });
});
