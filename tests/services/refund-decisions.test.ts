import { describe, expect } from '@jest/globals';
import type { ProgressionInput } from '../../shared/catalog/control/progression.ts';
import { byHand } from '../support/steps/by-hand.ts';
import { card, eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const LATER = 'tok_refund_later';
const FAILS = 'tok_refund_fails';
const GIFT_50 = { type: 'gift-card' as const, token: 'gift_50' };

/** A mug and two mugs with shipping, in cents. */
const [MUG, TOTAL] = [1299, 3088];

async function opened(progression: ProgressionInput = {}) {
  const rehearsal = await byHand(progression);
  return {
    ...rehearsal,
    /** A completed order of two mugs that a card with this token paid. */
    completedBy: async (token: string) => {
      const { id } = await rehearsal.draft();
      await rehearsal.authorisation(id, undefined, token);
      const order = await rehearsal.completedOrder(id);
      return { ...order, paymentId: order.payments[0].id };
    },
    /** A completed order of a mug and a lamp. No location had the lamp. */
    withoutLamp: async (...payments: readonly (readonly [token: string, amount?: number])[]) => {
      const { id } = await rehearsal.draft({ lines: MUG_AND_LAMP });
      for (const [token, amount] of payments) await rehearsal.authorisation(id, amount, token);
      const order = await rehearsal.confirmed(id);
      const first = await rehearsal.onlyFulfilment(id);
      const picking = await rehearsal.short(order, first, 0, 1);
      await rehearsal.movePicking(picking.id, 'packed');
      await rehearsal.delivered(await rehearsal.handedOver(first));
      await rehearsal.settle();
      return rehearsal.order(id);
    },
    points: async () => (await rehearsal.api('get-member-balance-api', { params: { id: 'loy_ada' } })).pointsBalance,
  };
}
const test = testIn(opened);

const MUG_AND_LAMP = [
  { sku: 'mug-blue', qty: 1 },
  { sku: 'lamp-last-one', qty: 1 },
];

describe('Refunds that are pending', () => {
  test('A refund to tok_refund_later is pending for a day, counts as refunded, and then succeeds', async (rehearsal) => {
    const { paymentId } = await rehearsal.completedBy(LATER);
    const asked = await rehearsal.refunded(paymentId, TOTAL);
    expect(asked).toMatchObject({ state: 'fully-refunded', refundedAmount: eur(TOTAL), refunds: [{ state: 'pending' }] });
    expect((await rehearsal.refund(paymentId, 1)).body).toMatchObject({ code: 'invalid_state_transition' });
    await rehearsal.advance('PT23H59M');
    expect((await rehearsal.object('payment', paymentId)).refunds).toMatchObject([{ state: 'pending' }]);
    await rehearsal.verify();
    await rehearsal.advance('PT1M');
    const decided = await rehearsal.object('payment', paymentId);
    expect(decided).toMatchObject({ state: 'fully-refunded', refunds: [{ state: 'succeeded', decidedAt: decided.updatedAt }] });
  });

  test('A return ends, and takes points back, only when its pending refund has succeeded', async (rehearsal) => {
    const order = await rehearsal.completedBy(LATER);
    await rehearsal.settle();
    const earned = await rehearsal.points();
    const id = await rehearsal.inspected(order);
    expect(await rehearsal.returned(id)).toMatchObject({ state: 'inspected', refunds: [{ state: 'pending', amount: eur(MUG) }] });
    expect([await rehearsal.points(), (await rehearsal.order(order.id)).state]).toEqual([earned, 'return-in-progress']);
    const { waiting } = (await rehearsal.verify()).invariants.find((one) => one.id === 'moving') ?? {};
    expect(waiting).toEqual([`order/${order.id}: the payment provider, return/${id} is inspected`]);
    await rehearsal.advance('P1D');
    expect(await rehearsal.returned(id)).toMatchObject({ state: 'refunded', refunds: [{ state: 'succeeded' }] });
    expect(await rehearsal.order(order.id)).toMatchObject({ state: 'completed', lines: [{ returnedQty: 1 }] });
    expect(earned - (await rehearsal.points())).toBe(13);
  });

  test('An order that completes while its refund is pending earns for the whole amount until the refund succeeds', async (rehearsal) => {
    const { id } = await rehearsal.draft();
    const { id: paymentId } = await rehearsal.authorisation(id, undefined, LATER);
    const before = await rehearsal.points();
    await rehearsal.completedOrder(id, () => rehearsal.refunded(paymentId, 1000));
    await rehearsal.settle();
    expect((await rehearsal.points()) - before).toBe(25);
    await rehearsal.advance('P1D');
    expect((await rehearsal.points()) - before).toBe(15);
  });
});

describe('Returns of an order with another pending refund', () => {
  test.each([
    [LATER, 'refunded', []],
    [FAILS, 'inspected', [{ state: 'pending', amount: eur(MUG) }]],
  ] as const)('A return waits while a refund without its id to %s is pending', async (rehearsal, token, state, refunds) => {
    const order = await rehearsal.completedBy(token);
    await rehearsal.refunded(order.paymentId, TOTAL);
    const id = await rehearsal.inspected(order);
    expect(await rehearsal.returned(id)).toMatchObject({ state: 'inspected', refunds: [] });
    const { waiting } = (await rehearsal.verify()).invariants.find((one) => one.id === 'moving') ?? {};
    expect(waiting).toEqual([`order/${order.id}: the payment provider, return/${id} is inspected`]);
    await rehearsal.advance('P1D');
    const found = await rehearsal.returned(id);
    expect(found).toMatchObject({ state, refunds });
    expect(found.refunds).toHaveLength(refunds.length);
    await rehearsal.advance('P1D');
    expect((await rehearsal.order(order.id)).owedRefund).toEqual(token === FAILS ? eur(TOTAL) : undefined);
    await rehearsal.verify();
  });

  test('A return waits while a refund for another return of its order is pending', async (rehearsal) => {
    const order = await rehearsal.completedBy(FAILS);
    await rehearsal.advance('P1D');
    await rehearsal.control('open-dispute', { params: { id: order.paymentId }, body: { reason: 'general', amount: eur(TOTAL - 300) } });
    await rehearsal.control('close-dispute', { params: { id: order.paymentId }, body: { outcome: 'lost' } });
    const [first, second] = [await rehearsal.inspected(order), await rehearsal.inspected(order)];
    expect(await rehearsal.returned(first)).toMatchObject({ state: 'inspected', refunds: [{ state: 'pending', amount: eur(300) }] });
    expect(await rehearsal.returned(second)).toMatchObject({ state: 'inspected', refunds: [] });
    await rehearsal.advance('P1D');
    // The failed refund of the first return is a client's to repeat. The second return gets the rest.
    expect(await rehearsal.returned(first)).toMatchObject({ state: 'inspected', refunds: [{ state: 'failed' }] });
    expect(await rehearsal.returned(second)).toMatchObject({ state: 'inspected', refunds: [{ state: 'pending', amount: eur(300) }] });
    await rehearsal.settle();
    await rehearsal.advance('P1D');
    const states = [await rehearsal.returnState(first), await rehearsal.returnState(second)];
    expect([...states, (await rehearsal.order(order.id)).owedRefund]).toEqual(['inspected', 'inspected', eur(300)]);
    await rehearsal.verify();
  });

  test('An exchange gives back what its credit could not use once another refund has failed', async (rehearsal) => {
    const order = await rehearsal.completedBy(FAILS);
    await rehearsal.refunded(order.paymentId, TOTAL - 300);
    const returnId = await rehearsal.inspected(order, 1, { resolution: 'exchange' });
    const { id: basketId } = await rehearsal.checkedOut({ qty: 1, customerId: 'cus_ada' });
    const draft = await rehearsal.api('create-order-api', { body: { basketId, exchangeForReturnId: returnId } });
    expect(draft.payments).toMatchObject([{ amount: eur(300) }]);
    await rehearsal.authorisation(draft.id);
    await rehearsal.confirmed(draft.id);
    await rehearsal.settle();
    expect(await rehearsal.returned(returnId)).toMatchObject({ state: 'exchanged', refunds: [] });
    await rehearsal.advance('P1D');
    expect(await rehearsal.returned(returnId)).toMatchObject({ refunds: [{ state: 'pending', amount: eur(MUG - 300) }] });
    await rehearsal.advance('P1D');
    // The credit still pays for the exchange order, so it is not owed.
    expect((await rehearsal.order(order.id)).owedRefund).toEqual(eur(TOTAL - 300));
    await rehearsal.verify();
  });

  test('A return that waits for its exchange still waits after a decision about a part of its refund', async (rehearsal) => {
    const order = await rehearsal.completedBy(LATER);
    const id = await rehearsal.inspected(order, 1, { resolution: 'exchange' });
    await rehearsal.refunded(order.paymentId, 100, id);
    await rehearsal.advance('P1D');
    expect(await rehearsal.returned(id)).toMatchObject({ state: 'inspected', refunds: [{ state: 'succeeded', amount: eur(100) }] });
    await rehearsal.advance('P7D');
    expect(await rehearsal.returned(id)).toMatchObject({ state: 'refunded', refunds: [{ amount: eur(100) }, { amount: eur(MUG - 100) }] });
  });

  test('Missing units are refunded after another refund of their payment has failed', async (rehearsal) => {
    const { id } = await rehearsal.draft({ lines: MUG_AND_LAMP });
    const { id: paymentId, amount } = await rehearsal.authorisation(id, undefined, FAILS);
    const order = await rehearsal.confirmed(id);
    const first = await rehearsal.onlyFulfilment(id);
    await rehearsal.api('capture-payment-api', { params: { id: paymentId } });
    await rehearsal.refunded(paymentId, amount.amount);
    const picking = await rehearsal.short(order, first, 0, 1);
    await rehearsal.settle();
    expect((await rehearsal.object('payment', paymentId)).refunds).toHaveLength(1);
    await rehearsal.advance('P1D');
    expect((await rehearsal.object('payment', paymentId)).refunds).toMatchObject([{ state: 'failed' }, { reason: 'Not delivered' }]);
    expect(picking.id).toBeDefined();
  });
});

describe('Refunds that fail', () => {
  test('A failed refund returns the amount to the payment, has a reason, and can be requested again', async (rehearsal) => {
    const { id: orderId, paymentId } = await rehearsal.completedBy(FAILS);
    await rehearsal.refunded(paymentId, 1000);
    await rehearsal.refunded(paymentId, 500);
    await rehearsal.refunded(paymentId, TOTAL - 1500);
    await rehearsal.advance('P1D');
    const failed = { state: 'failed', failureReason: 'account_closed', decidedAt: expect.any(String) };
    expect(await rehearsal.object('payment', paymentId)).toMatchObject({
      state: 'captured',
      refundedAmount: eur(0),
      refunds: [failed, failed, failed],
    });
    expect(await rehearsal.order(orderId)).toMatchObject({ owedRefund: eur(TOTAL), paymentStatus: 'paid' });
    await rehearsal.refunded(paymentId, 1000);
    expect(await rehearsal.order(orderId)).toMatchObject({ owedRefund: eur(TOTAL - 1000), paymentStatus: 'partially-refunded' });
    await rehearsal.advance('P1D');
    expect(await rehearsal.order(orderId)).toMatchObject({ owedRefund: eur(TOTAL) });
  });

  test('A return whose refund failed keeps its points, waits for a caller, and ends with a refund to a gift card', async (rehearsal) => {
    const order = await rehearsal.completedBy(FAILS);
    await rehearsal.settle();
    const earned = await rehearsal.points();
    const id = await rehearsal.inspected(order);
    await rehearsal.advance('P1D');
    expect(await rehearsal.returned(id)).toMatchObject({ state: 'inspected', refunds: [{ state: 'failed' }] });
    expect([(await rehearsal.order(order.id)).owedRefund, await rehearsal.points()]).toEqual([eur(MUG), earned]);
    const { waiting } = (await rehearsal.verify()).invariants.find((one) => one.id === 'moving') ?? {};
    expect(waiting).toEqual([`order/${order.id}: a caller of Refund Payment, return/${id} is inspected`]);
    const paid = await rehearsal.refund(order.paymentId, MUG, { returnId: id, payOutTo: GIFT_50 });
    expect(paid.body).toMatchObject({ refunds: [{ state: 'failed' }, { state: 'succeeded', payOutTo: GIFT_50 }] });
    await rehearsal.settle();
    expect(await rehearsal.returned(id)).toMatchObject({ state: 'refunded', refunds: [{ state: 'failed' }, { state: 'succeeded' }] });
    expect(await rehearsal.order(order.id)).toMatchObject({ state: 'completed', lines: [{ returnedQty: 1 }] });
    expect((await rehearsal.order(order.id)).owedRefund).toBeUndefined();
    expect(earned - (await rehearsal.points())).toBe(13);
    await rehearsal.verify();
    const { id: other } = await rehearsal.draft({ qty: 5 });
    expect((await rehearsal.authorisation(other, 5000 + MUG, GIFT_50)).state).toBe('authorised');
  });

  test('An order owes at most what its payments keep: a lost dispute ends a failed refund of a return', async (rehearsal) => {
    const order = await rehearsal.completedBy(FAILS);
    const id = await rehearsal.inspected(order);
    await rehearsal.advance('P1D');
    expect((await rehearsal.order(order.id)).owedRefund).toEqual(eur(MUG));
    const paidOut = await rehearsal.refund(order.paymentId, MUG, { payOutTo: GIFT_50 });
    expect(paidOut.status).toBe(201);
    expect((await rehearsal.order(order.id)).owedRefund).toEqual(eur(MUG));
    await rehearsal.control('open-dispute', { params: { id: order.paymentId }, body: { reason: 'general' } });
    await rehearsal.control('close-dispute', { params: { id: order.paymentId }, body: { outcome: 'lost' } });
    await rehearsal.settle();
    expect((await rehearsal.order(order.id)).owedRefund).toBeUndefined();
    expect(await rehearsal.returnState(id)).toBe('refunded');
    await rehearsal.verify();
  });

  test('The failed refund of a return is owed during a dispute of the rest', async (rehearsal) => {
    const order = await rehearsal.completedBy(FAILS);
    await rehearsal.inspected(order);
    await rehearsal.advance('P1D');
    await rehearsal.control('open-dispute', { params: { id: order.paymentId }, body: { reason: 'general', amount: eur(TOTAL - MUG) } });
    expect((await rehearsal.order(order.id)).owedRefund).toEqual(eur(MUG));
    await rehearsal.verify();
  });

  test('A return that a lost dispute ended stays ended after the refund of a cancelled exchange has failed', async (rehearsal) => {
    const order = await rehearsal.completedBy(FAILS);
    const first = await rehearsal.inspected(order);
    await rehearsal.advance('P1D');
    const second = await rehearsal.inspected(order, 1, { resolution: 'exchange' });
    const { id: basketId } = await rehearsal.checkedOut({ qty: 1, customerId: 'cus_ada' });
    const { id: exchangeId } = await rehearsal.api('create-order-api', { body: { basketId, exchangeForReturnId: second } });
    await rehearsal.control('open-dispute', { params: { id: order.paymentId }, body: { reason: 'general', amount: eur(TOTAL - MUG) } });
    await rehearsal.control('close-dispute', { params: { id: order.paymentId }, body: { outcome: 'lost' } });
    await rehearsal.settle();
    expect(await rehearsal.returnState(first)).toBe('refunded');
    await rehearsal.api('cancel-order-api', { params: { id: exchangeId } });
    await rehearsal.settle();
    await rehearsal.advance('P1D');
    expect(await rehearsal.returned(second)).toMatchObject({ state: 'inspected', refunds: [{ state: 'failed', amount: eur(MUG) }] });
    expect((await rehearsal.order(order.id)).owedRefund).toEqual(eur(MUG));
    await rehearsal.verify();
  });

  test('The OMS refunds a return from another payment of its order after a failure', async (rehearsal) => {
    const { id } = await rehearsal.draft();
    await rehearsal.authorisation(id, 1500, FAILS);
    await rehearsal.authorisation(id, undefined, 'tok_visa');
    const order = await rehearsal.completedOrder(id);
    const returnId = await rehearsal.inspected(order);
    await rehearsal.advance('P1D');
    const [first, second] = order.payments;
    expect(await rehearsal.returned(returnId)).toMatchObject({
      state: 'refunded',
      refunds: [
        { paymentId: first.id, state: 'failed' },
        { paymentId: second?.id, state: 'succeeded', amount: eur(MUG) },
      ],
    });
    expect((await rehearsal.order(id)).owedRefund).toBeUndefined();
  });

  test('The OMS repeats the failed refund of missing units from another payment of the order, once', async (rehearsal) => {
    const before = await rehearsal.points();
    const order = await rehearsal.withoutLamp([FAILS, 1000], ['tok_visa']);
    const [first, second] = order.payments;
    const missing = order.lines[1]?.lineTotal.amount ?? 0;
    await rehearsal.advance('P1D');
    expect((await rehearsal.object('payment', first.id)).refunds).toMatchObject([{ state: 'failed', amount: eur(1000) }]);
    const succeeded = [{ amount: eur(missing - 1000) }, { amount: eur(1000), reason: 'Not delivered' }];
    expect((await rehearsal.object('payment', second?.id ?? '')).refunds).toMatchObject(succeeded);
    const shown = await rehearsal.order(order.id);
    expect(shown.owedRefund).toBeUndefined();
    expect(shown.refunds).toEqual([
      { id: `${first.id}.refund-1`, paymentId: first.id, amount: eur(1000), state: 'failed', failureReason: 'account_closed' },
      { id: `${second?.id}.refund-1`, paymentId: second?.id, amount: eur(missing - 1000), state: 'succeeded' },
      { id: `${second?.id}.refund-2`, paymentId: second?.id, amount: eur(1000), state: 'succeeded' },
    ]);
    const { reasons } = await rehearsal.control('explain-object', { params: { type: 'payment', id: first.id } });
    expect(reasons.map(({ text }) => text).join()).not.toContain('Refund Payment again');
    await rehearsal.refunded(first.id, 1);
    await rehearsal.settle();
    expect((await rehearsal.object('payment', second?.id ?? '')).refunds).toHaveLength(2);
    expect((await rehearsal.points()) - before).toBe(12);
    await rehearsal.verify();
  });

  test('The OMS repeats the failed refund of missing units as far as the other payments go, and the rest is owed', async (rehearsal) => {
    const order = await rehearsal.withoutLamp([FAILS, 9000], ['tok_visa']);
    await rehearsal.advance('P1D');
    expect(await rehearsal.paid(order.id)).toEqual([
      ['captured', 9000],
      ['fully-refunded', 0],
    ]);
    expect((await rehearsal.order(order.id)).owedRefund).toEqual(eur(8900 - 1199));
  });

  test('The OMS repeats the failed refund of missing units after the decision about a dispute of the other payment', async (rehearsal) => {
    const order = await rehearsal.withoutLamp([FAILS, 1000], ['tok_visa']);
    const params = { id: order.payments[1]?.id ?? '' };
    await rehearsal.control('open-dispute', { params, body: { reason: 'general', amount: eur(100) } });
    await rehearsal.advance('P1D');
    expect((await rehearsal.order(order.id)).owedRefund).toEqual(eur(1000));
    await rehearsal.control('close-dispute', { params, body: { outcome: 'won' } });
    await rehearsal.settle();
    expect((await rehearsal.order(order.id)).owedRefund).toBeUndefined();
  });

  test('The OMS does not repeat the failed refund of missing units where refunds are manual', async (rehearsal) => {
    const order = await rehearsal.withoutLamp([FAILS, 1000], ['tok_visa']);
    await rehearsal.control('set-progression', { body: { refund: 'manual' } });
    await rehearsal.advance('P1D');
    expect((await rehearsal.order(order.id)).owedRefund).toEqual(eur(1000));
  });

  test('A cancelled order whose refund failed shows what it owes, and cancelling it again refunds nothing', async (rehearsal) => {
    const { id } = await rehearsal.draft();
    const { id: paymentId } = await rehearsal.authorisation(id, undefined, FAILS);
    await rehearsal.confirmed(id);
    await rehearsal.api('capture-payment-api', { params: { id: paymentId } });
    await rehearsal.cancel(id);
    expect((await rehearsal.order(id)).owedRefund).toBeUndefined();
    await rehearsal.advance('P1D');
    expect(await rehearsal.order(id)).toMatchObject({ state: 'cancelled', owedRefund: eur(TOTAL), payments: [{ state: 'captured' }] });
    await rehearsal.cancel(id);
    expect((await rehearsal.object('payment', paymentId)).refunds).toHaveLength(1);
    await rehearsal.verify();
    await rehearsal.refund(paymentId, TOTAL, { payOutTo: GIFT_50 });
    expect((await rehearsal.order(id)).owedRefund).toBeUndefined();
  });

  test('A gift card may receive all that a cancelled order owes of a payment whose refund failed, and no more', async (rehearsal) => {
    const { id } = await rehearsal.draft();
    const { id: paymentId } = await rehearsal.authorisation(id, undefined, FAILS);
    await rehearsal.confirmed(id);
    await rehearsal.api('capture-payment-api', { params: { id: paymentId } });
    await rehearsal.refunded(paymentId, 1000);
    await rehearsal.advance('P1D');
    const before = await rehearsal.refund(paymentId, TOTAL, { payOutTo: GIFT_50 });
    expect([before.status, before.body]).toMatchObject([409, { code: 'refund_exceeds_captured', refundableAmount: eur(1000) }]);
    await rehearsal.cancel(id);
    expect((await rehearsal.order(id)).owedRefund).toEqual(eur(TOTAL));
    const tooMuch = await rehearsal.refund(paymentId, TOTAL + 1, { payOutTo: GIFT_50 });
    expect([tooMuch.status, tooMuch.body]).toMatchObject([409, { code: 'refund_exceeds_captured', refundableAmount: eur(TOTAL) }]);
    expect((await rehearsal.refund(paymentId, 1100, { payOutTo: GIFT_50 })).status).toBe(201);
    expect((await rehearsal.order(id)).owedRefund).toEqual(eur(TOTAL - 1100));
    expect((await rehearsal.refund(paymentId, TOTAL - 1100, { payOutTo: GIFT_50 })).status).toBe(201);
    expect((await rehearsal.order(id)).owedRefund).toBeUndefined();
    await rehearsal.verify();
  });

  test('A gift card receives nothing of the payment of a cancelled order whose refund has not failed', async (rehearsal) => {
    await rehearsal.control('set-progression', { body: { refund: 'manual' } });
    const { id } = await rehearsal.draft();
    const { id: paymentId } = await rehearsal.authorisation(id);
    await rehearsal.confirmed(id);
    await rehearsal.api('capture-payment-api', { params: { id: paymentId } });
    await rehearsal.cancel(id);
    expect((await rehearsal.order(id)).owedRefund).toEqual(eur(TOTAL));
    const refused = await rehearsal.refund(paymentId, 1, { payOutTo: GIFT_50 });
    expect([refused.status, refused.body]).toMatchObject([409, { code: 'refund_exceeds_captured', refundableAmount: eur(0) }]);
  });

  test('A refund may fail after another payment has paid the order', async (rehearsal) => {
    const { id } = await rehearsal.draft();
    const { id: paymentId } = await rehearsal.authorisation(id, undefined, FAILS);
    await rehearsal.api('capture-payment-api', { params: { id: paymentId } });
    await rehearsal.refunded(paymentId, TOTAL);
    await rehearsal.authorisation(id, undefined, 'tok_visa');
    await rehearsal.confirmed(id);
    await rehearsal.advance('P1D');
    expect(await rehearsal.object('payment', paymentId)).toMatchObject({ state: 'captured', refunds: [{ state: 'failed' }] });
    expect(await rehearsal.order(id)).toMatchObject({ owedRefund: eur(TOTAL) });
    const more = await rehearsal.call('authorize-payment-api', { body: { orderId: id, tender: card(), amount: eur(1) } });
    expect(more.body).toMatchObject({ code: 'overpayment' });
  });

  test('A gift card receives only what failed, in its own currency', async (rehearsal) => {
    const { paymentId } = await rehearsal.completedBy(FAILS);
    await rehearsal.refunded(paymentId, 1000);
    const early = await rehearsal.refund(paymentId, 500, { payOutTo: GIFT_50 });
    expect([early.status, early.body]).toMatchObject([409, { code: 'refund_exceeds_captured', refundableAmount: eur(0) }]);
    await rehearsal.advance('P1D');
    const unknown = await rehearsal.refund(paymentId, 500, { payOutTo: { type: 'gift-card', token: 'gift_unknown' } });
    expect(unknown.body).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/payOutTo/token', code: 'unknown_gift_card' }] });
    expect((await rehearsal.refund(paymentId, 600, { payOutTo: GIFT_50 })).status).toBe(201);
    const tooMuch = await rehearsal.refund(paymentId, 500, { payOutTo: GIFT_50 });
    expect(tooMuch.body).toMatchObject({ code: 'refund_exceeds_captured', refundableAmount: eur(400) });
  });
});

describe('Points of an order with units that never arrived', () => {
  test('Repeating the failed refund of missing units takes no points of the delivered units', async (rehearsal) => {
    const before = await rehearsal.points();
    const order = await rehearsal.withoutLamp([FAILS]);
    const [payment] = order.payments;
    const missing = order.lines[1]?.lineTotal ?? eur(0);
    expect(order).toMatchObject({ state: 'completed', earningAmount: eur(MUG), overpaidAmount: missing });
    expect((await rehearsal.points()) - before).toBe(12);
    await rehearsal.advance('P1D');
    await rehearsal.refund(payment.id, missing.amount, { payOutTo: GIFT_50 });
    await rehearsal.settle();
    expect((await rehearsal.points()) - before).toBe(12);
    await rehearsal.refunded(payment.id, 300);
    await rehearsal.advance('P1D');
    expect((await rehearsal.points()) - before).toBe(12);
    await rehearsal.verify();
  });

  test('A client that refunds missing units by hand takes no points, and takes them beyond these units', async (rehearsal) => {
    const before = await rehearsal.points();
    await rehearsal.control('set-progression', { body: { refund: 'manual' } });
    const order = await rehearsal.withoutLamp(['tok_visa']);
    const missing = order.lines[1]?.lineTotal.amount ?? 0;
    await rehearsal.refunded(order.payments[0].id, missing);
    await rehearsal.settle();
    expect((await rehearsal.points()) - before).toBe(12);
    await rehearsal.refunded(order.payments[0].id, 300);
    await rehearsal.settle();
    expect((await rehearsal.points()) - before).toBe(9);
    await rehearsal.verify();
  });

  test('A dispute that is lost over missing units takes no points', async (rehearsal) => {
    const before = await rehearsal.points();
    const order = await rehearsal.withoutLamp([FAILS]);
    await rehearsal.advance('P1D');
    const params = { id: order.payments[0].id };
    await rehearsal.control('open-dispute', { params, body: { reason: 'product_not_received', amount: order.lines[1]?.lineTotal } });
    await rehearsal.control('close-dispute', { params, body: { outcome: 'lost' } });
    await rehearsal.settle();
    expect((await rehearsal.points()) - before).toBe(12);
    expect((await rehearsal.order(order.id)).owedRefund).toBeUndefined();
    await rehearsal.verify();
  });

  test('Missing units that the bank has paid back after a dispute are not refunded again', async (rehearsal) => {
    const before = await rehearsal.points();
    const { id } = await rehearsal.draft({ lines: MUG_AND_LAMP });
    const payment = await rehearsal.authorisation(id);
    const order = await rehearsal.confirmed(id);
    const first = await rehearsal.onlyFulfilment(id);
    await rehearsal.api('capture-payment-api', { params: { id: payment.id } });
    const params = { id: payment.id };
    const amount = order.lines[1]?.lineTotal ?? eur(0);
    await rehearsal.control('open-dispute', { params, body: { reason: 'product_not_received', amount } });
    const picking = await rehearsal.short(order, first, 0, 1);
    await rehearsal.movePicking(picking.id, 'packed');
    await rehearsal.delivered(await rehearsal.handedOver(first));
    await rehearsal.control('close-dispute', { params, body: { outcome: 'lost' } });
    await rehearsal.settle();
    expect((await rehearsal.object('payment', payment.id)).refunds).toEqual([]);
    expect((await rehearsal.points()) - before).toBe(12);
    await rehearsal.verify();
  });

  test.each(['tok_visa', LATER])(
    'An order with missing units, refunded later, and goodwill to %s keeps the points of the delivered units less the goodwill',
    async (rehearsal, token) => {
      const before = await rehearsal.points();
      const { id } = await rehearsal.draft({ lines: MUG_AND_LAMP });
      await rehearsal.authorisation(id, 9000, LATER);
      const payment = await rehearsal.authorisation(id, undefined, token);
      const order = await rehearsal.confirmed(id);
      const first = await rehearsal.onlyFulfilment(id);
      const picking = await rehearsal.short(order, first, 0, 1);
      await rehearsal.movePicking(picking.id, 'packed');
      const parcel = await rehearsal.handedOver(first);
      await rehearsal.refunded(payment.id, 300);
      await rehearsal.delivered(parcel);
      await rehearsal.advance('P1D');
      expect((await rehearsal.points()) - before).toBe(9);
      await rehearsal.verify();
    },
  );

  test('Returning the delivered units takes their points although the refund of the missing units failed', async (rehearsal) => {
    const before = await rehearsal.points();
    const order = await rehearsal.withoutLamp([FAILS, 2000], ['tok_visa']);
    await rehearsal.inspected(order);
    await rehearsal.advance('P1D');
    expect((await rehearsal.points()) - before).toBe(0);
    await rehearsal.verify();
  });
});
