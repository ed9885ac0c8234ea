import { describe, expect } from '@jest/globals';
import type { ProgressionInput } from '../../shared/catalog/control/progression.ts';
import { DRY } from '../support/dry-run.ts';
import { byHand } from '../support/steps/by-hand.ts';
import { eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

type Tender = { type: 'bnpl'; token?: string } | { type: 'card' | 'gift-card' | 'loyalty'; token: string };
const VISA: Tender = { type: 'card', token: 'tok_visa' };
const GIFT_5: Tender = { type: 'gift-card', token: 'gift_5' };

/** Two mugs, in cents, and their shipping. */
const [MUGS, SHIPPING] = [2598, 490];
const TOTAL = MUGS + SHIPPING;

async function opened(progression: ProgressionInput = {}) {
  const rehearsal = await byHand(progression);
  return {
    ...rehearsal,
    /** A completed order of two mugs, paid by several tenders one after the other. */
    paidBy: async (...tenders: readonly (readonly [tender: Tender, amount: number])[]) => {
      const { id } = await rehearsal.draft();
      for (const [tender, amount] of tenders) await rehearsal.authorisation(id, amount, tender);
      // The bnpl provider takes a minute.
      await rehearsal.advance('PT2M');
      return rehearsal.completedOrder(id);
    },
    refunds: async (orderId: string) =>
      (await rehearsal.order(orderId)).payments.map(({ tender, refundedAmount }) => `${tender.type} ${refundedAmount.amount}`),
    balance: async () => (await rehearsal.api('get-member-balance-api', { params: { id: 'loy_ada' } })).pointsBalance,
  };
}
const test = testIn(opened);

describe('Refunds of inspected returns', () => {
  test('A dry run refuses a refund beyond the value of its return, as the call does', async (rehearsal) => {
    const order = await rehearsal.paidBy([{ type: 'card', token: 'tok_refund_later' }, TOTAL]);
    const returnId = await rehearsal.inspected(order);
    const asked = { params: { id: (await rehearsal.order(order.id)).payments[0]?.id ?? '' }, body: { amount: eur(100), returnId } };
    const answers = [
      await rehearsal.call('refund-payment-api', { ...asked, query: DRY }),
      await rehearsal.call('refund-payment-api', asked),
    ];
    expect(answers).toMatchObject(Array(2).fill({ status: 409, body: { code: 'refund_exceeds_captured' } }));
  });

  test('A return is refunded to the card first, then to the other tenders in their fixed sequence, without shipping', async (rehearsal) => {
    const { redemption } = await rehearsal.api('redeem-loyalty-points-api', { params: { id: 'loy_ada' }, body: { points: 300 } });
    const points: Tender = { type: 'loyalty', token: redemption.id };
    const order = await rehearsal.paidBy([points, 300], [GIFT_5, 500], [{ type: 'bnpl' }, 1288], [VISA, 1000]);
    await rehearsal.inspected(order);
    expect(await rehearsal.refunds(order.id)).toEqual(['loyalty 0', 'gift-card 0', 'bnpl 299', 'card 1000']);
    await rehearsal.inspected(order);
    expect(await rehearsal.refunds(order.id)).toEqual(['loyalty 0', 'gift-card 310', 'bnpl 1288', 'card 1000']);
    expect(await rehearsal.order(order.id)).toMatchObject({ state: 'completed', paymentStatus: 'partially-refunded' });
  });

  test.each([
    [TOTAL, []],
    [3000, [{ amount: eur(88) }]],
  ])('A return after refunds of %i of 3088 is refunded up to the rest', async (rehearsal, before, refunds) => {
    const order = await rehearsal.completed();
    await rehearsal.refunded(order.payments[0].id, before);
    const id = await rehearsal.inspected(order);
    expect(await rehearsal.returned(id)).toMatchObject({ state: 'refunded', refunds });
    expect(await rehearsal.order(order.id)).toMatchObject({ state: 'completed', paymentStatus: 'refunded', lines: [{ returnedQty: 1 }] });
  });

  test('A refund takes back the points that the returned goods earned', async (rehearsal) => {
    const before = await rehearsal.balance();
    const order = await rehearsal.completed();
    await rehearsal.settle();
    expect((await rehearsal.balance()) - before).toBe(25);
    await rehearsal.inspected(order);
    expect((await rehearsal.balance()) - before).toBe(12);
    await rehearsal.inspected(order);
    expect((await rehearsal.balance()) - before).toBe(0);
  });
});

describe('Refunds by hand', () => {
  test('A return waits for Refund Payment with its id, in parts', async (rehearsal) => {
    await rehearsal.progress({ refund: 'manual' });
    const order = await rehearsal.completed();
    const id = await rehearsal.inspected(order);
    const paymentId = order.payments[0].id;
    const { waiting } = (await rehearsal.verify()).invariants.find((one) => one.id === 'moving') ?? {};
    expect(waiting).toEqual([`order/${order.id}: a caller of Refund Payment, return/${id} is inspected`]);
    await rehearsal.refunded(paymentId, 1000, id);
    await rehearsal.settle();
    expect(await rehearsal.returned(id)).toMatchObject({ state: 'inspected', refunds: [{ paymentId, amount: eur(1000) }] });
    await rehearsal.refunded(paymentId, 299, id);
    await rehearsal.settle();
    expect(await rehearsal.returned(id)).toMatchObject({ state: 'refunded', refunds: [{}, {}] });
    expect(await rehearsal.order(order.id)).toMatchObject({ state: 'completed', lines: [{ returnedQty: 1 }] });
  });

  test('A return ends when a refund without its id has left too little to refund', async (rehearsal) => {
    await rehearsal.progress({ refund: 'manual' });
    const order = await rehearsal.completed();
    const paymentId = order.payments[0].id;
    const id = await rehearsal.inspected(order, 2);
    await rehearsal.refunded(paymentId, 1000);
    await rehearsal.refunded(paymentId, TOTAL - 1000, id);
    await rehearsal.settle();
    expect(await rehearsal.returned(id)).toMatchObject({ state: 'refunded', refunds: [{ amount: eur(TOTAL - 1000) }] });
    const ended = { state: 'completed', lines: [{ returnedQty: 2 }], payments: [{ state: 'fully-refunded' }] };
    expect(await rehearsal.order(order.id)).toMatchObject(ended);
  });

  test.each(['refund', 'exchange'] as const)(
    'A return for %s that was refunded before its inspection ends with it',
    async (rehearsal, resolution) => {
      await rehearsal.progress({ refund: resolution === 'refund' ? 'manual' : 'auto' });
      const order = await rehearsal.completed();
      const { id } = await rehearsal.announced(order, 1, { resolution });
      await rehearsal.refunded(order.payments[0].id, 1299, id);
      await rehearsal.settle();
      expect((await rehearsal.returned(id)).refunds).toHaveLength(1);
      await rehearsal.moved(id, 'approve', 'receive', 'inspect');
      expect([await rehearsal.returnState(id), (await rehearsal.order(order.id)).state]).toEqual(['refunded', 'completed']);
    },
  );

  test('Two concurrent refunds never exceed the value of the return', async (rehearsal) => {
    await rehearsal.progress({ refund: 'manual' });
    const { id: orderId, payments, lines } = await rehearsal.paidBy([{ type: 'gift-card', token: 'gift_50' }, 1500], [VISA, 1588]);
    const returnId = await rehearsal.inspected({ id: orderId, lines });
    await rehearsal.fault('together', { match: { api: 'refund-payment-api' }, fault: { kind: 'barrier', parties: 2 }, times: 2 });
    const replies = await Promise.all(payments.map(({ id }) => rehearsal.refund(id, 900, { returnId })));
    await rehearsal.noFaults();
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    const refused = replies.find(({ status }) => status === 409)?.body;
    expect(refused).toMatchObject({ code: 'refund_exceeds_captured', refundableAmount: eur(399) });
  });

  test('Refunds by a client and by the OMS together equal the value of the return', async (rehearsal) => {
    const order = await rehearsal.completed();
    const { id } = await rehearsal.announced(order, 2);
    await rehearsal.moved(id, 'approve', 'receive');
    const byClient = Array.from({ length: 4 }, () => rehearsal.refund(order.payments[0].id, 700, { returnId: id }));
    await Promise.all([rehearsal.move(id, 'inspect'), ...byClient]);
    await rehearsal.advance('PT1H');
    expect([await rehearsal.returnState(id), await rehearsal.refunds(order.id)]).toEqual(['refunded', [`card ${MUGS}`]]);
  });

  test('Refund Payment refuses the return of another order', async (rehearsal) => {
    await rehearsal.progress({ refund: 'manual' });
    const [order, other] = [await rehearsal.completed(), await rehearsal.completed()];
    const refused = await rehearsal.refund(order.payments[0].id, 100, { returnId: await rehearsal.inspected(other) });
    expect(refused).toMatchObject({ status: 404, body: { objectType: 'return' } });
  });
});
