import { describe, expect } from '@jest/globals';
import type { ProgressionInput } from '../../shared/catalog/control/progression.ts';
import { byHand } from '../support/steps/by-hand.ts';
import { typesOf } from '../support/steps/events.ts';
import { eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

interface Paid {
  readonly tender: { readonly type: string };
  readonly state: string;
  readonly amount: { readonly amount: number };
}
const paid = (order: { payments: Paid[] }) => order.payments.map(({ tender, state, amount }) => `${tender.type} ${state} ${amount.amount}`);

const LAMP = { sku: 'lamp-last-one', qty: 1 };
/** Two mugs and their shipping, and one mug and its shipping. */
const [BOUGHT, ONE] = [3088, 1789];
const MUG = 1299;
/** The surplus of the value of two mugs after the exchange. */
const SURPLUS = 2 * MUG - ONE;

async function opened(progression: ProgressionInput = {}) {
  const rehearsal = await byHand(progression);
  const { api, call, inspected } = rehearsal;
  const basketOf = async (sku: string, qty: number, customerId = 'cus_ada') => (await rehearsal.checkedOut({ sku, qty, customerId })).id;
  const order = (basketId: string, exchangeForReturnId: string) => call('create-order-api', { body: { basketId, exchangeForReturnId } });
  const exchange = async (returnId: string, qty = 1, sku = 'mug-blue') => order(await basketOf(sku, qty), returnId);
  return {
    ...rehearsal,
    basketOf,
    orderFor: order,
    exchange,
    exchanged: async (exchangeForReturnId: string, qty = 1, sku = 'mug-blue') =>
      api('create-order-api', { body: { basketId: await basketOf(sku, qty), exchangeForReturnId } }),
    /** An inspected return of one or two of two mugs, which waits for its exchange. */
    toExchange: async (qty = 2) => {
      const bought = await rehearsal.completed();
      return { order: bought, returnId: await inspected(bought, qty, { resolution: 'exchange' }) };
    },
    confirmedAndSettled: async (id: string) => {
      await rehearsal.confirmed(id);
      await rehearsal.settle();
    },
    cancelledAndSettled: async (id: string) => {
      expect((await rehearsal.cancel(id)).status).toBe(200);
      await rehearsal.settle();
    },
    refundedOf: async (id: string) => (await rehearsal.order(id)).payments.map(({ refundedAmount }) => refundedAmount.amount),
    balance: async () => (await api('get-member-balance-api', { params: { id: 'loy_ada' } })).pointsBalance,
  };
}
const test = testIn(opened);

describe('Exchanges', () => {
  test('An exchange is paid with the value of the return; the surplus is refunded with the confirmation', async (rehearsal) => {
    const { order, returnId } = await rehearsal.toExchange();
    const draft = await rehearsal.exchanged(returnId);
    expect(draft).toMatchObject({
      ...{ state: 'draft', exchangeForReturnId: returnId, paymentStatus: 'authorised', totals: { total: eur(ONE) } },
    });
    expect(paid(draft)).toEqual([`exchange-credit authorised ${ONE}`]);
    expect(await rehearsal.object('payment', draft.payments[0].id)).toMatchObject({ returnId, orderId: draft.id });
    expect(await rehearsal.returnState(returnId)).toBe('inspected');
    await rehearsal.confirmedAndSettled(draft.id);
    const exchanged = { state: 'exchanged', exchangeOrderId: draft.id, refunds: [{ amount: eur(SURPLUS) }] };
    expect(await rehearsal.returned(returnId)).toMatchObject(exchanged);
    const first = {
      state: 'completed',
      paymentStatus: 'partially-refunded',
      lines: [{ returnedQty: 2 }],
      returns: [{ state: 'exchanged' }],
    };
    expect(await rehearsal.order(order.id)).toMatchObject(first);
    const moves = (await rehearsal.returnEvents(returnId)).filter(([, from, to]) => from !== to);
    expect(moves.at(-1)).toEqual(['ext.return-changed', 'inspected', 'exchanged']);
  });

  test.each([
    { refunded: BOUGHT, credit: [] },
    { refunded: 2000, credit: [`exchange-credit authorised ${BOUGHT - 2000}`] },
  ])(
    'The credit of an exchange is at most what can still be refunded to the customer, after refunds of $refunded of 3088',
    async (rehearsal, { refunded, credit }) => {
      const { order, returnId } = await rehearsal.toExchange();
      await rehearsal.refunded(order.payments[0].id, refunded);
      expect(paid(await rehearsal.exchanged(returnId))).toEqual(credit);
    },
  );

  test('A more expensive exchange is paid with a second tender, earns points for that tender, and is refunded to its own tenders', async (rehearsal) => {
    const before = await rehearsal.balance();
    const { order, returnId } = await rehearsal.toExchange(1);
    const draft = await rehearsal.exchanged(returnId, 2);
    expect(paid(draft)).toEqual([`exchange-credit authorised ${MUG}`]);
    const early = await rehearsal.confirm(draft.id);
    expect(early).toMatchObject({ status: 409, body: { code: 'payment_incomplete', outstanding: eur(BOUGHT - MUG) } });
    await rehearsal.authorisation(draft.id);
    const delivered = await rehearsal.completedOrder(draft.id);
    expect(await rehearsal.returned(returnId)).toMatchObject({ state: 'exchanged', refunds: [] });
    expect([delivered.state, delivered.paymentStatus]).toEqual(['completed', 'paid']);
    expect(paid(delivered)).toEqual([`exchange-credit captured ${MUG}`, `card captured ${BOUGHT - MUG}`]);
    await rehearsal.settle();
    // Two mugs of the first order, and one mug paid with another tender.
    expect((await rehearsal.balance()) - before).toBe(25 + 12);
    const back = async () => {
      expect(await rehearsal.returnState(await rehearsal.inspected(delivered))).toBe('refunded');
      return [await rehearsal.refundedOf(draft.id), await rehearsal.refundedOf(order.id)];
    };
    // The card paid for a mug and the shipping, the credit for the other mug.
    expect(await back()).toEqual([[0, MUG], [0]]);
    await rehearsal.verify();
    await rehearsal.refunded(delivered.payments[0].id, 490);
    await rehearsal.settle();
    expect(await rehearsal.refundedOf(order.id)).toEqual([490]);
    // Goodwill does not reduce the value of the goods: the rest is refunded to the card.
    expect(await back()).toEqual([[MUG, ONE], [MUG]]);
    // One mug of the first order is left.
    await rehearsal.settle();
    expect((await rehearsal.balance()) - before).toBe(12);
  });

  test('A return waits a week for its exchange and is then refunded', async (rehearsal) => {
    const { order, returnId } = await rehearsal.toExchange();
    await rehearsal.advance('P6DT23H59M');
    expect(await rehearsal.returnState(returnId)).toBe('inspected');
    await rehearsal.advance('PT1M');
    expect([await rehearsal.returnState(returnId), await rehearsal.refundedOf(order.id)]).toEqual(['refunded', [2 * MUG]]);
    const late = { code: 'invalid_state_transition', objectType: 'return', currentState: 'refunded' };
    expect(await rehearsal.exchange(returnId)).toMatchObject({ status: 409, body: late });
  });

  test('A return whose exchange is a draft after a week is refunded only when the draft ends', async (rehearsal) => {
    const { order, returnId } = await rehearsal.toExchange();
    await rehearsal.advance('P6DT12H');
    const draft = await rehearsal.exchanged(returnId);
    await rehearsal.advance('PT13H');
    expect([await rehearsal.returnState(returnId), await rehearsal.refundedOf(order.id)]).toEqual(['inspected', [0]]);
    await rehearsal.verify();
    // The draft expires a day after it was made.
    await rehearsal.advance('PT11H');
    expect((await rehearsal.order(draft.id)).state).toBe('cancelled');
    expect([await rehearsal.returnState(returnId), await rehearsal.refundedOf(order.id)]).toEqual(['refunded', [2 * MUG]]);
  });

  test('A return whose exchange is cancelled as a draft pays for no other order', async (rehearsal) => {
    await rehearsal.progress({ refund: 'manual' });
    const { returnId } = await rehearsal.toExchange();
    const draft = await rehearsal.exchanged(returnId);
    const living = await rehearsal.exchange(returnId);
    expect([living.status, living.body.detail]).toEqual([409, `The return "${returnId}" already pays for the order "${draft.id}".`]);
    await rehearsal.cancelledAndSettled(draft.id);
    const { status, body } = await rehearsal.exchange(returnId);
    expect([status, body.currentState, body.allowedFrom, body.detail]).toEqual([
      ...[409, 'inspected', []],
      `The return "${returnId}" paid for the order "${draft.id}", which was cancelled. A return pays for one order; this one is refunded instead, by Refund Payment where refunds are manual.`,
    ]);
  });

  test.each(['draft', 'confirmed'])(
    'An exchange that is cancelled as a %s order returns its credit to the original payments',
    async (rehearsal, state) => {
      const { order, returnId } = await rehearsal.toExchange();
      const draft = await rehearsal.exchanged(returnId);
      if (state === 'confirmed') await rehearsal.confirmedAndSettled(draft.id);
      await rehearsal.cancelledAndSettled(draft.id);
      expect(await rehearsal.refundedOf(order.id)).toEqual([2 * MUG]);
      expect(await rehearsal.returned(returnId)).toMatchObject(
        state === 'confirmed'
          ? { state: 'exchanged', refunds: [{ amount: eur(SURPLUS) }, { amount: eur(ONE) }] }
          : { state: 'refunded', refunds: [{ amount: eur(2 * MUG) }] },
      );
    },
  );

  test('The released rest of a partly captured credit is refunded to the original payments', async (rehearsal) => {
    const { order, returnId } = await rehearsal.toExchange();
    const { id, payments } = await rehearsal.exchanged(returnId);
    await rehearsal.confirmedAndSettled(id);
    const [credit] = payments;
    const captured = await rehearsal.api('capture-payment-api', { params: { id: credit.id }, body: { amount: eur(1000) } });
    expect(captured).toMatchObject({ state: 'captured', capturedAmount: eur(1000) });
    await rehearsal.settle();
    expect(await rehearsal.refundedOf(order.id)).toEqual([SURPLUS + ONE - 1000]);
    const events = await rehearsal.events({ subject: `payment/${credit.id}`, ext: true });
    expect(typesOf(events)).toEqual(['payment-authorized', 'payment-captured', 'ext.payment-changed']);
  });

  test('The credit of a return that is exchanged again is refunded to the payments of the first order', async (rehearsal) => {
    const first = await rehearsal.toExchange();
    const draft = await rehearsal.exchanged(first.returnId);
    const delivered = await rehearsal.completedOrder(draft.id);
    const another = await rehearsal.exchanged(await rehearsal.inspected(delivered, 1, { resolution: 'exchange' }));
    expect(paid(another)).toEqual([`exchange-credit authorised ${MUG}`]);
    await rehearsal.authorisation(another.id);
    await rehearsal.confirmedAndSettled(another.id);
    await rehearsal.cancelledAndSettled(another.id);
    // The surplus of the first exchange and the second credit; the shipping is not refunded.
    expect(await rehearsal.refundedOf(first.order.id)).toEqual([SURPLUS + MUG]);
  });

  test('An exchange whose goods are sold out at confirmation loses its credit, and gets the credit again when the goods are available', async (rehearsal) => {
    const { order, returnId } = await rehearsal.toExchange();
    const draft = await rehearsal.exchanged(returnId, 1, LAMP.sku);
    expect(draft.payments[0].amount).toEqual(eur(2 * MUG));
    await rehearsal.authorisation(draft.id);
    await rehearsal.advance('PT16M');
    const taken = await rehearsal.api('reserve-inventory-api', { body: { items: [LAMP] } });
    expect((await rehearsal.confirm(draft.id)).status).toBe(409);
    await rehearsal.settle();
    expect((await rehearsal.order(draft.id)).payments).toMatchObject([{ state: 'voided' }, { state: 'voided' }]);
    expect(await rehearsal.refundedOf(order.id)).toEqual([0]);
    await rehearsal.api('release-reservation-api', { params: { id: taken.id } });
    await rehearsal.authorisation(draft.id, draft.totals.total.amount - 2 * MUG);
    await rehearsal.confirmedAndSettled(draft.id);
    expect(await rehearsal.returnState(returnId)).toBe('exchanged');
    expect((await rehearsal.order(draft.id)).paymentStatus).toBe('authorised');
  });
});

describe('Create Order for a return', () => {
  test.each([
    ['requested', []],
    ['rejected', ['reject']],
  ] as const)('Create Order refuses a return that is %s, and leaves the basket as it was', async (rehearsal, currentState, verbs) => {
    const { id } = await rehearsal.announced(await rehearsal.completed(), 1, { resolution: 'exchange' });
    await rehearsal.moved(id, ...verbs);
    const basketId = await rehearsal.basketOf('mug-blue', 1);
    const { status, body } = await rehearsal.orderFor(basketId, id);
    expect([status, body.code, body.objectType, body.currentState, body.allowedFrom]).toEqual([
      ...[409, 'invalid_state_transition', 'return', currentState, ['inspected']],
    ]);
    expect((await rehearsal.draft(basketId)).exchangeForReturnId).toBeUndefined();
  });

  test('Create Order refuses a return that is to be refunded', async (rehearsal) => {
    await rehearsal.progress({ refund: 'manual' });
    const refused = await rehearsal.exchange(await rehearsal.inspected(await rehearsal.completed()));
    expect(refused).toMatchObject({ status: 409, body: { code: 'invalid_state_transition', objectType: 'return' } });
  });

  test('Of three concurrent Create Order for one return one succeeds, and the other baskets stay in checkout', async (rehearsal) => {
    const { returnId } = await rehearsal.toExchange();
    const baskets = await Promise.all([1, 2, 3].map(() => rehearsal.basketOf('mug-blue', 1)));
    const replies = await Promise.all(baskets.map((basketId) => rehearsal.orderFor(basketId, returnId)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
    const late = await rehearsal.exchange(returnId);
    expect([late.body.objectType, late.body.currentState, late.body.allowedFrom]).toEqual(['return', 'inspected', []]);
    const states = await Promise.all(baskets.map(async (id) => (await rehearsal.object('basket', id)).state));
    expect(states.toSorted()).toEqual(['converted', 'locked', 'locked']);
  });

  test('Create Order refuses the return of a registered customer for other customers and guests, and names no customer', async (rehearsal) => {
    const { returnId } = await rehearsal.toExchange();
    const guest = await rehearsal.api('create-basket-api', { body: { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] } });
    await rehearsal.checkedOut(guest.id);
    for (const basketId of [await rehearsal.basketOf('mug-blue', 1, 'cus_ben'), guest.id]) {
      const refused = await rehearsal.orderFor(basketId, returnId);
      expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: '/exchangeForReturnId', code: 'return_of_another' }] } });
      expect(JSON.stringify(refused.body)).not.toContain('cus_');
      expect(await rehearsal.object('basket', basketId)).toMatchObject({ state: 'locked' });
    }
  });

  test('Create Order refused for its basket leaves the return available to another basket', async (rehearsal) => {
    const { returnId } = await rehearsal.toExchange();
    const { id: open } = await rehearsal.basket();
    expect(await rehearsal.orderFor(open, returnId)).toMatchObject({ status: 409, body: { objectType: 'basket' } });
    expect((await rehearsal.exchange(returnId)).status).toBe(201);
  });

  test.each(['due work', 'Confirm Order'])(
    'An exchange made while the Payment Hub is down gets its credit later, by %s',
    async (rehearsal, later) => {
      const { returnId } = await rehearsal.toExchange();
      await rehearsal.down('payment-hub');
      const draft = await rehearsal.exchanged(returnId);
      expect([draft.state, draft.paymentStatus]).toEqual(['draft', 'unknown']);
      await rehearsal.noFaults();
      if (later === 'due work') await rehearsal.advance('PT1M');
      expect(paid(await rehearsal.confirmed(draft.id))).toEqual([`exchange-credit authorised ${ONE}`]);
      await rehearsal.settle();
      expect(await rehearsal.returnState(returnId)).toBe('exchanged');
    },
  );

  test('A return whose exchange was paid by another tender is refunded in full', async (rehearsal) => {
    const { order, returnId } = await rehearsal.toExchange();
    await rehearsal.down('payment-hub');
    const draft = await rehearsal.exchanged(returnId);
    await rehearsal.noFaults();
    await rehearsal.authorisation(draft.id);
    await rehearsal.confirmedAndSettled(draft.id);
    expect([await rehearsal.returnState(returnId), await rehearsal.refundedOf(order.id)]).toEqual(['exchanged', [2 * MUG]]);
    expect(paid(await rehearsal.order(draft.id))).toEqual([`card authorised ${ONE}`]);
  });
});

describe('Returns that pay for another order', () => {
  test('A return that pays for an order is not rejected, and its credit is not refunded to the first order, with its id or without', async (rehearsal) => {
    const { order, returnId } = await rehearsal.toExchange();
    const draft = await rehearsal.exchanged(returnId);
    expect(await rehearsal.move(returnId, 'reject')).toMatchObject({ status: 409, body: { code: 'invalid_state_transition' } });
    const refund = (amount: number, more = {}) => rehearsal.refund(order.payments[0].id, amount, more);
    const ofReturn = { code: 'refund_exceeds_captured', objectType: 'return', id: returnId, exchangedAmount: eur(ONE) };
    expect(await refund(SURPLUS + 1, { returnId })).toMatchObject({ status: 409, body: { ...ofReturn, refundableAmount: eur(SURPLUS) } });
    expect((await refund(SURPLUS, { returnId })).status).toBe(201);
    expect(await refund(1, { returnId })).toMatchObject({ status: 409, body: { ...ofReturn, refundableAmount: eur(0) } });
    await rehearsal.confirmedAndSettled(draft.id);
    const left = BOUGHT - SURPLUS - ONE;
    const refused = await refund(left + ONE);
    expect(refused).toMatchObject({ status: 409, body: { code: 'refund_exceeds_captured', objectType: 'order', id: order.id } });
    expect(refused.body).toMatchObject({ refundableAmount: eur(left), exchangedAmount: eur(ONE), retryable: false });
    expect(refused.body.detail).toContain('exchange');
    expect((await refund(BOUGHT)).body).toMatchObject({ refundableAmount: eur(left), exchangedAmount: eur(ONE) });
    expect([(await refund(left + 1)).status, (await refund(left)).status]).toEqual([409, 201]);
    await rehearsal.cancelledAndSettled(draft.id);
    expect(await rehearsal.refundedOf(order.id)).toEqual([BOUGHT]);
  });

  test('A second return of the first order is refunded at most the amount that can still be refunded', async (rehearsal) => {
    const { order, returnId } = await rehearsal.toExchange(1);
    const draft = await rehearsal.exchanged(returnId);
    await rehearsal.refunded(order.payments[0].id, 1000);
    const left = BOUGHT - 1000 - MUG;
    const other = await rehearsal.inspected(order);
    expect(await rehearsal.returned(other)).toMatchObject({ state: 'refunded', refunds: [{ amount: eur(left) }] });
    expect(await rehearsal.refundedOf(order.id)).toEqual([1000 + left]);
    await rehearsal.verify();
    await rehearsal.cancelledAndSettled(draft.id);
    expect(await rehearsal.refundedOf(order.id)).toEqual([BOUGHT]);
  });
});
