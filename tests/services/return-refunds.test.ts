import { describe, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { eur } from '../support/steps/tender.ts';

interface Paid {
  readonly id: string;
  readonly tender: { readonly type: string };
  readonly refundedAmount: { readonly amount: number };
}

/** A completed order of two mugs (2598, and 490 for shipping), paid by several tenders in the given order. */
async function paidBy(
  scene: TestRehearsal,
  ...tenders: readonly (readonly [type: 'bnpl' | 'card' | 'gift-card' | 'loyalty', token: string | undefined, amount: number])[]
) {
  const { id } = await scene.draft({ lines: [{ sku: 'mug-blue', qty: 2 }] });
  for (const [type, token, amount] of tenders) {
    await scene.api('authorize-payment-api', {
      body: {
        orderId: id,
        tender: { type, ...(token !== undefined && { token }) },
        amount: eur(amount),
      },
    });
  }
  // The bnpl provider takes a minute.
  await scene.advance('PT2M');
  return scene.completedOrder(id);
}

const inspected = async (scene: TestRehearsal, order: Parameters<TestRehearsal['announced']>[0], qty: number): Promise<string> => {
  const { id } = await scene.announced(order, qty);
  await scene.moved(id, 'approve', 'receive', 'inspect');
  return id;
};

const refunded = async (scene: TestRehearsal, orderId: string) =>
  (await scene.order(orderId)).payments.map(({ tender, refundedAmount }: Paid) => [tender.type, refundedAmount.amount]);

const refund = (scene: TestRehearsal, paymentId: string, amount: number, returnId?: string, headers: Record<string, string> = {}) =>
  scene.call('refund-payment-api', {
    params: { id: paymentId },
    body: { amount: eur(amount), ...(returnId !== undefined && { returnId }) },
    headers,
  });

describe('An inspected return', () => {
  test('is refunded to the card first, then to the others in the order of their tenders', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { redemption } = await scene.api('redeem-loyalty-points-api', { params: { id: 'loy_ada' }, body: { points: 300 } });
    const order = await paidBy(
      scene,
      ['loyalty', redemption.id, 300],
      ['gift-card', 'gift_5', 500],
      ['bnpl', undefined, 1288],
      ['card', 'tok_visa', 1000],
    );
    await inspected(scene, order, 1);
    expect(await refunded(scene, order.id)).toEqual([
      ['loyalty', 0],
      ['gift-card', 0],
      ['bnpl', 299],
      ['card', 1000],
    ]);
    await inspected(scene, order, 1);
    expect(await refunded(scene, order.id)).toEqual([
      ['loyalty', 0],
      ['gift-card', 310],
      ['bnpl', 1288],
      ['card', 1000],
    ]);
    const { paymentStatus, state } = await scene.order(order.id);
    // The shipping is not refunded.
    expect([state, paymentStatus]).toEqual(['completed', 'partially-refunded']);
    await scene.verify();
  });

  test('is named on every refund, and lists its refunds', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await paidBy(scene, ['gift-card', 'gift_5', 500], ['card', 'tok_visa', 2588]);
    const id = await inspected(scene, order, 2);
    const [giftCard, card] = order.payments as Paid[];
    expect((await scene.object('return', id)).refunds).toEqual(
      [
        { paymentId: giftCard?.id, amount: eur(10), at: expect.any(String) },
        { paymentId: card?.id, amount: eur(2588), at: expect.any(String) },
      ].toReversed(),
    );
    expect((await scene.object('payment', card?.id ?? '')).refunds).toMatchObject([{ returnId: id, amount: eur(2588) }]);
  });

  test('without a refundable remainder counts as refunded', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed();
    await refund(scene, order.payments[0].id, 3088);
    const id = await inspected(scene, order, 1);
    expect(await scene.object('return', id)).toMatchObject({ state: 'refunded', refunds: [] });
    expect(await scene.order(order.id)).toMatchObject({ state: 'completed', paymentStatus: 'refunded', lines: [{ returnedQty: 1 }] });
    await scene.verify();
  });

  test('is refunded up to the remaining amount', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed();
    await refund(scene, order.payments[0].id, 3000);
    const id = await inspected(scene, order, 1);
    expect(await scene.object('return', id)).toMatchObject({ state: 'refunded', refunds: [{ amount: eur(88) }] });
    await scene.verify();
  });

  test('is refunded when the Payment Hub is back', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed();
    await scene.down('payment-hub');
    const id = await inspected(scene, order, 1);
    expect((await scene.object('return', id)).state).toBe('inspected');
    await scene.noFaults();
    await scene.advance('PT10M');
    expect((await scene.object('return', id)).state).toBe('refunded');
    expect(await refunded(scene, order.id)).toEqual([['card', 1299]]);
    await scene.verify();
  });

  test('is refunded once when answers are lost', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await paidBy(scene, ['gift-card', 'gift_5', 500], ['card', 'tok_visa', 2588]);
    const { id } = await scene.announced(order, 2);
    await scene.moved(id, 'approve', 'receive');
    await scene.fault('lost', { match: { api: 'refund-payment-api' }, fault: { kind: 'lost-response' }, times: 2 });
    await scene.fault('lost-too', { match: { api: 'close-return' }, fault: { kind: 'lost-response' }, times: 1 });
    await scene.moved(id, 'inspect');
    await scene.advance('PT1H');
    expect((await scene.object('return', id)).state).toBe('refunded');
    expect(await refunded(scene, order.id)).toEqual([
      ['gift-card', 10],
      ['card', 2588],
    ]);
    await scene.verify();
  });

  test('takes back the points that its goods earned', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const balance = async () => (await scene.api('get-member-balance-api', { params: { id: 'loy_ada' } })).pointsBalance;
    const before = await balance();
    const order = await scene.completed();
    await scene.settle();
    expect((await balance()) - before).toBe(25);
    await inspected(scene, order, 1);
    expect((await balance()) - before).toBe(12);
    await inspected(scene, order, 1);
    expect((await balance()) - before).toBe(0);
    await scene.verify();
  });
});

describe('In a rehearsal that refunds by hand', () => {
  test('a return waits for Refund Payment with its id, in parts', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual', refund: 'manual' });
    const order = await scene.completed();
    const id = await inspected(scene, order, 1);
    const paymentId = order.payments[0].id;
    expect((await scene.object('return', id)).state).toBe('inspected');
    const { waiting } = (await scene.verify()).invariants.find((one) => one.id === 'moving') ?? {};
    expect(waiting).toEqual([`order/${order.id}: a caller of Refund Payment, return/${id} is inspected`]);
    expect((await refund(scene, paymentId, 1000, id)).status).toBe(201);
    await scene.settle();
    expect(await scene.object('return', id)).toMatchObject({ state: 'inspected', refunds: [{ paymentId, amount: eur(1000) }] });
    expect((await refund(scene, paymentId, 299, id)).status).toBe(201);
    await scene.settle();
    expect(await scene.object('return', id)).toMatchObject({ state: 'refunded', refunds: [{}, {}] });
    expect(await scene.order(order.id)).toMatchObject({ state: 'completed', lines: [{ returnedQty: 1 }] });
    await scene.verify();
  });

  test('a return ends when a refund without its id has left too little for it', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual', refund: 'manual' });
    const order = await scene.completed();
    const paymentId = order.payments[0].id;
    const id = await inspected(scene, order, 2);
    await refund(scene, paymentId, 1000);
    await refund(scene, paymentId, order.totals.total.amount - 1000, id);
    await scene.settle();
    expect((await scene.order(order.id)).payments[0].state).toBe('fully-refunded');
    expect(await scene.object('return', id)).toMatchObject({
      state: 'refunded',
      refunds: [{ amount: eur(order.totals.total.amount - 1000) }],
    });
    expect(await scene.order(order.id)).toMatchObject({ state: 'completed', lines: [{ returnedQty: 2 }] });
    await scene.verify();
  });

  test('a refund before the inspection counts', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual', refund: 'manual' });
    const order = await scene.completed();
    const { id } = await scene.announced(order, 1);
    await refund(scene, order.payments[0].id, 1299, id);
    await scene.settle();
    expect((await scene.object('return', id)).refunds).toHaveLength(1);
    await scene.moved(id, 'approve', 'receive', 'inspect');
    expect((await scene.object('return', id)).state).toBe('refunded');
    await scene.verify();
  });

  test('two concurrent refunds never exceed the value of the return', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual', refund: 'manual' });
    const order = await paidBy(scene, ['gift-card', 'gift_50', 1500], ['card', 'tok_visa', 1588]);
    const id = await inspected(scene, order, 1);
    const [giftCard, card] = order.payments as Paid[];
    await scene.fault('together', { match: { api: 'refund-payment-api' }, fault: { kind: 'barrier', parties: 2 }, times: 2 });
    const replies = await Promise.all([refund(scene, giftCard?.id ?? '', 900, id), refund(scene, card?.id ?? '', 900, id)]);
    await scene.noFaults();
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    const refused = replies.find(({ status }) => status === 409)?.body;
    expect([refused.code, refused.refundableAmount]).toEqual(['refund_exceeds_captured', eur(399)]);
    await scene.verify();
  });
});

describe('A refund by a client', () => {
  test('beside a refund by the OMS completes the value of the return, and no more', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed();
    const { id } = await scene.announced(order, 2);
    await scene.moved(id, 'approve', 'receive');
    await Promise.all([scene.move(id, 'inspect'), ...Array.from({ length: 4 }, () => refund(scene, order.payments[0].id, 700, id))]);
    await scene.settle();
    await scene.advance('PT1H');
    expect((await scene.object('return', id)).state).toBe('refunded');
    expect(await refunded(scene, order.id)).toEqual([['card', 2598]]);
    await scene.verify();
  });

  test('for a return of another order, or an unknown one, is refused', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual', refund: 'manual' });
    const [order, other] = [await scene.completed(), await scene.completed()];
    const id = await inspected(scene, other, 1);
    const refusals = [await refund(scene, order.payments[0].id, 100, id), await refund(scene, order.payments[0].id, 100, 'ret_nobody')];
    expect(refusals.map(({ status }) => status >= 400 && status < 500)).toEqual([true, true]);
    await scene.verify();
  });
});
