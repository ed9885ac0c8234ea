import { describe, expect } from '@jest/globals';
import type { OperationInput } from '../../rehearsal/call-types.ts';
import type { ProgressionInput } from '../../shared/catalog/control/progression.ts';
import { LIMITS } from '../../shared/catalog/limits.ts';
import { byHand } from '../support/steps/by-hand.ts';
import { eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

type Reason = OperationInput<'open-dispute'>['body']['reason'];
type Outcome = OperationInput<'close-dispute'>['body']['outcome'];

/** A mug, two mugs with shipping, and the fee of a dispute, in cents. */
const [MUG, TOTAL, FEE] = [1299, 3088, 2000];

async function opened(progression: ProgressionInput = {}) {
  const rehearsal = await byHand(progression);
  return {
    ...rehearsal,
    /** A completed order of two mugs that a card paid. */
    sold: async () => {
      const order = await rehearsal.completed();
      await rehearsal.settle();
      return { ...order, paymentId: order.payments[0].id };
    },
    /** A confirmed order whose card payment is captured. */
    paid: async () => {
      const { id } = await rehearsal.draft();
      const { id: paymentId } = await rehearsal.authorisation(id);
      await rehearsal.confirmed(id);
      await rehearsal.api('capture-payment-api', { params: { id: paymentId } });
      return { id, paymentId };
    },
    disputed: (id: string, reason: Reason = 'fraudulent', amount?: number) =>
      rehearsal.control('open-dispute', { params: { id }, body: { reason, amount: amount === undefined ? undefined : eur(amount) } }),
    dispute: (id: string, body: object = { reason: 'fraudulent' }) =>
      rehearsal.call('POST', `/_control/payments/${id}/dispute`, body, { as: 'admin' }),
    decided: async (id: string, outcome: Outcome) => {
      const payment = await rehearsal.control('close-dispute', { params: { id }, body: { outcome } });
      await rehearsal.settle();
      return payment;
    },
    decide: (id: string, outcome: Outcome) =>
      rehearsal.call('POST', `/_control/payments/${id}/dispute/outcome`, { outcome }, { as: 'admin' }),
    payment: (id: string) => rehearsal.object('payment', id),
    points: async () => (await rehearsal.api('get-member-balance-api', { params: { id: 'loy_ada' } })).pointsBalance,
  };
}
const test = testIn(opened);

describe('Disputes', () => {
  test('A dispute withdraws the captured amount and a fee, and payment and order show it', async (rehearsal) => {
    const { id, paymentId } = await rehearsal.sold();
    await rehearsal.refunded(paymentId, 1000);
    const disputed = await rehearsal.disputed(paymentId, 'product_not_received');
    const dispute = {
      id: `${paymentId}.dispute-1`,
      state: 'open',
      reason: 'product_not_received',
      amount: eur(TOTAL - 1000),
      fee: eur(FEE),
      openedAt: disputed.updatedAt,
      respondBy: new Date(Date.parse(disputed.updatedAt) + 7 * 24 * 3_600_000).toISOString(),
    };
    expect(disputed).toMatchObject({ state: 'partially-refunded', disputes: [dispute] });
    expect((await rehearsal.order(id)).payments).toMatchObject([{ disputes: [dispute] }]);
  });

  test('A won dispute returns the amount to the retailer, keeps the points, and its repeat changes nothing', async (rehearsal) => {
    const { paymentId } = await rehearsal.sold();
    const earned = await rehearsal.points();
    await rehearsal.disputed(paymentId);
    const won = await rehearsal.decided(paymentId, 'won');
    expect(won).toMatchObject({ state: 'captured', disputes: [{ state: 'won', decidedAt: won.updatedAt, fee: eur(FEE) }] });
    expect(await rehearsal.decided(paymentId, 'won')).toEqual(won);
    expect((await rehearsal.decide(paymentId, 'lost')).body).toMatchObject({ code: 'invalid_state_transition', action: 'lose-dispute' });
    expect(await rehearsal.points()).toBe(earned);
    expect((await rehearsal.disputed(paymentId, 'general')).disputes).toMatchObject([{ state: 'won' }, { id: `${paymentId}.dispute-2` }]);
  });

  test('A dispute without an outcome is lost after seven days, takes points back, and its amount cannot be refunded', async (rehearsal) => {
    const { paymentId } = await rehearsal.sold();
    const earned = await rehearsal.points();
    await rehearsal.disputed(paymentId, 'fraudulent', 1000);
    await rehearsal.advance('P6D');
    expect([(await rehearsal.payment(paymentId)).disputes?.[0]?.state, await rehearsal.points()]).toEqual(['open', earned]);
    await rehearsal.advance('P1D');
    const lost = await rehearsal.payment(paymentId);
    expect(lost.disputes).toMatchObject([{ state: 'lost', decidedAt: lost.disputes?.[0]?.respondBy }]);
    expect(earned - (await rehearsal.points())).toBe(10);
    expect((await rehearsal.refunded(paymentId, TOTAL - 1000)).state).toBe('partially-refunded');
  });

  test('A dispute lost before the order is completed lowers what the order earns', async (rehearsal) => {
    const before = await rehearsal.points();
    const { id, paymentId } = await rehearsal.paid();
    await rehearsal.disputed(paymentId, 'fraudulent', 1000);
    await rehearsal.decided(paymentId, 'lost');
    for (const one of await rehearsal.routed(id)) await rehearsal.delivered(await rehearsal.dispatched(one.id));
    await rehearsal.settle();
    expect(await rehearsal.order(id)).toMatchObject({ state: 'completed', earningRefunds: [`${paymentId}.dispute-1`] });
    expect((await rehearsal.points()) - before).toBe(15);
  });

  test('Only captured money that is neither refunded nor lost, of a card or bnpl, can be disputed', async (rehearsal) => {
    const { id } = await rehearsal.draft();
    const gift = await rehearsal.authorisation(id, 500, { type: 'gift-card', token: 'gift_5' });
    const card = await rehearsal.authorisation(id);
    expect((await rehearsal.dispute(card.id)).body).toMatchObject({ code: 'invalid_state_transition', currentState: 'authorised' });
    await rehearsal.confirmed(id);
    for (const one of [gift, card]) await rehearsal.api('capture-payment-api', { params: { id: one.id } });
    expect((await rehearsal.dispute(gift.id)).body.detail).toContain('is by gift-card');
    await rehearsal.refunded(card.id, 88);
    const tooMuch = await rehearsal.dispute(card.id, { reason: 'fraudulent', amount: eur(2501) });
    expect([tooMuch.status, tooMuch.body]).toMatchObject([409, { disputableAmount: eur(2500) }]);
    await rehearsal.disputed(card.id);
    await rehearsal.decided(card.id, 'lost');
    const detail = expect.stringMatching(/^Nothing of the payment "pay_\w+" is left to dispute: /);
    expect((await rehearsal.dispute(card.id)).body).toMatchObject({ disputableAmount: eur(0), detail });
    expect((await rehearsal.decide(gift.id, 'won')).body.detail).toContain('it was never disputed');
  });
});

test('A payment takes a limited number of disputes', async (rehearsal) => {
  const { paymentId } = await rehearsal.sold();
  for (let disputes = 0; disputes < LIMITS.disputes; disputes += 1) {
    await rehearsal.disputed(paymentId);
    await rehearsal.decided(paymentId, 'won');
  }
  expect((await rehearsal.dispute(paymentId)).body).toMatchObject({ code: 'limit_reached', list: 'disputes', limit: LIMITS.disputes });
});

describe('Orders and returns with a dispute', () => {
  test('A cancelled order refunds a disputed payment once the retailer has won', async (rehearsal) => {
    const { id, paymentId } = await rehearsal.paid();
    await rehearsal.disputed(paymentId);
    expect((await rehearsal.cancel(id)).body).toMatchObject({ state: 'cancelled', payments: [{ state: 'captured' }] });
    expect((await rehearsal.order(id)).owedRefund).toBeUndefined();
    await rehearsal.verify();
    expect(await rehearsal.decided(paymentId, 'won')).toMatchObject({ state: 'fully-refunded', refunds: [{ amount: eur(TOTAL) }] });
  });

  test('A cancelled order waits for the decision about a dispute, and refunds the rest of the payment', async (rehearsal) => {
    const { id, paymentId } = await rehearsal.paid();
    await rehearsal.disputed(paymentId, 'fraudulent', 3000);
    await rehearsal.cancel(id);
    expect(await rehearsal.order(id)).not.toHaveProperty('owedRefund');
    const { reasons } = await rehearsal.control('explain-object', { params: { type: 'order', id } });
    expect(reasons.find(({ code }) => code === 'waits-for-object')?.refs).toEqual([expect.objectContaining({ id: paymentId })]);
    expect(await rehearsal.decided(paymentId, 'lost')).toMatchObject({ state: 'partially-refunded', refunds: [{ amount: eur(88) }] });
  });

  test.each([
    ['won', 'refunded', [{ amount: eur(MUG) }]],
    ['lost', 'refunded', []],
  ] as const)('A return waits for the decision about a dispute of its payment: %s', async (rehearsal, outcome, state, refunds) => {
    const order = await rehearsal.sold();
    await rehearsal.disputed(order.paymentId);
    const id = await rehearsal.inspected(order);
    expect(await rehearsal.returned(id)).toMatchObject({ state: 'inspected', refunds: [] });
    const { waiting } = (await rehearsal.verify()).invariants.find((one) => one.id === 'moving') ?? {};
    expect(waiting).toEqual([`order/${order.id}: the bank of the cardholder, return/${id} is inspected`]);
    await rehearsal.decided(order.paymentId, outcome);
    const { refunds: made, ...found } = await rehearsal.returned(id);
    expect(found).toMatchObject({ state });
    expect(made).toMatchObject(refunds);
    expect(made).toHaveLength(refunds.length);
    expect(await rehearsal.order(order.id)).toMatchObject({ state: 'completed', lines: [{ returnedQty: 1 }] });
  });

  test('A return whose dispute is decided after refunds became manual is left to a client', async (rehearsal) => {
    const order = await rehearsal.sold();
    await rehearsal.disputed(order.paymentId);
    const id = await rehearsal.inspected(order);
    await rehearsal.progress({ refund: 'manual' });
    await rehearsal.decided(order.paymentId, 'won');
    const { waiting } = (await rehearsal.verify()).invariants.find((one) => one.id === 'moving') ?? {};
    expect(waiting).toEqual([`order/${order.id}: a caller of Refund Payment, return/${id} is inspected`]);
    await rehearsal.refunded(order.paymentId, MUG, id);
    await rehearsal.settle();
    expect(await rehearsal.returnState(id)).toBe('refunded');
    await rehearsal.verify();
  });

  test('A return that waits for its exchange order still waits after the decision about a dispute', async (rehearsal) => {
    const order = await rehearsal.sold();
    const id = await rehearsal.inspected(order, 1, { resolution: 'exchange' });
    await rehearsal.disputed(order.paymentId);
    await rehearsal.decided(order.paymentId, 'won');
    expect(await rehearsal.returnState(id)).toBe('inspected');
    await rehearsal.advance('P7D');
    expect(await rehearsal.returnState(id)).toBe('refunded');
  });

  test.each(['won', 'lost'] as const)(
    'A return whose exchange order was cancelled during a dispute is refunded after the decision: %s',
    async (rehearsal, outcome) => {
      const order = await rehearsal.sold();
      const id = await rehearsal.inspected(order, 1, { resolution: 'exchange' });
      await rehearsal.disputed(order.paymentId, 'general', TOTAL - 1000);
      const { id: basketId } = await rehearsal.checkedOut({ qty: 1, customerId: 'cus_ada' });
      const draft = await rehearsal.api('create-order-api', { body: { basketId, exchangeForReturnId: id } });
      expect((await rehearsal.cancel(draft.id)).status).toBe(200);
      await rehearsal.settle();
      expect(await rehearsal.returned(id)).toMatchObject({ state: 'inspected', refunds: [] });
      await rehearsal.decided(order.paymentId, outcome);
      const refunded = outcome === 'won' ? MUG : 1000;
      expect(await rehearsal.returned(id)).toMatchObject({ state: 'refunded', refunds: [{ amount: eur(refunded) }] });
      expect((await rehearsal.order(order.id)).state).toBe('completed');
    },
  );

  test('Units picked short are refunded after the decision about a dispute, although the order was completed before', async (rehearsal) => {
    const order = await rehearsal.confirmed({
      lines: [
        { sku: 'mug-blue', qty: 1 },
        { sku: 'lamp-last-one', qty: 1 },
      ],
    });
    const first = await rehearsal.onlyFulfilment(order.id);
    const [{ id: paymentId }] = (await rehearsal.order(order.id)).payments;
    await rehearsal.api('capture-payment-api', { params: { id: paymentId } });
    await rehearsal.disputed(paymentId, 'general', 100);
    const picking = await rehearsal.short(order, first, 0, 1);
    await rehearsal.movePicking(picking.id, 'packed');
    await rehearsal.delivered(await rehearsal.handedOver(first));
    await rehearsal.settle();
    const completed = await rehearsal.order(order.id);
    expect(completed).toMatchObject({ state: 'completed', lines: [{ fulfilledQty: 1 }, { cancelledQty: 1 }] });
    expect((await rehearsal.payment(paymentId)).refunds).toEqual([]);
    await rehearsal.verify();
    await rehearsal.decided(paymentId, 'won');
    expect((await rehearsal.payment(paymentId)).refunds).toMatchObject([
      { amount: completed.lines[1]?.lineTotal, reason: 'Not delivered' },
    ]);
  });
});
