import { describe, expect } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { typesOf } from '../support/steps/events.ts';
import { CASH, card, eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

const MUG = { sku: 'mug-blue', qty: 1 };
const LINES = { lines: [MUG] };
const TILL = { storeId: 'store-01', laneId: 'lane-1' };
const UNSOLD = { onHand: 50, reserved: 0 };

const open = (rehearsal: TestRehearsal, body: object) => rehearsal.call('create-transaction-api', { body: { ...TILL, ...body } });
/** A sale of two mugs for 25.98, and 10.00 in cash. */
const begun = async (rehearsal: TestRehearsal) => {
  const sale = await rehearsal.sale();
  await rehearsal.pay(sale.id, CASH, 1000);
  return sale;
};

describe('Create Transaction', () => {
  test('Create Transaction returns a draft order and reserves the stock of the store without a time limit', async (rehearsal) => {
    const bars = (qty: number) => ({ sku: 'chocolate-dark', qty });
    const order = await rehearsal.sale({ lines: [{ sku: 'mug-blue', qty: 2 }, bars(2), bars(1)] });
    const totals = { subtotal: eur(3948), discount: eur(450), shipping: eur(0), total: eur(3498) };
    const shown = { state: 'draft', channel: 'pos', storeId: 'store-01', totals };
    expect(order).toMatchObject({ id: expect.stringMatching(/^ord_/), ...shown, payments: [], paymentStatus: 'unpaid' });
    expect(order.lines).toMatchObject([
      { sku: 'mug-blue', qty: 2, nodeId: 'store-01', fulfilledQty: 0 },
      { ...bars(3), lineTotal: eur(900) },
    ]);
    expect(order.fulfillmentOrders).toBeUndefined();
    const basket = { state: 'locked', channel: 'pos', storeId: 'store-01', transactionId: order.id };
    expect(await rehearsal.object('basket', order.basketId)).toMatchObject({ ...basket, reservationId: order.lines[0].reservationId });
    expect(await rehearsal.call('get-order-api', { params: { id: order.id } })).toMatchObject({ status: 404 });
    expect(typesOf(await rehearsal.events())).toEqual(['inventory-reserved', 'reservation-created', 'checkout-started']);
    await rehearsal.advance('PT2H');
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 2 });
  });

  test('Create Transaction accepts an open basket, with the loyalty card of a member', async (rehearsal) => {
    const lines = [{ sku: 'wine-red', qty: 1 }];
    const basket = await rehearsal.api('create-basket-api', { body: { channel: 'app', lines } });
    const order = await rehearsal.sale({ basketId: basket.id, loyaltyId: '2990000123459' });
    expect(order).toMatchObject({ basketId: basket.id, customerId: 'cus_ada', loyaltyAccountId: 'loy_ada', channel: 'pos' });
    expect(order).toMatchObject({ totals: { total: eur(1450) }, lines: [{ lineId: basket.lines[0].lineId, sku: 'wine-red' }] });
  });

  test('Create Transaction completes a sale that costs nothing, and the answer has its receipt', async (rehearsal) => {
    const gift = { name: 'Gift', kind: 'percent-off', percent: 100, skus: ['sea-salt'], priority: 70, stackable: true };
    const always = { activeFrom: '-P1D', activeTo: 'P1D' };
    await rehearsal.control('change-promotion-by-hand', { params: { id: 'gift' }, body: { ...gift, ...always } });
    const body = { ...TILL, lines: [{ sku: 'sea-salt', qty: 2 }] };
    const first = await rehearsal.call('create-transaction-api', { body, headers: { 'idempotency-key': 'gift' } });
    expect(first).toMatchObject({ status: 201, body: { state: 'completed', paymentStatus: 'paid', totals: { total: eur(0) } } });
    expect(first.body.receipt).toMatchObject({ number: expect.stringMatching(/-0001$/), tenders: [], totals: { total: eur(0) } });
    expect((await rehearsal.call('create-transaction-api', { body, headers: { 'idempotency-key': 'gift' } })).body).toEqual(first.body);
    const { receipt: _receipt, ...order } = first.body;
    expect(await rehearsal.order(order.id)).toEqual(order);
    expect((await rehearsal.sale()).receipt).toBeUndefined();
  });

  test('Create Transaction refuses the card of another member than the registered customer of the basket', async (rehearsal) => {
    const basketOf = async (customerId?: string) => (await rehearsal.basket({ customerId, lines: [MUG] })).id;
    const refused = await open(rehearsal, { basketId: await basketOf('cus_ben'), loyaltyId: 'loy_ada' });
    const detail = expect.stringContaining('belongs to another registered customer');
    expect(refused).toMatchObject({ status: 409, body: { code: 'invalid_state_transition', action: 'start-transaction', detail } });
    const blocked = await open(rehearsal, { basketId: await basketOf('cus_mallory'), loyaltyId: 'loy_ada' });
    expect(blocked).toMatchObject({ status: 409, body: { code: 'customer_blocked' } });
    expect((await open(rehearsal, { basketId: await basketOf(), loyaltyId: 'loy_ada' })).body.customerId).toBe('cus_ada');
  });

  const unknownStore = {
    errors: [{ pointer: '/storeId', code: 'unknown_store' }],
    detail: expect.stringMatching(/store-01, store-02, store-03/),
  };
  test.each<[string, object, number, object]>([
    ['a distribution center', { ...LINES, storeId: 'dc-01' }, 422, unknownStore],
    ['neither lines nor a basket', {}, 422, { code: 'validation_failed' }],
    ['lines and a basket', { ...LINES, basketId: 'bsk_1' }, 422, { code: 'validation_failed' }],
    ['a line with too many units', { lines: [MUG, { sku: 'mug-blue', qty: 9_999 }] }, 422, { code: 'validation_failed' }],
    ['a draft product', { lines: [MUG, { sku: 'radio-draft', qty: 1 }] }, 404, { code: 'not_found', objectType: 'product' }],
  ])('Create Transaction refuses %s and publishes nothing', async (rehearsal, _, body, status, problem) => {
    expect((await open(rehearsal, body)).body).toMatchObject({ status, ...problem });
    expect(await rehearsal.events()).toEqual([]);
  });

  test('Create Transaction refuses a basket that is empty, in checkout, ordered or of a blocked customer, and reserves nothing', async (rehearsal) => {
    for (const [basketId, problem] of [
      [(await rehearsal.basket({ lines: [] })).id, { code: 'basket_empty', objectType: 'basket' }],
      [(await rehearsal.sale()).basketId, { currentState: 'locked', action: 'start-transaction' }],
      [(await rehearsal.draft()).basketId, { currentState: 'converted', allowedFrom: ['open'] }],
      [(await rehearsal.basket({ customerId: 'cus_mallory' })).id, { code: 'customer_blocked' }],
    ] as const) {
      const before = await rehearsal.reserved('mug-blue');
      expect((await open(rehearsal, { basketId })).body).toMatchObject({ status: 409, ...problem });
      expect(await rehearsal.reserved('mug-blue')).toBe(before);
    }
  });
});

test('Add Payment accepts several tenders, and the last one submits the sale and ships the goods', async (rehearsal) => {
  const { id, orderNumber } = await rehearsal.sale();
  const { body: cash } = await rehearsal.pay(id, CASH, 1000);
  expect(cash).toMatchObject({ state: 'authorised', outstanding: eur(1598), transactionState: 'open', orderSubmission: 'none' });
  expect(cash.receipt).toBeUndefined();
  const declined = card('tok_decline_do_not_honor');
  const refused = { status: 402, code: 'payment_declined', declineCode: 'do_not_honor' };
  for (let n = 0; n < 2; n++) expect((await rehearsal.pay(id, declined, 1598, { 'idempotency-key': 'no' })).body).toMatchObject(refused);
  const { body: paid } = await rehearsal.pay(id, card(), 1598);
  expect(paid).toMatchObject({ state: 'authorised', outstanding: eur(0), transactionState: 'completed', orderSubmission: 'accepted' });
  expect(paid.receipt.number).toMatch(/^store-01-lane-1-\d{8}-0001$/);
  expect(paid.receipt.lines).toMatchObject([{ sku: 'mug-blue', qty: 2, lineTotal: eur(2598) }]);
  const byCard = { type: 'card', amount: eur(1598), last4: expect.any(String) };
  expect(paid.receipt.tenders).toMatchObject([{ type: 'cash', amount: eur(1000) }, byCard]);
  const done = await rehearsal.order(id);
  expect(done).toMatchObject({ state: 'completed', channel: 'pos', storeId: 'store-01', paymentStatus: 'paid', orderNumber });
  expect(done).toMatchObject({ earningAmount: eur(2598), fulfillmentOrders: [], lines: [{ fulfilledQty: 2, cancelledQty: 0 }] });
  for (const absent of ['stockDiscrepancy', 'pendingAction', 'routingStatus', 'shippingAddress']) expect(done).not.toHaveProperty(absent);
  expect((await rehearsal.object('reservation', done.lines[0].reservationId)).state).toBe('fulfilled');
  expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 48, reserved: 0 });
  const each = (type: string) => [type, type];
  const expected = [...each('payment-authorized'), 'order-created', 'order-confirmed', ...each('payment-captured')];
  expect(typesOf(await rehearsal.events()).slice(3)).toEqual(expected);
});

test('Add Payment takes cash above the rest, and answer, receipt and order show the change', async (rehearsal) => {
  const { id } = await begun(rehearsal);
  const { status, body } = await rehearsal.pay(id, CASH, 5000, { 'idempotency-key': 'fifty' });
  const inCash = { amount: eur(1598), tendered: eur(5000), change: eur(3402) };
  expect([status, body]).toMatchObject([
    201,
    { ...inCash, authorizedAmount: eur(1598), outstanding: eur(0), transactionState: 'completed' },
  ]);
  const exact = { amount: eur(1000), tendered: eur(1000), change: eur(0) };
  expect(body.receipt.tenders).toMatchObject([exact, inCash]);
  expect((await rehearsal.order(id)).payments).toMatchObject([exact, { ...inCash, capturedAmount: eur(1598) }]);
  expect(await rehearsal.pay(id, CASH, 5000, { 'idempotency-key': 'fifty' })).toMatchObject({ status: 201, body: inCash });
  expect((await rehearsal.order(id)).payments).toHaveLength(2);
});

test('Of two concurrent cash tenders above the total, one pays and the other is refused', async (rehearsal) => {
  const { id } = await rehearsal.sale();
  const replies = await Promise.all([rehearsal.pay(id, CASH, 5000), rehearsal.pay(id, CASH, 3000)]);
  expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  const { payments } = await rehearsal.order(id);
  expect(payments).toMatchObject([{ amount: eur(2598) }]);
});

test('A refund of cash returns at most the amount, never the change', async (rehearsal) => {
  const { id } = await rehearsal.sale();
  const { body } = await rehearsal.pay(id, CASH, 5000);
  const refund = (amount: number) => rehearsal.call('refund-payment-api', { params: { id: body.id }, body: { amount: eur(amount) } });
  expect((await refund(2599)).body).toMatchObject({ status: 409, code: 'refund_exceeds_captured' });
  expect((await refund(2598)).body).toMatchObject({ state: 'fully-refunded', refundedAmount: eur(2598), change: eur(2402) });
});

test('Cash beside a pending tender pays only the rest, and a void after the decline returns that amount', async (rehearsal) => {
  const { id } = await rehearsal.sale();
  expect((await rehearsal.pay(id, card('tok_timeout'), 1000)).status).toBe(504);
  const inCash = { amount: eur(1598), tendered: eur(2000), change: eur(402) };
  expect((await rehearsal.pay(id, CASH, 2000)).body).toMatchObject({ ...inCash, outstanding: eur(0), transactionState: 'open' });
  expect((await rehearsal.pay(id, CASH, 100)).body).toMatchObject({ code: 'overpayment', outstanding: eur(0) });
  await rehearsal.advance('PT15M');
  const { payments } = (await rehearsal.voidSale(id)).body;
  expect(payments).toMatchObject([{ state: 'failed' }, { ...inCash, state: 'voided', capturedAmount: eur(0) }]);
});

test('Add Payment refuses more than the outstanding amount and tenders that no till accepts', async (rehearsal) => {
  const { id } = await begun(rehearsal);
  expect((await rehearsal.pay(id, card(), 1599)).body).toMatchObject({ status: 409, code: 'overpayment', outstanding: eur(1598) });
  for (const tender of [{ type: 'card' }, { ...CASH, token: 'tok_visa' }, { type: 'exchange-credit' }])
    expect((await rehearsal.pay(id, tender, 1)).status).toBe(422);
});

test('Add Payment and Void Transaction are refused after the end of a transaction', async (rehearsal) => {
  const [sold, voided] = [await rehearsal.sale(), await rehearsal.sale()];
  await rehearsal.pay(sold.id, CASH, 2598);
  await rehearsal.voidSale(voided.id);
  const refusal = { status: 409, code: 'invalid_state_transition', objectType: 'transaction', allowedFrom: ['open'] };
  const refused = (id: string, currentState: string, action: string) => ({ ...refusal, id, currentState, action });
  expect((await rehearsal.pay(sold.id, CASH, 1)).body).toMatchObject(refused(sold.id, 'completed', 'add-payment'));
  expect((await rehearsal.pay(voided.id, CASH, 1)).body).toMatchObject(refused(voided.id, 'voided', 'add-payment'));
  expect((await rehearsal.voidSale(sold.id)).body).toMatchObject(refused(sold.id, 'completed', 'void'));
});

test('Add Payment accepts a gift card, points and cash for one sale, which earns no points for points', async (rehearsal) => {
  const { id, basketId } = await rehearsal.sale({ loyaltyId: 'loy_ada' });
  const { redemption } = await rehearsal.api('redeem-points-api', { params: { id: 'loy_ada' }, body: { points: 300, basketId } });
  const gift = { type: 'gift-card', token: 'gift_5' };
  expect((await rehearsal.pay(id, gift, 500)).status).toBe(201);
  expect((await rehearsal.pay(id, gift, 500)).status).toBe(402);
  expect((await rehearsal.pay(id, { type: 'loyalty', token: redemption.id }, 300)).body.outstanding).toEqual(eur(1798));
  const { receipt } = (await rehearsal.pay(id, CASH, 1798)).body;
  expect(receipt.tenders.map(({ type }: { type: string }) => type)).toEqual(['gift-card', 'loyalty', 'cash']);
  await rehearsal.settle();
  const { entries } = await rehearsal.api('get-member-balance-api', { params: { id: 'loy_ada' } });
  expect(entries.filter(({ orderId }) => orderId === id)).toMatchObject([{ type: 'earn', points: 22 }]);
});

test('Add Payment numbers the receipts of a lane without a gap', async (rehearsal) => {
  const numbers: string[] = [];
  for (const laneId of ['lane-1', 'lane-2', 'lane-1']) {
    const { id } = await rehearsal.sale({ laneId });
    numbers.push((await rehearsal.pay(id, CASH, 2598)).body.receipt.number.slice(-4));
  }
  expect(numbers).toEqual(['0001', '0001', '0002']);
});

test('A pending tender counts as paid, blocks a void, and its approval submits the sale', async (rehearsal) => {
  const { id } = await rehearsal.sale();
  const { body: bnpl } = await rehearsal.pay(id, { type: 'bnpl' }, 1000);
  expect(bnpl).toMatchObject({ state: 'pending', outstanding: eur(1598), transactionState: 'open' });
  const { body: rest } = await rehearsal.pay(id, CASH, 1598);
  expect(rest).toMatchObject({ state: 'authorised', outstanding: eur(0), transactionState: 'open', orderSubmission: 'none' });
  expect(rest.receipt).toBeUndefined();
  expect((await rehearsal.call('get-order-api', { params: { id } })).status).toBe(404);
  const { body } = await rehearsal.voidSale(id);
  expect(body).toMatchObject({ status: 409, code: 'invalid_state_transition', currentState: 'open', action: 'void', retryable: true });
  await rehearsal.advance('PT1M');
  expect(await rehearsal.order(id)).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
  expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 48, reserved: 0 });
});

test('A pending tender that is approved after the void of its transaction is voided', async (rehearsal) => {
  const { id } = await rehearsal.sale();
  const { body } = await rehearsal.pay(id, card('tok_async_approve'), 1000);
  expect((await rehearsal.voidSale(id)).body).toMatchObject({ state: 'cancelled', payments: [{ id: body.id, state: 'pending' }] });
  await rehearsal.advance('PT1M');
  expect(await rehearsal.object('payment', body.id)).toMatchObject({ state: 'voided' });
});

test('Void Transaction voids the last tender first, abandons the basket and releases the stock', async (rehearsal) => {
  const { id, basketId } = await rehearsal.sale();
  const ids: string[] = [];
  for (const tender of [CASH, card(), { type: 'gift-card', token: 'gift_50' }]) ids.push((await rehearsal.pay(id, tender, 500)).body.id);
  const { body } = await rehearsal.voidSale(id, { reason: 'changed their mind' });
  expect(body).toMatchObject({ state: 'cancelled', cancelReason: 'changed their mind', paymentStatus: 'unpaid' });
  expect(body.compensation).toBeUndefined();
  expect(body.payments).toMatchObject(ids.map((payment) => ({ id: payment, state: 'voided' })));
  const changes = await rehearsal.events({ type: 'ext.payment-changed', ext: true });
  const voids = changes.filter(({ data }) => data.object.state === 'voided').map(({ data }) => data.object.id);
  expect(voids).toEqual(ids.toReversed());
  expect(typesOf(await rehearsal.events()).at(-1)).toBe('checkout-cancelled');
  expect(await rehearsal.object('basket', basketId)).toMatchObject({ state: 'abandoned' });
  expect(await rehearsal.stockAt('mug-blue')).toEqual(UNSOLD);
});

test('A transaction that is not paid is voided 24 hours after the last call', async (rehearsal) => {
  const { id, basketId } = await rehearsal.sale();
  await rehearsal.advance('PT20H');
  const { body } = await rehearsal.pay(id, CASH, 1000);
  const states = async () => [(await rehearsal.object('basket', basketId)).state, (await rehearsal.object('payment', body.id)).state];
  await rehearsal.advance('PT20H');
  expect(await states()).toEqual(['locked', 'authorised']);
  await rehearsal.advance('PT4H');
  expect(await states()).toEqual(['abandoned', 'voided']);
  expect(await rehearsal.stockAt('mug-blue')).toEqual(UNSOLD);
  expect((await rehearsal.voidSale(id)).body).toMatchObject({ state: 'cancelled', cancelReason: 'expired' });
  const sold = await rehearsal.sale();
  await rehearsal.pay(sold.id, CASH, 2598);
  await rehearsal.advance('P2D');
  expect(await rehearsal.order(sold.id)).toMatchObject({ state: 'completed' });
});

describe('An order that a client creates for a transaction', () => {
  const byHand = (rehearsal: TestRehearsal, transactionId: string) => rehearsal.api('create-order-api', { body: { transactionId } });

  test('An order for a transaction may be paid at the Payment Hub, and the till completes the sale', async (rehearsal) => {
    const { id } = await begun(rehearsal);
    await byHand(rehearsal, id);
    await rehearsal.authorisation(id);
    await rehearsal.settle();
    expect(await rehearsal.order(id)).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
  });

  test('An order for a transaction is cancelled when the transaction is voided', async (rehearsal) => {
    const { id } = await begun(rehearsal);
    await byHand(rehearsal, id);
    const { body } = await rehearsal.voidSale(id);
    expect(body).toMatchObject({ state: 'cancelled', payments: [{ state: 'voided' }] });
    expect(body.compensation).toBeUndefined();
    expect(await rehearsal.order(id)).toMatchObject({ state: 'cancelled' });
    expect(await rehearsal.stockAt('mug-blue')).toEqual(UNSOLD);
  });

  test('An order for a transaction that is cancelled ends the transaction', async (rehearsal) => {
    const { id } = await begun(rehearsal);
    await byHand(rehearsal, id);
    await rehearsal.cancel(id);
    await rehearsal.settle();
    expect((await rehearsal.pay(id, CASH, 1000)).body).toMatchObject({ status: 409, currentState: 'voided' });
    expect((await rehearsal.voidSale(id)).body).toMatchObject({ cancelReason: 'order cancelled', payments: [{ state: 'voided' }] });
  });
});
