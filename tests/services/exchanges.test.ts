import { describe, expect, test } from '@jest/globals';
import { ADDRESS } from '../support/estate.ts';
import { euros, type ReturnScene, returning } from './return-scenes.ts';

interface Paid {
  readonly id: string;
  readonly tender: { readonly type: string };
  readonly state: string;
  readonly amount: { readonly amount: number };
  readonly refundedAmount: { readonly amount: number };
}

const paid = (order: { payments: Paid[] }) => order.payments.map(({ tender, state, amount }) => [tender.type, state, amount.amount]);
const refundedOf = async (scene: ReturnScene, id: string): Promise<number[]> =>
  (await scene.order(id)).payments.map(({ refundedAmount }: Paid) => refundedAmount.amount);

/** An inspected return of this number of mugs, waiting for its exchange. */
async function toExchange(scene: ReturnScene, qty = 2) {
  const order = await scene.completed();
  const { id: returnId } = await scene.requested(order, qty, { resolution: 'exchange' });
  await scene.moved(returnId, 'approve', 'receive', 'inspect');
  expect((await scene.object(returnId)).state).toBe('inspected');
  return { order, returnId };
}

async function basketOf(scene: ReturnScene, sku: string, qty: number, customerId = 'cus_ada'): Promise<string> {
  const { id } = await scene.rehearsal.ok('POST', '/baskets', { channel: 'web', customerId, lines: [{ sku, qty }] });
  await scene.rehearsal.ok('POST', `/baskets/${id}/checkout`, { shippingAddress: ADDRESS });
  return id;
}

const exchange = async (scene: ReturnScene, returnId: string, { sku = 'mug-blue', qty = 1 } = {}) =>
  scene.rehearsal.call('POST', '/orders', { basketId: await basketOf(scene, sku, qty), exchangeForReturnId: returnId });

describe('An exchange', () => {
  test('is paid with the value of the return; the surplus is refunded when the new order is confirmed', async () => {
    await using scene = await returning();
    const { order, returnId } = await toExchange(scene);
    const { status, body: draft } = await exchange(scene, returnId);
    expect([status, draft.state, draft.exchangeForReturnId, draft.totals.total.amount]).toEqual([201, 'draft', returnId, 1789]);
    expect(paid(draft)).toEqual([['exchange-credit', 'authorised', 1789]]);
    expect(draft.paymentStatus).toBe('authorised');
    const credit = await scene.rehearsal.object('payment', draft.payments[0].id);
    expect([credit.returnId, credit.orderId]).toEqual([returnId, draft.id]);
    expect((await scene.object(returnId)).state).toBe('inspected');
    await scene.rehearsal.ok('POST', `/orders/${draft.id}/confirm`);
    await scene.settle();
    expect(await scene.object(returnId)).toMatchObject({
      state: 'exchanged',
      exchangeOrderId: draft.id,
      refunds: [{ amount: euros(809) }],
    });
    expect(await scene.order(order.id)).toMatchObject({
      ...{ state: 'completed', paymentStatus: 'partially-refunded' },
      ...{ lines: [{ returnedQty: 2 }], returns: [{ state: 'exchanged' }] },
    });
    const [, , , , , last] = (await scene.eventsOf(returnId)).filter(([, from, to]) => from !== to);
    expect(last).toEqual(['ext.return-changed', 'inspected', 'exchanged']);
    await scene.rehearsal.verify();
  });

  test.each([
    { refunded: 3088, credit: [] },
    { refunded: 2000, credit: [['exchange-credit', 'authorised', 1088]] },
  ])('is paid with no more than the customer has not got back: $refunded of 3088 refunded', async ({ refunded, credit }) => {
    await using scene = await returning();
    const { order, returnId } = await toExchange(scene);
    const [payment] = (await scene.order(order.id)).payments;
    expect(payment.amount.amount).toBe(3088);
    await scene.rehearsal.ok('POST', `/payments/${payment.id}/refunds`, { amount: euros(refunded), reason: 'goodwill' });
    const { status, body: draft } = await exchange(scene, returnId);
    expect(status).toBe(201);
    expect(paid(draft)).toEqual(credit);
    await scene.rehearsal.verify();
  });

  test('that costs more is paid with a second tender', async () => {
    await using scene = await returning();
    const { order, returnId } = await toExchange(scene, 1);
    const { body: draft } = await exchange(scene, returnId, { qty: 2 });
    expect(paid(draft)).toEqual([['exchange-credit', 'authorised', 1299]]);
    const early = await scene.confirm(draft.id);
    expect([early.status, early.body.code, early.body.outstanding]).toEqual([409, 'payment_incomplete', euros(1789)]);
    await scene.authorise(draft.id);
    await scene.rehearsal.ok('POST', `/orders/${draft.id}/confirm`);
    await scene.settle();
    expect(await scene.object(returnId)).toMatchObject({ state: 'exchanged', refunds: [] });
    expect(await refundedOf(scene, order.id)).toEqual([0]);
    await scene.rehearsal.verify();
  });

  test('is captured and delivered like other orders, and earns points only for the other tenders', async () => {
    await using scene = await returning();
    const balance = async () => (await scene.rehearsal.ok('GET', '/members/loy_ada/balance')).pointsBalance;
    const before = await balance();
    const { returnId } = await toExchange(scene, 1);
    const { body: draft } = await exchange(scene, returnId, { qty: 2 });
    await scene.authorise(draft.id);
    const delivered = await scene.deliveredOrder(draft.id);
    await scene.settle();
    expect([delivered.state, delivered.paymentStatus]).toEqual(['completed', 'paid']);
    expect(paid(delivered)).toEqual([
      ['exchange-credit', 'captured', 1299],
      ['card', 'captured', 1789],
    ]);
    // Two mugs of the first order, and one mug paid with another tender.
    expect((await balance()) - before).toBe(25 + 12);
    await scene.rehearsal.verify();
  });

  test('whose goods come back leaves the member no points for them, and its shipping is not refunded', async () => {
    await using scene = await returning();
    const balance = async () => (await scene.rehearsal.ok('GET', '/members/loy_ada/balance')).pointsBalance;
    const before = await balance();
    const bought = await scene.completed([{ sku: 'mug-blue', qty: 1 }]);
    const { id: returnId } = await scene.requested(bought, 1, { resolution: 'exchange' });
    await scene.moved(returnId, 'approve', 'receive', 'inspect');
    const { body: draft } = await exchange(scene, returnId);
    await scene.authorise(draft.id);
    const delivered = await scene.deliveredOrder(draft.id);
    await scene.settle();
    expect(paid(delivered)).toEqual([
      ['exchange-credit', 'captured', 1299],
      ['card', 'captured', 490],
    ]);
    expect((await balance()) - before).toBe(12);
    const { id: second } = await scene.requested(delivered);
    await scene.moved(second, 'approve', 'receive', 'inspect');
    await scene.settle();
    expect([await refundedOf(scene, draft.id), await refundedOf(scene, bought.id)]).toEqual([[1299, 0], [1299]]);
    expect(await balance()).toBe(before);
    await scene.rehearsal.verify();
  });

  test('waits a week for its order and is then refunded', async () => {
    await using scene = await returning();
    const { order, returnId } = await toExchange(scene);
    await scene.rehearsal.advance('P6DT23H59M');
    expect((await scene.object(returnId)).state).toBe('inspected');
    await scene.rehearsal.advance('PT1M');
    expect((await scene.object(returnId)).state).toBe('refunded');
    expect(await refundedOf(scene, order.id)).toEqual([2598]);
    const { status, body } = await exchange(scene, returnId);
    expect([status, body.code, body.objectType, body.currentState]).toEqual([409, 'invalid_state_transition', 'return', 'refunded']);
    await scene.rehearsal.verify();
  });

  test('whose draft exists after a week is refunded only when that draft ends', async () => {
    await using scene = await returning();
    const { order, returnId } = await toExchange(scene);
    await scene.rehearsal.advance('P6DT12H');
    const { body: draft } = await exchange(scene, returnId);
    await scene.rehearsal.advance('PT13H');
    expect([(await scene.object(returnId)).state, await refundedOf(scene, order.id)]).toEqual(['inspected', [0]]);
    await scene.rehearsal.verify();
    // The draft expires a day after it was made.
    await scene.rehearsal.advance('PT11H');
    expect((await scene.order(draft.id)).state).toBe('cancelled');
    expect([(await scene.object(returnId)).state, await refundedOf(scene, order.id)]).toEqual(['refunded', [2598]]);
    await scene.rehearsal.verify();
  });

  test('whose draft is cancelled is refunded instead', async () => {
    await using scene = await returning();
    const { order, returnId } = await toExchange(scene);
    const { body: draft } = await exchange(scene, returnId);
    expect((await scene.cancel(draft.id)).status).toBe(200);
    await scene.settle();
    expect(paid(await scene.order(draft.id))).toEqual([['exchange-credit', 'voided', 1789]]);
    expect(await scene.object(returnId)).toMatchObject({ state: 'refunded', refunds: [{ amount: euros(2598) }] });
    expect(await refundedOf(scene, order.id)).toEqual([2598]);
    expect((await exchange(scene, returnId)).status).toBe(409);
    await scene.rehearsal.verify();
  });

  test('that is cancelled after confirmation returns the credit to the original payments', async () => {
    await using scene = await returning();
    const { order, returnId } = await toExchange(scene);
    const { body: draft } = await exchange(scene, returnId);
    await scene.rehearsal.ok('POST', `/orders/${draft.id}/confirm`);
    await scene.settle();
    expect(await refundedOf(scene, order.id)).toEqual([809]);
    await scene.cancel(draft.id);
    await scene.settle();
    expect(await refundedOf(scene, order.id)).toEqual([2598]);
    expect(await scene.object(returnId)).toMatchObject({ state: 'exchanged', refunds: [{ amount: euros(809) }, { amount: euros(1789) }] });
    await scene.rehearsal.verify();
  });

  test('that was captured returns refunds of its credit to the original payments, also for a return of the new order', async () => {
    await using scene = await returning();
    const { order, returnId } = await toExchange(scene, 1);
    const { body: draft } = await exchange(scene, returnId, { qty: 2 });
    await scene.authorise(draft.id);
    const delivered = await scene.deliveredOrder(draft.id);
    const back = async () => {
      const { id } = await scene.requested(delivered, 1);
      await scene.moved(id, 'approve', 'receive', 'inspect');
      expect((await scene.object(id)).state).toBe('refunded');
      return [await refundedOf(scene, draft.id), await refundedOf(scene, order.id)];
    };
    // The card paid for a mug and the shipping, the credit for the other mug.
    expect(await back()).toEqual([[0, 1299], [0]]);
    await scene.rehearsal.verify();
    const [credit] = (await scene.order(draft.id)).payments as Paid[];
    await scene.rehearsal.ok('POST', `/payments/${credit?.id}/refunds`, { amount: euros(490), reason: 'Goodwill' });
    await scene.settle();
    expect(await refundedOf(scene, order.id)).toEqual([490]);
    // Goodwill does not reduce the value of the goods: the rest is refunded to the card.
    expect(await back()).toEqual([[1299, 1789], [1299]]);
    await scene.rehearsal.verify();
  });

  test('whose credit is captured in part has the released rest refunded to the payments of the first order', async () => {
    await using scene = await returning();
    const { order, returnId } = await toExchange(scene);
    const { body: draft } = await exchange(scene, returnId);
    await scene.rehearsal.ok('POST', `/orders/${draft.id}/confirm`);
    await scene.settle();
    expect(await refundedOf(scene, order.id)).toEqual([809]);
    const [credit] = draft.payments as Paid[];
    const captured = await scene.rehearsal.ok('POST', `/payments/authorizations/${credit?.id}/capture`, { amount: euros(1000) });
    expect([captured.state, captured.capturedAmount]).toEqual(['captured', euros(1000)]);
    await scene.settle();
    expect(await refundedOf(scene, order.id)).toEqual([809 + 789]);
    const events = await scene.rehearsal.events({ subject: `payment/${credit?.id}`, ext: true });
    expect(events.map(({ type }) => type.replace('com.unified-commerce.', ''))).toEqual([
      'payment-authorized',
      'payment-captured',
      'ext.payment-changed',
    ]);
    await scene.rehearsal.verify();
  });

  test('whose return is exchanged again is refunded to the payments of the first order', async () => {
    await using scene = await returning();
    const first = await toExchange(scene, 2);
    const { body: draft } = await exchange(scene, first.returnId, { qty: 1 });
    const delivered = await scene.deliveredOrder(draft.id);
    const { id: second } = await scene.requested(delivered, 1, { resolution: 'exchange' });
    await scene.moved(second, 'approve', 'receive', 'inspect');
    const { body: another } = await exchange(scene, second, { qty: 1 });
    expect(paid(another)).toEqual([['exchange-credit', 'authorised', 1299]]);
    await scene.authorise(another.id);
    await scene.rehearsal.ok('POST', `/orders/${another.id}/confirm`);
    await scene.settle();
    await scene.cancel(another.id);
    await scene.settle();
    // 809 at the first exchange, 1299 from the second credit; 490 of shipping are not refunded.
    expect(await refundedOf(scene, first.order.id)).toEqual([2108]);
    await scene.rehearsal.verify();
  });

  test('whose goods are sold out at confirmation loses its credit and takes it again when they are back', async () => {
    await using scene = await returning();
    const { order, returnId } = await toExchange(scene, 2);
    const { body: draft } = await exchange(scene, returnId, { sku: 'lamp-last-one', qty: 1 });
    const [credit] = draft.payments as Paid[];
    expect(credit?.amount.amount).toBe(2598);
    await scene.authorise(draft.id);
    await scene.rehearsal.advance('PT16M');
    const hold = await scene.rehearsal.ok('POST', '/inventory/reservations', { items: [{ sku: 'lamp-last-one', qty: 1 }] });
    expect((await scene.confirm(draft.id)).status).toBe(409);
    await scene.settle();
    expect((await scene.order(draft.id)).payments.map(({ state }: Paid) => state)).toEqual(['voided', 'voided']);
    expect(await refundedOf(scene, order.id)).toEqual([0]);
    await scene.rehearsal.ok('DELETE', `/inventory/reservations/${hold.id}`);
    await scene.authorise(draft.id, draft.totals.total.amount - 2598);
    await scene.rehearsal.ok('POST', `/orders/${draft.id}/confirm`);
    await scene.settle();
    expect((await scene.object(returnId)).state).toBe('exchanged');
    expect((await scene.order(draft.id)).paymentStatus).toBe('authorised');
    await scene.rehearsal.verify();
  });
});

describe('Create Order for a return', () => {
  test.each([
    ['requested', []],
    ['approved', ['approve']],
    ['received', ['approve', 'receive']],
    ['rejected', ['reject']],
  ] as const)('that is %s is refused, and its basket does not change', async (state, verbs) => {
    await using scene = await returning();
    const order = await scene.completed();
    const { id } = await scene.requested(order, 1, { resolution: 'exchange' });
    await scene.moved(id, ...verbs);
    const basketId = await basketOf(scene, 'mug-blue', 1);
    const { status, body } = await scene.rehearsal.call('POST', '/orders', { basketId, exchangeForReturnId: id });
    expect([status, body.code, body.objectType, body.currentState, body.allowedFrom]).toEqual([
      ...[409, 'invalid_state_transition', 'return', state, ['inspected']],
    ]);
    expect((await scene.rehearsal.ok('POST', '/orders', { basketId })).exchangeForReturnId).toBeUndefined();
  });

  test('with resolution refund, or that is unknown, is refused', async () => {
    await using scene = await returning({ refund: 'manual' });
    const { id } = await scene.requested(await scene.completed(), 1);
    await scene.moved(id, 'approve', 'receive', 'inspect');
    const refund = await exchange(scene, id);
    expect([refund.status, refund.body.code, refund.body.objectType]).toEqual([409, 'invalid_state_transition', 'return']);
    const unknown = await exchange(scene, 'ret_nobody');
    expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found']);
  });

  test('succeeds once: of several concurrent requests one succeeds, and the baskets of the others stay in checkout', async () => {
    await using scene = await returning();
    const { returnId } = await toExchange(scene);
    const baskets = await Promise.all([1, 2, 3].map(() => basketOf(scene, 'mug-blue', 1)));
    const replies = await Promise.all(
      baskets.map((basketId) => scene.rehearsal.call('POST', '/orders', { basketId, exchangeForReturnId: returnId })),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
    const late = await scene.rehearsal.call('POST', '/orders', {
      ...{ basketId: await basketOf(scene, 'mug-blue', 1), exchangeForReturnId: returnId },
    });
    expect(late.body).toMatchObject({ objectType: 'return', currentState: 'inspected', allowedFrom: [] });
    const states = await Promise.all(baskets.map(async (id) => (await scene.rehearsal.object('basket', id)).state));
    expect(states.toSorted()).toEqual(['converted', 'locked', 'locked']);
    await scene.rehearsal.verify();
  });

  test('that paid for a cancelled order is refused, and the refusal says what happens to its value', async () => {
    await using scene = await returning({ refund: 'manual' });
    const { returnId } = await toExchange(scene);
    const { body: draft } = await exchange(scene, returnId);
    const living = await exchange(scene, returnId);
    expect([living.status, living.body.detail]).toEqual([409, `The return "${returnId}" already pays for the order "${draft.id}".`]);
    await scene.rehearsal.ok('POST', `/orders/${draft.id}/cancel`);
    await scene.settle();
    const { status, body } = await exchange(scene, returnId);
    expect([status, body.currentState, body.allowedFrom, body.detail]).toEqual([
      ...[409, 'inspected', []],
      `The return "${returnId}" paid for the order "${draft.id}", which was cancelled. A return pays for one order; this one is refunded instead, by Refund Payment where refunds are manual.`,
    ]);
    await scene.rehearsal.verify();
  });

  test('of a registered customer is refused for a basket of another customer or of a guest, without naming its customer', async () => {
    await using scene = await returning();
    const { returnId } = await toExchange(scene);
    const guest = await scene.rehearsal.ok('POST', '/baskets', { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] });
    await scene.rehearsal.ok('POST', `/baskets/${guest.id}/checkout`, { shippingAddress: ADDRESS });
    for (const basketId of [await basketOf(scene, 'mug-blue', 1, 'cus_ben'), guest.id]) {
      const refused = await scene.rehearsal.call('POST', '/orders', { basketId, exchangeForReturnId: returnId });
      expect([refused.status, refused.body.errors]).toEqual([
        422,
        [expect.objectContaining({ pointer: '/exchangeForReturnId', code: 'return_of_another' })],
      ]);
      expect(JSON.stringify(refused.body)).not.toContain('cus_');
      expect(await scene.rehearsal.object('basket', basketId)).toMatchObject({ state: 'locked' });
    }
    await scene.rehearsal.verify();
  });

  test('repeated for the same basket answers the same order, also with another return', async () => {
    await using scene = await returning();
    const { returnId } = await toExchange(scene);
    const basketId = await basketOf(scene, 'mug-blue', 1);
    const first = await scene.rehearsal.call('POST', '/orders', { basketId, exchangeForReturnId: returnId });
    const again = await scene.rehearsal.call('POST', '/orders', { basketId, exchangeForReturnId: returnId });
    expect([first.status, again.status, again.body.id]).toEqual([201, 200, first.body.id]);
    expect(paid(again.body)).toEqual([['exchange-credit', 'authorised', 1789]]);
    expect((await scene.rehearsal.call('POST', '/orders', { basketId })).body.id).toBe(first.body.id);
  });

  test('that is refused for its basket leaves the return to another basket', async () => {
    await using scene = await returning();
    const { returnId } = await toExchange(scene);
    const { id: open } = await scene.basket();
    const refused = await scene.rehearsal.call('POST', '/orders', { basketId: open, exchangeForReturnId: returnId });
    expect([refused.status, refused.body.objectType]).toEqual([409, 'basket']);
    expect((await exchange(scene, returnId)).status).toBe(201);
    await scene.rehearsal.verify();
  });

  test('takes the credit later when the Payment Hub is down: by due work or Confirm Order', async () => {
    await using scene = await returning();
    for (const later of ['by itself', 'confirm'] as const) {
      const { returnId } = await toExchange(scene);
      await scene.down('payment-hub');
      const { status, body: draft } = await exchange(scene, returnId);
      expect([status, draft.state, draft.paymentStatus]).toEqual([201, 'draft', 'unknown']);
      await scene.rehearsal.noFaults();
      if (later === 'by itself') await scene.rehearsal.advance('PT1M');
      const confirmed = await scene.rehearsal.ok('POST', `/orders/${draft.id}/confirm`);
      expect(paid(confirmed)).toEqual([['exchange-credit', 'authorised', 1789]]);
      await scene.settle();
      expect((await scene.object(returnId)).state).toBe('exchanged');
      await scene.rehearsal.verify();
    }
  });

  test('that is meanwhile paid by another tender succeeds, and the return is refunded in full', async () => {
    await using scene = await returning();
    const { order, returnId } = await toExchange(scene);
    await scene.rehearsal.fault('no-credit', { match: { application: 'payment-hub' }, fault: { kind: 'outage' } });
    const { body: draft } = await exchange(scene, returnId);
    await scene.rehearsal.noFaults();
    await scene.authorise(draft.id);
    await scene.rehearsal.ok('POST', `/orders/${draft.id}/confirm`);
    await scene.settle();
    expect((await scene.object(returnId)).state).toBe('exchanged');
    expect(paid(await scene.order(draft.id))).toEqual([['card', 'authorised', 1789]]);
    expect(await refundedOf(scene, order.id)).toEqual([2598]);
    await scene.rehearsal.verify();
  });
});

describe('While a return pays for another order', () => {
  test('the return cannot be rejected, and the value held by the credit cannot be refunded', async () => {
    await using scene = await returning();
    const { order, returnId } = await toExchange(scene);
    await exchange(scene, returnId);
    const rejected = await scene.move(returnId, 'reject');
    expect([rejected.status, rejected.body.code]).toEqual([409, 'invalid_state_transition']);
    expect((await scene.object(returnId)).state).toBe('inspected');
    const refund = (amount: number) =>
      scene.rehearsal.call('POST', `/payments/${order.payments[0].id}/refunds`, { amount: euros(amount), returnId });
    expect((await refund(810)).body.code).toBe('refund_exceeds_captured');
    expect((await refund(809)).status).toBe(201);
    await scene.rehearsal.verify();
  });

  test('the value held by the credit cannot be refunded without a returnId either, and the refusal says why', async () => {
    await using scene = await returning();
    const { order, returnId } = await toExchange(scene);
    const { body: draft } = await exchange(scene, returnId);
    await scene.rehearsal.ok('POST', `/orders/${draft.id}/confirm`);
    await scene.settle();
    const refund = (amount: number) =>
      scene.rehearsal.call('POST', `/payments/${order.payments[0].id}/refunds`, { amount: euros(amount), reason: 'goodwill' });
    // 3088 were paid, 809 of them refunded at the exchange, and 1789 pay for the exchange order.
    const refused = await refund(2279);
    expect(refused).toMatchObject({
      status: 409,
      body: {
        ...{ code: 'refund_exceeds_captured', objectType: 'order', id: order.id, retryable: false },
        ...{ refundableAmount: euros(490), exchangedAmount: euros(1789) },
      },
    });
    expect(refused.body.detail).toContain('exchange');
    expect((await refund(491)).status).toBe(409);
    expect((await refund(490)).status).toBe(201);
    await scene.cancel(draft.id);
    await scene.settle();
    expect(await refundedOf(scene, order.id)).toEqual([3088]);
    await scene.rehearsal.verify();
  });

  test('a refund of the credit reaches the card of the first order, whatever was refunded to it before', async () => {
    await using scene = await returning();
    const { order, returnId } = await toExchange(scene);
    const { body: draft } = await exchange(scene, returnId);
    const delivered = await scene.deliveredOrder(draft.id);
    await scene.rehearsal.call('POST', `/payments/${order.payments[0].id}/refunds`, { amount: euros(2279) });
    await scene.rehearsal.ok('POST', `/payments/${order.payments[0].id}/refunds`, { amount: euros(490) });
    await scene.rehearsal.ok('POST', `/payments/${delivered.payments[0].id}/refunds`, { amount: euros(1000) });
    await scene.settle();
    expect(await refundedOf(scene, order.id)).toEqual([809 + 490 + 1000]);
    await scene.rehearsal.verify();
  });

  test('another return of the first order is refunded with no more than the customer has not got back', async () => {
    await using scene = await returning();
    const { order, returnId } = await toExchange(scene, 1);
    const { body: draft } = await exchange(scene, returnId, { qty: 1 });
    await scene.rehearsal.ok('POST', `/payments/${order.payments[0].id}/refunds`, { amount: euros(1000) });
    const { id: other } = await scene.requested(order, 1);
    await scene.moved(other, 'approve', 'receive', 'inspect');
    // 3088 were paid: 1000 of goodwill and a credit of 1299 leave 789.
    expect(await scene.object(other)).toMatchObject({ state: 'refunded', refunds: [{ amount: euros(789) }] });
    expect(await refundedOf(scene, order.id)).toEqual([1789]);
    await scene.rehearsal.verify();
    await scene.cancel(draft.id);
    await scene.settle();
    expect(await refundedOf(scene, order.id)).toEqual([3088]);
    await scene.rehearsal.verify();
  });

  test('a refund of the other tenders of that order for this return is refused', async () => {
    await using scene = await returning();
    const { returnId } = await toExchange(scene, 1);
    const { body: draft } = await exchange(scene, returnId, { qty: 2 });
    await scene.authorise(draft.id);
    const { payments } = await scene.deliveredOrder(draft.id);
    const card = payments.find(({ tender }: Paid) => tender.type === 'card');
    const { status } = await scene.rehearsal.call('POST', `/payments/${card.id}/refunds`, { amount: euros(100), returnId });
    expect(status).toBe(404);
    await scene.rehearsal.verify();
  });
});
