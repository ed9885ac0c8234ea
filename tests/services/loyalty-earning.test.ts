import { describe, expect, test as propertyTest } from '@jest/globals';
import fc from 'fast-check';
import * as loyaltyPlatform from '../../services/loyalty-platform/service.ts';
import { orders, type StoredOrder } from '../../services/oms/collections.ts';
import { payments, type StoredPayment } from '../../services/payment-hub/collections.ts';
import { addRefund } from '../../services/payment-hub/refunds.ts';
import { succeededOf } from '../../shared/catalog/payment/refunds.ts';
import { instant } from '../../shared/domain/time.ts';
import type { Fresh } from '../../shared/work/unit-of-work.ts';
import { runsOf } from '../support/effort.ts';
import { startInside } from '../support/inside.ts';
import { insideCall } from '../support/steps/inside-call.ts';
import { eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const MINUTE = 60_000;
const GRACE = { customerId: 'cus_grace', loyaltyAccountId: 'loy_grace' };

type Tender = StoredPayment['tender']['type'];

const SHIPPING = 490;

/** A sale of goods that no location counts, so that it needs neither a parcel nor stock. */
function aSale(id: string, now: number, { goods, ...more }: Partial<StoredOrder> & { goods: number }): Fresh<StoredOrder> {
  const money = { unitPrice: eur(goods), discount: eur(0), tax: eur(0), lineTotal: eur(goods) };
  const line = { lineId: 'line-1', sku: 'gift-wrap', qty: 1, fulfilledQty: 1, returnedQty: 0, cancelledQty: 0, ...money };
  const totals = { subtotal: eur(goods), discount: eur(0), shipping: eur(SHIPPING), tax: eur(0), total: eur(goods + SHIPPING) };
  const origin = {
    orderNumber: id,
    channel: 'pos' as const,
    storeId: 'store-01',
    basketId: `bsk_${id}`,
    validatedAt: instant(now),
    voucherCodes: [],
    holdAttempts: 0,
  };
  return { id, ...origin, lines: [line], totals, customerId: 'cus_ada', loyaltyAccountId: 'loy_ada', ...more };
}

const aPayment = (id: string, orderId: string, amount: number, type: Tender): Fresh<StoredPayment> => {
  const amounts = { amount: eur(amount), authorizedAmount: eur(amount), capturedAmount: eur(amount), refundedAmount: eur(0) };
  return { id, orderId, tender: { type }, ...amounts, refunds: [] };
};

/** Publishes orders and payments as their owners do, and reads the points of members. */
async function story() {
  const inside = await startInside(loyaltyPlatform);
  const account = async (id: string) => (await insideCall(inside, 'get-member-balance-api', { params: { id } })).body;
  /** What has changed since the start. */
  const member = async (id = 'loy_ada') => {
    const { pointsBalance, lifetimePoints, entries } = await account(id);
    const before = inside.fixtures.loyaltyAccounts.find((one) => one.id === id);
    const points = pointsBalance - (before?.pointsBalance ?? 0);
    return { points, lifetime: lifetimePoints - (before?.lifetimePoints ?? 0), entries: entries.slice(before?.entries.length ?? 0) };
  };
  const pay = (id: string, orderId: string, amount: number, type: Tender = 'card') =>
    inside.commitAs('payment-hub', async (work) => {
      work.transition(payments, work.create(payments, 'authorise', aPayment(id, orderId, amount, type)), 'capture');
    });
  /** Pays what is missing of the amount that an order has earned for, and of what was overpaid. @returns what was paid by points */
  async function payRest(orderId: string, amount: number, { earningRefunds = [], overpaidAmount }: Partial<StoredOrder>): Promise<number> {
    let missing = amount + SHIPPING + (overpaidAmount?.amount ?? 0);
    let byPoints = 0;
    await inside.commitAs('payment-hub', async (work) => {
      for (const { id, tender, capturedAmount, refunds } of (await work.find(payments, 'order', orderId)).items) {
        if (tender.type === 'loyalty') byPoints += capturedAmount.amount;
        else {
          const deducted = refunds.filter((_refund, index) => earningRefunds.includes(`${id}.refund-${index + 1}`));
          missing -= capturedAmount.amount - succeededOf(deducted);
        }
      }
    });
    if (missing > 0) await pay(`pay_rest_${orderId}`, orderId, missing);
    return byPoints;
  }
  return {
    ...inside,
    complete: async (id: string, amount?: number, more: Partial<StoredOrder> = {}) => {
      const goods = (amount ?? 0) + (await payRest(id, amount ?? 0, more));
      await inside.commitAs('oms', async (work) => {
        const confirmed = work.transition(orders, work.create(orders, 'create', aSale(id, work.now, { goods, ...more })), 'confirm');
        const { completedAt = instant(work.now) } = more;
        work.transition(orders, confirmed, 'carry-out', { completedAt, ...(amount !== undefined && { earningAmount: eur(amount) }) });
      });
    },
    note: (id: string) =>
      inside.commitAs('oms', async (work) => {
        const found = await work.get(orders, id);
        if (found) work.transition(orders, found, 'note');
      }),
    pay,
    refund: (id: string, amount: number, more: object = {}) =>
      inside.commitAs('payment-hub', async (work) => {
        const payment = await work.get(payments, id);
        if (!payment) throw new Error(`There is no payment ${id}.`);
        const { patch, to } = addRefund(payment, {
          amount: eur(amount),
          state: 'succeeded',
          at: instant(work.now),
          ...more,
        });
        work.transition(payments, payment, 'refund', patch, to);
      }),
    redeem: (points: number, id = 'loy_ada') =>
      insideCall(inside, 'redeem-points-api', { params: { id }, body: { points, orderId: 'ord_9' } }),
    account,
    member,
    /** The entries of the ledger as short texts: type, points, and points that are missing. */
    ledger: async () =>
      (await member()).entries.map(({ type, points, shortfall }: { type: string; points: number; shortfall?: number }) =>
        [type, points, ...(shortfall === undefined ? [] : [`missing ${shortfall}`])].join(' '),
      ),
    verify: async () => expect(await inside.violations()).toEqual([]),
  };
}
const test = testIn(story);

type Story = Awaited<ReturnType<typeof story>>;
type Step = (estate: Story) => Promise<unknown>;

const pay =
  (amount: number, type?: Tender): Step =>
  (estate) =>
    estate.pay(type ? 'pay_points' : 'pay_1', 'ord_1', amount, type);
const complete =
  (amount?: number, more?: Partial<StoredOrder>, id = 'ord_1'): Step =>
  (estate) =>
    estate.complete(id, amount, more);
const back =
  (amount: number, more?: object): Step =>
  (estate) =>
    estate.refund('pay_1', amount, more);
const backInPoints: Step = (estate) => estate.refund('pay_points', 500);
const MISSING = ['earn 25', 'redeem -520', 'reverse -5 missing 20'];
const note: Step = (estate) => estate.note('ord_1');
const redeem =
  (points: number): Step =>
  (estate) =>
    estate.redeem(points);
const wait =
  (minutes: number): Step =>
  (estate) =>
    estate.advance(minutes * MINUTE);

test.each<[string, Step[], string[]]>([
  ['A completed order earns one point per full 1.00 once', [complete(2598), note], ['earn 25']],
  ['A completed order below 1.00 earns nothing', [complete(99)], []],
  ['A completed order without a member earns nothing', [complete(2598, { loyaltyAccountId: undefined })], []],
  ['A completed order of an unknown member earns nothing', [complete(2598, { loyaltyAccountId: 'loy_nobody' })], []],
  ['A completed order without its amount earns nothing', [complete()], []],
  [
    'Refunds take the points that the rest does not earn, down to none',
    [pay(3088), complete(2598), back(1299), back(1), back(1788)],
    ['earn 25', 'reverse -13', 'reverse -12'],
  ],
  [
    'Refunds take at most the balance and report the missing points',
    [pay(3088), complete(2598), redeem(520), back(1299), back(1299)],
    ['earn 25', 'redeem -520', 'reverse -5 missing 8', 'reverse 0 missing 12'],
  ],
  [
    'A refund beyond the balance takes the missing points when an unspent redemption is returned',
    [pay(68290), complete(67800), redeem(1178), back(67800), wait(20)],
    ['earn 678', 'redeem -1178', 'reverse 0 missing 678', 'reverse 1178', 'reverse -678 missing -678'],
  ],
  [
    'A refund beyond the balance takes the missing points from the points earned next, up to their number',
    [pay(3088), complete(2598), redeem(520), back(2598), ...['ord_2', 'ord_3', 'ord_4'].map((id) => complete(1500, {}, id))],
    [...MISSING, 'earn 15', 'reverse -15 missing -15', 'earn 15', 'reverse -5 missing -5', 'earn 15'],
  ],
  [
    'A refund before the completion that the order has deducted takes nothing',
    [pay(3088), back(1000), wait(1), complete(1598, { earningRefunds: ['pay_1.refund-1'] }), back(98), back(1)],
    ['earn 15', 'reverse -1'],
  ],
  [
    'A refund when the order is completed takes points unless the order has deducted it',
    [pay(3088), back(1000), complete(1598, { earningRefunds: ['pay_1.refund-1'] }), back(100)],
    ['earn 15', 'reverse -1'],
  ],
  [
    'A refund in points takes nothing',
    [pay(2588), pay(500, 'loyalty'), complete(2098), backInPoints, back(98), back(1)],
    ['earn 20', 'reverse -1'],
  ],
  [
    'Refunds of an overpaid order take points beyond the overpaid amount, by the OMS or by a client',
    [
      pay(3088),
      complete(1598, { overpaidAmount: eur(1000) }),
      back(700, { reference: 'cancelled/line-1/1' }),
      back(300),
      back(98),
      back(1),
    ],
    ['earn 15', 'reverse -1'],
  ],
  [
    'A return takes the points of its goods although the order is overpaid',
    [pay(3088), complete(1598, { overpaidAmount: eur(1000) }), back(598, { returnId: 'ret_1' }), back(1000), back(1)],
    ['earn 15', 'reverse -5', 'reverse -1'],
  ],
  ['A refund of an order that never earned has no effect', [pay(3088), back(1299), complete(2598, { loyaltyAccountId: undefined })], []],
])('%s', async (estate, _title, steps, entries) => {
  for (const step of steps) await step(estate);
  expect(await estate.ledger()).toEqual(entries);
});

test('A refund that arrives before its order has earned waits for the earning', async (estate) => {
  const completedAt = instant(await estate.now());
  for (const step of [wait(1), pay(3088), back(1299)]) await step(estate);
  expect(await estate.ledger()).toEqual([]);
  for (const step of [complete(2598, { completedAt }), note]) await step(estate);
  expect(await estate.ledger()).toEqual(['earn 25', 'reverse -13']);
});

test('A refund that arrives after the OMS counted the payments, and before the order reports it, takes nothing', async (estate) => {
  const completedAt = instant((await estate.now()) + 3 * MINUTE);
  for (const step of [pay(3088), wait(1), back(1000), complete(2598, { completedAt })]) await step(estate);
  expect((await estate.member()).points).toBe(15);
});

propertyTest('A concurrent earning and refund leave the points of the remaining amount', async () => {
  const property = fc.asyncProperty(
    fc.integer({ min: 2_590, max: 5_000 }),
    fc.array(fc.integer({ min: 1, max: 770 }), { minLength: 1, maxLength: 4 }),
    async (amount, refunds) => {
      await using estate = await story();
      for (const [index] of refunds.entries()) await estate.pay(`pay_${index}`, 'ord_1', 770);
      const completedAt = instant(await estate.now());
      await estate.advance(MINUTE);
      const refunding = refunds.map((part, index) => estate.refund(`pay_${index}`, part));
      await Promise.all([estate.complete('ord_1', amount, { completedAt }), ...refunding]);
      const left = Math.max(0, amount - refunds.reduce((sum, part) => sum + part, 0));
      expect((await estate.member()).points).toBe(Math.floor(left / 100));
      await estate.verify();
    },
  );
  await fc.assert(property, { numRuns: runsOf({ usually: 8, thoroughly: 25 }), interruptAfterTimeLimit: 15_000, endOnFailure: true });
});

describe('The tier of a member', () => {
  const standing = async (estate: Story) => {
    const { tier, lifetimePoints, pointsBalance, pointsToNextTier } = await estate.account('loy_grace');
    return { tier, lifetimePoints, pointsBalance, pointsToNextTier };
  };

  test('The tier of a member drops when the purchase behind it is refunded, and is reached again by the next purchase', async (estate) => {
    const tiers: unknown[] = [];
    for (const step of [complete(2598, GRACE), back(1299), back(1299), complete(300, GRACE, 'ord_2')]) {
      if (tiers.length === 0) await estate.pay('pay_1', 'ord_1', 3088);
      await step(estate);
      const { tier, lifetimePoints, pointsToNextTier } = await standing(estate);
      tiers.push([tier, lifetimePoints, pointsToNextTier]);
    }
    expect(tiers).toEqual([
      ['silver', 1022, 3978],
      ['silver', 1009, 3991],
      ['bronze', 997, 3],
      ['silver', 1000, 4000],
    ]);
  });

  test('The tier of a member drops when the refunded points are spent and cannot be taken back', async (estate) => {
    for (const step of [pay(3088), complete(2598, GRACE)]) await step(estate);
    await estate.redeem(1022, 'loy_grace');
    await estate.refund('pay_1', 2598);
    expect(await standing(estate)).toMatchObject({ tier: 'bronze', lifetimePoints: 997, pointsBalance: 0 });
  });
});
