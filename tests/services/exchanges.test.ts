import { describe, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { eur } from '../support/steps/tender.ts';

interface Paid {
  readonly id: string;
  readonly tender: { readonly type: string };
  readonly state: string;
  readonly amount: { readonly amount: number };
  readonly refundedAmount: { readonly amount: number };
}

const paid = (order: { payments: Paid[] }) => order.payments.map(({ tender, state, amount }) => [tender.type, state, amount.amount]);
const refundedOf = async (scene: TestRehearsal, id: string): Promise<number[]> =>
  (await scene.order(id)).payments.map(({ refundedAmount }: Paid) => refundedAmount.amount);

/** An inspected return of this number of mugs, waiting for its exchange. */
async function toExchange(scene: TestRehearsal, qty = 2) {
  const order = await scene.completed();
  const { id: returnId } = await scene.announced(order, qty, { resolution: 'exchange' });
  await scene.moved(returnId, 'approve', 'receive', 'inspect');
  expect((await scene.object('return', returnId)).state).toBe('inspected');
  return { order, returnId };
}

async function basketOf(scene: TestRehearsal, sku: string, qty: number, customerId = 'cus_ada'): Promise<string> {
  const { id } = await scene.checkedOut({ sku, qty, customerId });
  return id;
}

const exchange = async (scene: TestRehearsal, returnId: string, { sku = 'mug-blue', qty = 1 } = {}) =>
  scene.call('create-order-api', { body: { basketId: await basketOf(scene, sku, qty), exchangeForReturnId: returnId } });

describe('An exchange', () => {
  test('is paid with the value of the return; the surplus is refunded when the new order is confirmed', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { order, returnId } = await toExchange(scene);
    const { status, body: draft } = await exchange(scene, returnId);
    expect([status, draft.state, draft.exchangeForReturnId, draft.totals.total.amount]).toEqual([201, 'draft', returnId, 1789]);
    expect(paid(draft)).toEqual([['exchange-credit', 'authorised', 1789]]);
    expect(draft.paymentStatus).toBe('authorised');
    const credit = await scene.object('payment', draft.payments[0].id);
    expect([credit.returnId, credit.orderId]).toEqual([returnId, draft.id]);
    expect((await scene.object('return', returnId)).state).toBe('inspected');
    await scene.confirmed(draft.id);
    await scene.settle();
    expect(await scene.object('return', returnId)).toMatchObject({
      state: 'exchanged',
      exchangeOrderId: draft.id,
      refunds: [{ amount: eur(809) }],
    });
    expect(await scene.order(order.id)).toMatchObject({
      ...{ state: 'completed', paymentStatus: 'partially-refunded' },
      ...{ lines: [{ returnedQty: 2 }], returns: [{ state: 'exchanged' }] },
    });
    const [, , , , , last] = (await scene.returnEvents(returnId)).filter(([, from, to]) => from !== to);
    expect(last).toEqual(['ext.return-changed', 'inspected', 'exchanged']);
    await scene.verify();
  });

  test.each([
    { refunded: 3088, credit: [] },
    { refunded: 2000, credit: [['exchange-credit', 'authorised', 1088]] },
  ])('is paid with no more than the customer has not got back: $refunded of 3088 refunded', async ({ refunded, credit }) => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { order, returnId } = await toExchange(scene);
    const [payment] = (await scene.order(order.id)).payments;
    expect(payment.amount.amount).toBe(3088);
    await scene.api('refund-payment-api', { params: { id: payment.id }, body: { amount: eur(refunded), reason: 'goodwill' } });
    const { status, body: draft } = await exchange(scene, returnId);
    expect(status).toBe(201);
    expect(paid(draft)).toEqual(credit);
    await scene.verify();
  });

  test('that costs more is paid with a second tender', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { order, returnId } = await toExchange(scene, 1);
    const { body: draft } = await exchange(scene, returnId, { qty: 2 });
    expect(paid(draft)).toEqual([['exchange-credit', 'authorised', 1299]]);
    const early = await scene.confirm(draft.id);
    expect([early.status, early.body.code, early.body.outstanding]).toEqual([409, 'payment_incomplete', eur(1789)]);
    await scene.authorisation(draft.id);
    await scene.confirmed(draft.id);
    await scene.settle();
    expect(await scene.object('return', returnId)).toMatchObject({ state: 'exchanged', refunds: [] });
    expect(await refundedOf(scene, order.id)).toEqual([0]);
    await scene.verify();
  });

  test('is captured and delivered like other orders, and earns points only for the other tenders', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const balance = async () => (await scene.api('get-member-balance-api', { params: { id: 'loy_ada' } })).pointsBalance;
    const before = await balance();
    const { returnId } = await toExchange(scene, 1);
    const { body: draft } = await exchange(scene, returnId, { qty: 2 });
    await scene.authorisation(draft.id);
    const delivered = await scene.completedOrder(draft.id);
    await scene.settle();
    expect([delivered.state, delivered.paymentStatus]).toEqual(['completed', 'paid']);
    expect(paid(delivered)).toEqual([
      ['exchange-credit', 'captured', 1299],
      ['card', 'captured', 1789],
    ]);
    // Two mugs of the first order, and one mug paid with another tender.
    expect((await balance()) - before).toBe(25 + 12);
    await scene.verify();
  });

  test('whose goods come back leaves the member no points for them, and its shipping is not refunded', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const balance = async () => (await scene.api('get-member-balance-api', { params: { id: 'loy_ada' } })).pointsBalance;
    const before = await balance();
    const bought = await scene.completed([{ sku: 'mug-blue', qty: 1 }]);
    const { id: returnId } = await scene.announced(bought, 1, { resolution: 'exchange' });
    await scene.moved(returnId, 'approve', 'receive', 'inspect');
    const { body: draft } = await exchange(scene, returnId);
    await scene.authorisation(draft.id);
    const delivered = await scene.completedOrder(draft.id);
    await scene.settle();
    expect(paid(delivered)).toEqual([
      ['exchange-credit', 'captured', 1299],
      ['card', 'captured', 490],
    ]);
    expect((await balance()) - before).toBe(12);
    const { id: second } = await scene.announced(delivered);
    await scene.moved(second, 'approve', 'receive', 'inspect');
    await scene.settle();
    expect([await refundedOf(scene, draft.id), await refundedOf(scene, bought.id)]).toEqual([[1299, 0], [1299]]);
    expect(await balance()).toBe(before);
    await scene.verify();
  });

  test('waits a week for its order and is then refunded', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { order, returnId } = await toExchange(scene);
    await scene.advance('P6DT23H59M');
    expect((await scene.object('return', returnId)).state).toBe('inspected');
    await scene.advance('PT1M');
    expect((await scene.object('return', returnId)).state).toBe('refunded');
    expect(await refundedOf(scene, order.id)).toEqual([2598]);
    const { status, body } = await exchange(scene, returnId);
    expect([status, body.code, body.objectType, body.currentState]).toEqual([409, 'invalid_state_transition', 'return', 'refunded']);
    await scene.verify();
  });

  test('whose draft exists after a week is refunded only when that draft ends', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { order, returnId } = await toExchange(scene);
    await scene.advance('P6DT12H');
    const { body: draft } = await exchange(scene, returnId);
    await scene.advance('PT13H');
    expect([(await scene.object('return', returnId)).state, await refundedOf(scene, order.id)]).toEqual(['inspected', [0]]);
    await scene.verify();
    // The draft expires a day after it was made.
    await scene.advance('PT11H');
    expect((await scene.order(draft.id)).state).toBe('cancelled');
    expect([(await scene.object('return', returnId)).state, await refundedOf(scene, order.id)]).toEqual(['refunded', [2598]]);
    await scene.verify();
  });

  test('whose draft is cancelled is refunded instead', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { order, returnId } = await toExchange(scene);
    const { body: draft } = await exchange(scene, returnId);
    expect((await scene.cancel(draft.id)).status).toBe(200);
    await scene.settle();
    expect(paid(await scene.order(draft.id))).toEqual([['exchange-credit', 'voided', 1789]]);
    expect(await scene.object('return', returnId)).toMatchObject({ state: 'refunded', refunds: [{ amount: eur(2598) }] });
    expect(await refundedOf(scene, order.id)).toEqual([2598]);
    expect((await exchange(scene, returnId)).status).toBe(409);
    await scene.verify();
  });

  test('that is cancelled after confirmation returns the credit to the original payments', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { order, returnId } = await toExchange(scene);
    const { body: draft } = await exchange(scene, returnId);
    await scene.confirmed(draft.id);
    await scene.settle();
    expect(await refundedOf(scene, order.id)).toEqual([809]);
    await scene.cancel(draft.id);
    await scene.settle();
    expect(await refundedOf(scene, order.id)).toEqual([2598]);
    expect(await scene.object('return', returnId)).toMatchObject({
      state: 'exchanged',
      refunds: [{ amount: eur(809) }, { amount: eur(1789) }],
    });
    await scene.verify();
  });

  test('that was captured returns refunds of its credit to the original payments, also for a return of the new order', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { order, returnId } = await toExchange(scene, 1);
    const { body: draft } = await exchange(scene, returnId, { qty: 2 });
    await scene.authorisation(draft.id);
    const delivered = await scene.completedOrder(draft.id);
    const back = async () => {
      const { id } = await scene.announced(delivered, 1);
      await scene.moved(id, 'approve', 'receive', 'inspect');
      expect((await scene.object('return', id)).state).toBe('refunded');
      return [await refundedOf(scene, draft.id), await refundedOf(scene, order.id)];
    };
    // The card paid for a mug and the shipping, the credit for the other mug.
    expect(await back()).toEqual([[0, 1299], [0]]);
    await scene.verify();
    const [credit] = (await scene.order(draft.id)).payments as Paid[];
    await scene.api('refund-payment-api', { params: { id: credit?.id ?? '' }, body: { amount: eur(490), reason: 'Goodwill' } });
    await scene.settle();
    expect(await refundedOf(scene, order.id)).toEqual([490]);
    // Goodwill does not reduce the value of the goods: the rest is refunded to the card.
    expect(await back()).toEqual([[1299, 1789], [1299]]);
    await scene.verify();
  });

  test('whose credit is captured in part has the released rest refunded to the payments of the first order', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { order, returnId } = await toExchange(scene);
    const { body: draft } = await exchange(scene, returnId);
    await scene.confirmed(draft.id);
    await scene.settle();
    expect(await refundedOf(scene, order.id)).toEqual([809]);
    const [credit] = draft.payments as Paid[];
    const captured = await scene.api('capture-payment-api', { params: { id: credit?.id ?? '' }, body: { amount: eur(1000) } });
    expect([captured.state, captured.capturedAmount]).toEqual(['captured', eur(1000)]);
    await scene.settle();
    expect(await refundedOf(scene, order.id)).toEqual([809 + 789]);
    const events = await scene.events({ subject: `payment/${credit?.id}`, ext: true });
    expect(events.map(({ type }) => type.replace('com.unified-commerce.', ''))).toEqual([
      'payment-authorized',
      'payment-captured',
      'ext.payment-changed',
    ]);
    await scene.verify();
  });

  test('whose return is exchanged again is refunded to the payments of the first order', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const first = await toExchange(scene, 2);
    const { body: draft } = await exchange(scene, first.returnId, { qty: 1 });
    const delivered = await scene.completedOrder(draft.id);
    const { id: second } = await scene.announced(delivered, 1, { resolution: 'exchange' });
    await scene.moved(second, 'approve', 'receive', 'inspect');
    const { body: another } = await exchange(scene, second, { qty: 1 });
    expect(paid(another)).toEqual([['exchange-credit', 'authorised', 1299]]);
    await scene.authorisation(another.id);
    await scene.confirmed(another.id);
    await scene.settle();
    await scene.cancel(another.id);
    await scene.settle();
    // 809 at the first exchange, 1299 from the second credit; 490 of shipping are not refunded.
    expect(await refundedOf(scene, first.order.id)).toEqual([2108]);
    await scene.verify();
  });

  test('whose goods are sold out at confirmation loses its credit and takes it again when they are back', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { order, returnId } = await toExchange(scene, 2);
    const { body: draft } = await exchange(scene, returnId, { sku: 'lamp-last-one', qty: 1 });
    const [credit] = draft.payments as Paid[];
    expect(credit?.amount.amount).toBe(2598);
    await scene.authorisation(draft.id);
    await scene.advance('PT16M');
    const hold = await scene.api('reserve-inventory-api', { body: { items: [{ sku: 'lamp-last-one', qty: 1 }] } });
    expect((await scene.confirm(draft.id)).status).toBe(409);
    await scene.settle();
    expect((await scene.order(draft.id)).payments.map(({ state }: Paid) => state)).toEqual(['voided', 'voided']);
    expect(await refundedOf(scene, order.id)).toEqual([0]);
    await scene.api('release-reservation-api', { params: { id: hold.id } });
    await scene.authorisation(draft.id, draft.totals.total.amount - 2598);
    await scene.confirmed(draft.id);
    await scene.settle();
    expect((await scene.object('return', returnId)).state).toBe('exchanged');
    expect((await scene.order(draft.id)).paymentStatus).toBe('authorised');
    await scene.verify();
  });
});

describe('Create Order for a return', () => {
  test.each([
    ['requested', []],
    ['approved', ['approve']],
    ['received', ['approve', 'receive']],
    ['rejected', ['reject']],
  ] as const)('that is %s is refused, and its basket does not change', async (state, verbs) => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed();
    const { id } = await scene.announced(order, 1, { resolution: 'exchange' });
    await scene.moved(id, ...verbs);
    const basketId = await basketOf(scene, 'mug-blue', 1);
    const { status, body } = await scene.call('create-order-api', { body: { basketId, exchangeForReturnId: id } });
    expect([status, body.code, body.objectType, body.currentState, body.allowedFrom]).toEqual([
      ...[409, 'invalid_state_transition', 'return', state, ['inspected']],
    ]);
    expect((await scene.draft(basketId)).exchangeForReturnId).toBeUndefined();
  });

  test('with resolution refund, or that is unknown, is refused', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual', refund: 'manual' });
    const { id } = await scene.announced(await scene.completed(), 1);
    await scene.moved(id, 'approve', 'receive', 'inspect');
    const refund = await exchange(scene, id);
    expect([refund.status, refund.body.code, refund.body.objectType]).toEqual([409, 'invalid_state_transition', 'return']);
    const unknown = await exchange(scene, 'ret_nobody');
    expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found']);
  });

  test('succeeds once: of several concurrent requests one succeeds, and the baskets of the others stay in checkout', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { returnId } = await toExchange(scene);
    const baskets = await Promise.all([1, 2, 3].map(() => basketOf(scene, 'mug-blue', 1)));
    const replies = await Promise.all(
      baskets.map((basketId) => scene.call('create-order-api', { body: { basketId, exchangeForReturnId: returnId } })),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
    const late = await scene.call('create-order-api', {
      body: {
        ...{ basketId: await basketOf(scene, 'mug-blue', 1), exchangeForReturnId: returnId },
      },
    });
    expect(late.body).toMatchObject({ objectType: 'return', currentState: 'inspected', allowedFrom: [] });
    const states = await Promise.all(baskets.map(async (id) => (await scene.object('basket', id)).state));
    expect(states.toSorted()).toEqual(['converted', 'locked', 'locked']);
    await scene.verify();
  });

  test('that paid for a cancelled order is refused, and the refusal says what happens to its value', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual', refund: 'manual' });
    const { returnId } = await toExchange(scene);
    const { body: draft } = await exchange(scene, returnId);
    const living = await exchange(scene, returnId);
    expect([living.status, living.body.detail]).toEqual([409, `The return "${returnId}" already pays for the order "${draft.id}".`]);
    await scene.api('cancel-order-api', { params: { id: draft.id } });
    await scene.settle();
    const { status, body } = await exchange(scene, returnId);
    expect([status, body.currentState, body.allowedFrom, body.detail]).toEqual([
      ...[409, 'inspected', []],
      `The return "${returnId}" paid for the order "${draft.id}", which was cancelled. A return pays for one order; this one is refunded instead, by Refund Payment where refunds are manual.`,
    ]);
    await scene.verify();
  });

  test('of a registered customer is refused for a basket of another customer or of a guest, without naming its customer', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { returnId } = await toExchange(scene);
    const guest = await scene.api('create-basket-api', { body: { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] } });
    await scene.checkedOut(guest.id);
    for (const basketId of [await basketOf(scene, 'mug-blue', 1, 'cus_ben'), guest.id]) {
      const refused = await scene.call('create-order-api', { body: { basketId, exchangeForReturnId: returnId } });
      expect([refused.status, refused.body.errors]).toEqual([
        422,
        [expect.objectContaining({ pointer: '/exchangeForReturnId', code: 'return_of_another' })],
      ]);
      expect(JSON.stringify(refused.body)).not.toContain('cus_');
      expect(await scene.object('basket', basketId)).toMatchObject({ state: 'locked' });
    }
    await scene.verify();
  });

  test('repeated for the same basket answers the same order, also with another return', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { returnId } = await toExchange(scene);
    const basketId = await basketOf(scene, 'mug-blue', 1);
    const first = await scene.call('create-order-api', { body: { basketId, exchangeForReturnId: returnId } });
    const again = await scene.call('create-order-api', { body: { basketId, exchangeForReturnId: returnId } });
    expect([first.status, again.status, again.body.id]).toEqual([201, 200, first.body.id]);
    expect(paid(again.body)).toEqual([['exchange-credit', 'authorised', 1789]]);
    expect((await scene.call('create-order-api', { body: { basketId } })).body.id).toBe(first.body.id);
  });

  test('that is refused for its basket leaves the return to another basket', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { returnId } = await toExchange(scene);
    const { id: open } = await scene.basket();
    const refused = await scene.call('create-order-api', { body: { basketId: open, exchangeForReturnId: returnId } });
    expect([refused.status, refused.body.objectType]).toEqual([409, 'basket']);
    expect((await exchange(scene, returnId)).status).toBe(201);
    await scene.verify();
  });

  test('takes the credit later when the Payment Hub is down: by due work or Confirm Order', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    for (const later of ['by itself', 'confirm'] as const) {
      const { returnId } = await toExchange(scene);
      await scene.down('payment-hub');
      const { status, body: draft } = await exchange(scene, returnId);
      expect([status, draft.state, draft.paymentStatus]).toEqual([201, 'draft', 'unknown']);
      await scene.noFaults();
      if (later === 'by itself') await scene.advance('PT1M');
      const confirmed = await scene.confirmed(draft.id);
      expect(paid(confirmed)).toEqual([['exchange-credit', 'authorised', 1789]]);
      await scene.settle();
      expect((await scene.object('return', returnId)).state).toBe('exchanged');
      await scene.verify();
    }
  });

  test('that is meanwhile paid by another tender succeeds, and the return is refunded in full', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { order, returnId } = await toExchange(scene);
    await scene.fault('no-credit', { match: { application: 'payment-hub' }, fault: { kind: 'outage' } });
    const { body: draft } = await exchange(scene, returnId);
    await scene.noFaults();
    await scene.authorisation(draft.id);
    await scene.confirmed(draft.id);
    await scene.settle();
    expect((await scene.object('return', returnId)).state).toBe('exchanged');
    expect(paid(await scene.order(draft.id))).toEqual([['card', 'authorised', 1789]]);
    expect(await refundedOf(scene, order.id)).toEqual([2598]);
    await scene.verify();
  });
});

describe('While a return pays for another order', () => {
  test('the return cannot be rejected, and the value held by the credit cannot be refunded', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { order, returnId } = await toExchange(scene);
    await exchange(scene, returnId);
    const rejected = await scene.move(returnId, 'reject');
    expect([rejected.status, rejected.body.code]).toEqual([409, 'invalid_state_transition']);
    expect((await scene.object('return', returnId)).state).toBe('inspected');
    const refund = (amount: number) =>
      scene.call('refund-payment-api', { params: { id: order.payments[0].id }, body: { amount: eur(amount), returnId } });
    expect((await refund(810)).body.code).toBe('refund_exceeds_captured');
    expect((await refund(809)).status).toBe(201);
    await scene.verify();
  });

  test('the value held by the credit cannot be refunded without a returnId either, and the refusal says why', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { order, returnId } = await toExchange(scene);
    const { body: draft } = await exchange(scene, returnId);
    await scene.confirmed(draft.id);
    await scene.settle();
    const refund = (amount: number) =>
      scene.call('refund-payment-api', {
        params: { id: order.payments[0].id },
        body: { amount: eur(amount), reason: 'goodwill' },
      });
    // 3088 were paid, 809 of them refunded at the exchange, and 1789 pay for the exchange order.
    const refused = await refund(2279);
    expect(refused).toMatchObject({
      status: 409,
      body: {
        ...{ code: 'refund_exceeds_captured', objectType: 'order', id: order.id, retryable: false },
        ...{ refundableAmount: eur(490), exchangedAmount: eur(1789) },
      },
    });
    expect(refused.body.detail).toContain('exchange');
    expect((await refund(491)).status).toBe(409);
    expect((await refund(490)).status).toBe(201);
    await scene.cancel(draft.id);
    await scene.settle();
    expect(await refundedOf(scene, order.id)).toEqual([3088]);
    await scene.verify();
  });

  test('a refund of the credit reaches the card of the first order, whatever was refunded to it before', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { order, returnId } = await toExchange(scene);
    const { body: draft } = await exchange(scene, returnId);
    const delivered = await scene.completedOrder(draft.id);
    await scene.call('refund-payment-api', { params: { id: order.payments[0].id }, body: { amount: eur(2279) } });
    await scene.api('refund-payment-api', { params: { id: order.payments[0].id }, body: { amount: eur(490) } });
    await scene.api('refund-payment-api', { params: { id: delivered.payments[0].id }, body: { amount: eur(1000) } });
    await scene.settle();
    expect(await refundedOf(scene, order.id)).toEqual([809 + 490 + 1000]);
    await scene.verify();
  });

  test('another return of the first order is refunded with no more than the customer has not got back', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { order, returnId } = await toExchange(scene, 1);
    const { body: draft } = await exchange(scene, returnId, { qty: 1 });
    await scene.api('refund-payment-api', { params: { id: order.payments[0].id }, body: { amount: eur(1000) } });
    const { id: other } = await scene.announced(order, 1);
    await scene.moved(other, 'approve', 'receive', 'inspect');
    // 3088 were paid: 1000 of goodwill and a credit of 1299 leave 789.
    expect(await scene.object('return', other)).toMatchObject({ state: 'refunded', refunds: [{ amount: eur(789) }] });
    expect(await refundedOf(scene, order.id)).toEqual([1789]);
    await scene.verify();
    await scene.cancel(draft.id);
    await scene.settle();
    expect(await refundedOf(scene, order.id)).toEqual([3088]);
    await scene.verify();
  });

  test('a refund of the other tenders of that order for this return is refused', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { returnId } = await toExchange(scene, 1);
    const { body: draft } = await exchange(scene, returnId, { qty: 2 });
    await scene.authorisation(draft.id);
    const { payments } = await scene.completedOrder(draft.id);
    const card = payments.find(({ tender }: Paid) => tender.type === 'card');
    const { status } = await scene.call('refund-payment-api', {
      params: { id: card?.id ?? '' },
      body: { amount: eur(100), returnId },
    });
    expect(status).toBe(404);
    await scene.verify();
  });
});
