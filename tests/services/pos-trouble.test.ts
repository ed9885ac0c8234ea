import { describe, expect } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { typesOf } from '../support/steps/events.ts';
import { CASH, card, eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

const HELD = { onHand: 50, reserved: 2 };
const UNSOLD = { onHand: 50, reserved: 0 };
const SOLD = { onHand: 48, reserved: 0 };
const KEY = { 'idempotency-key': 'tender' };
const QUEUED = { transactionState: 'paid', orderSubmission: 'queued' };
const COMPLETED = { state: 'completed', paymentStatus: 'paid' };

const lose = (rehearsal: TestRehearsal, api: string) =>
  rehearsal.fault('lost', { match: { api }, fault: { kind: 'lost-response' }, times: 1 });

const start = (rehearsal: TestRehearsal, key: string, body: object = { lines: [{ sku: 'mug-blue', qty: 2 }] }) =>
  rehearsal.call('create-transaction-api', {
    body: { storeId: 'store-01', laneId: 'lane-1', ...body },
    headers: { 'idempotency-key': key },
  });

/** Open payments of a transaction at the Payment Hub. */
const boundMoney = async (rehearsal: TestRehearsal, id: string): Promise<number> => {
  const changes = await rehearsal.events({ ext: true });
  const payments = changes.filter(({ subject }) => subject.startsWith('payment/')).map(({ data }) => data.object);
  // Withheld events come later than newer ones.
  const newest = new Map(payments.toSorted((a, b) => a.version - b.version).map((payment) => [payment.id, payment]));
  return [...newest.values()]
    .filter(({ orderId, state }) => orderId === id && (state === 'authorised' || state === 'captured'))
    .reduce((sum, { amount }) => sum + amount.amount, 0);
};

const recover = async (rehearsal: TestRehearsal) => {
  await rehearsal.noFaults();
  await rehearsal.advance('PT1H');
};

describe('Create Transaction', () => {
  const needed = ['ecommerce-platform', 'sim', 'inventory-service'];
  test.each(needed)('Create Transaction without the %s leaves nothing behind', async (rehearsal, application) => {
    await rehearsal.down(application);
    for (const key of ['one', 'two']) expect((await start(rehearsal, key)).status).toBeGreaterThanOrEqual(502);
    await rehearsal.noFaults();
    await rehearsal.advance('PT20M');
    expect(await rehearsal.events({ type: 'checkout-started' })).toEqual([]);
    expect(await rehearsal.stockAt('mug-blue')).toEqual(UNSOLD);
    expect(await start(rehearsal, 'one')).toMatchObject({ status: 201, body: { state: 'draft' } });
    expect(await rehearsal.stockAt('mug-blue')).toEqual(HELD);
    expect(await rehearsal.events({ type: 'checkout-started' })).toHaveLength(1);
  });

  test('Create Transaction whose answer is lost is cancelled after 15 minutes unless it is repeated', async (rehearsal) => {
    await lose(rehearsal, 'put-transaction-basket');
    expect((await start(rehearsal, 'one')).status).toBe(504);
    expect(await rehearsal.stockAt('mug-blue')).toEqual(HELD);
    await rehearsal.advance('PT15M');
    expect(await rehearsal.stockAt('mug-blue')).toEqual(UNSOLD);
    expect(typesOf(await rehearsal.events()).slice(-2)).toEqual(['checkout-started', 'checkout-cancelled']);
    expect((await start(rehearsal, 'one')).status).toBe(201);
    expect(await rehearsal.stockAt('mug-blue')).toEqual(HELD);
  });
});

test('A tender whose answer was lost counts for the next tender and is voided with its transaction', async (rehearsal) => {
  const { id } = await rehearsal.sale();
  await lose(rehearsal, 'authorize-payment-api');
  expect((await rehearsal.pay(id, card(), 1000)).status).toBe(504);
  expect((await rehearsal.pay(id, card(), 2598)).body).toMatchObject({ status: 409, code: 'overpayment', outstanding: eur(1598) });
  const { payments } = (await rehearsal.voidSale(id)).body;
  expect(payments).toMatchObject([{ state: 'voided', amount: eur(1000), tender: { type: 'card' } }]);
});

test('A tender of unknown outcome blocks the void of its transaction while the Payment Hub does not answer', async (rehearsal) => {
  const { id } = await rehearsal.sale();
  // The Payment Hub receives neither call, so it publishes no event.
  await rehearsal.fault('timeout', { match: { api: 'authorize-payment-api' }, fault: { kind: 'status', status: 504 }, times: 1 });
  await rehearsal.fault('silent', { match: { api: 'list-payments' }, fault: { kind: 'status', status: 503 } });
  expect((await rehearsal.pay(id, card(), 1000)).status).toBeGreaterThanOrEqual(502);
  expect((await rehearsal.voidSale(id)).status).toBe(503);
  expect((await rehearsal.pay(id, CASH, 1000)).status).toBe(503);
  await rehearsal.noFaults();
  expect((await rehearsal.voidSale(id)).body).toMatchObject({ state: 'cancelled', payments: [] });
});

test('Cash whose answer was lost gives the same change to the repeat of its request', async (rehearsal) => {
  const { id } = await rehearsal.sale();
  await lose(rehearsal, 'authorize-payment-api');
  const pay = () => rehearsal.pay(id, CASH, 5000, KEY);
  expect((await pay()).status).toBe(504);
  await rehearsal.advance('PT5S');
  expect(await pay()).toMatchObject({ status: 201, body: { amount: eur(2598), change: eur(2402), transactionState: 'completed' } });
  expect((await rehearsal.order(id)).payments).toHaveLength(1);
  expect((await rehearsal.pay(id, CASH, 5001, KEY)).body).toMatchObject({ code: 'idempotency_key_reused' });
});

test('A tender whose provider never answers counts until it is declined after 15 minutes', async (rehearsal) => {
  const { id } = await rehearsal.sale();
  const pay = () => rehearsal.pay(id, card('tok_timeout'), 2598, KEY);
  for (let n = 0; n < 2; n++) expect((await pay()).body).toMatchObject({ status: 504, code: 'dependency_timeout' });
  expect((await rehearsal.pay(id, CASH, 2598)).body).toMatchObject({ status: 409, code: 'overpayment', outstanding: eur(0) });
  expect((await rehearsal.voidSale(id)).body).toMatchObject({ status: 409, currentState: 'open' });
  await rehearsal.advance('PT15M');
  expect((await pay()).status).toBe(402);
  expect((await rehearsal.pay(id, CASH, 2598)).body).toMatchObject({ transactionState: 'completed' });
});

test('A tender of unknown outcome that is authorised after the void of its transaction is voided', async (rehearsal) => {
  const { id } = await rehearsal.sale();
  await rehearsal.fault('slow', { match: { api: 'authorize-payment-api' }, fault: { kind: 'latency', ms: 8_000 } });
  expect((await rehearsal.pay(id, card(), 1000)).status).toBe(504);
  expect((await rehearsal.voidSale(id)).body).toMatchObject({ state: 'cancelled', payments: [] });
  await rehearsal.control('wait-for-events', { body: { type: 'payment-authorized', count: 1, timeoutMs: 8_000 } });
  expect(await boundMoney(rehearsal, id)).toBe(0);
});

test('The last tender, repeated while the sale is being submitted, is refused as retryable, and a later repeat succeeds', async (rehearsal) => {
  const { id } = await rehearsal.sale();
  await lose(rehearsal, 'authorize-payment-api');
  await rehearsal.fault('waiting', { match: { api: 'capture-payment-api' }, fault: { kind: 'barrier', parties: 9 } });
  expect((await rehearsal.pay(id, card(), 2598, KEY)).status).toBe(504);
  // The consumer of payment-authorized submits the sale.
  await rehearsal.struck('waiting');
  const refused = { status: 409, code: 'invalid_state_transition', objectType: 'transaction', id, currentState: 'paid', retryable: true };
  expect((await rehearsal.pay(id, card(), 2598, KEY)).body).toMatchObject(refused);
  await rehearsal.noFaults();
  await rehearsal.settle();
  const { status, body } = await rehearsal.pay(id, card(), 2598, KEY);
  expect([status, body.transactionState, body.orderSubmission, typeof body.receipt.number]).toEqual([
    201,
    'completed',
    'accepted',
    'string',
  ]);
  expect(await rehearsal.order(id)).toMatchObject({ state: 'completed', payments: [{ state: 'captured' }] });
});

test('A till without the Payment Hub voids a transaction immediately, and its tenders once later', async (rehearsal) => {
  const { id, basketId } = await rehearsal.sale();
  await rehearsal.pay(id, CASH, 1000);
  await rehearsal.pay(id, card(), 500);
  await rehearsal.down('payment-hub');
  expect((await rehearsal.pay(id, CASH, 1000)).status).toBeGreaterThanOrEqual(502);
  const pending = { state: 'cancelled', compensation: 'pending', paymentStatus: 'unpaid' };
  for (let n = 0; n < 2; n++) expect((await rehearsal.voidSale(id)).body).toMatchObject(pending);
  expect(await rehearsal.object('basket', basketId)).toMatchObject({ state: 'abandoned' });
  expect(await rehearsal.stockAt('mug-blue')).toEqual(UNSOLD);
  expect((await rehearsal.pay(id, CASH, 1)).body).toMatchObject({ status: 409, currentState: 'voided' });
  await recover(rehearsal);
  const { body } = await rehearsal.voidSale(id);
  expect(body.compensation).toBeUndefined();
  expect(body.payments).toMatchObject([{ state: 'voided' }, { state: 'voided' }]);
  const changes = await rehearsal.events({ type: 'ext.payment-changed', ext: true });
  expect(changes.filter(({ data }) => data.object.state === 'voided')).toHaveLength(2);
});

test('An idle transaction with a tender of unknown outcome is voided when the Payment Hub is available again after days', async (rehearsal) => {
  const { id, basketId } = await rehearsal.sale();
  // The event would report the outcome to the POS.
  await rehearsal.fault('late', { match: { event: 'payment-authorized' }, fault: { kind: 'withhold' } });
  await lose(rehearsal, 'authorize-payment-api');
  expect((await rehearsal.pay(id, CASH, 1000)).status).toBe(504);
  await rehearsal.down('payment-hub');
  await rehearsal.advance('P3D');
  expect(await rehearsal.object('basket', basketId)).toMatchObject({ state: 'locked' });
  await recover(rehearsal);
  expect(await rehearsal.object('basket', basketId)).toMatchObject({ state: 'abandoned' });
  expect(await boundMoney(rehearsal, id)).toBe(0);
});

test.each(['cardNumber', 'id'] as const)('A till without the Loyalty Platform earns points by %s later', async (rehearsal, member) => {
  const account = () => rehearsal.api('get-member-balance-api', { params: { id: 'loy_ada' } });
  const before = await account();
  await rehearsal.down('loyalty-platform');
  const { id } = await rehearsal.sale({ loyaltyId: before[member] });
  expect((await rehearsal.pay(id, CASH, 2598)).body).toMatchObject({ transactionState: 'completed' });
  await recover(rehearsal);
  expect((await account()).pointsBalance).toBe(before.pointsBalance + 25);
});

describe('A till without the OMS', () => {
  const completedOnce = ['order-created', 'order-confirmed', 'payment-captured'];

  test('A till without the OMS sells with a receipt, and the sale is submitted once later, with the same number', async (rehearsal) => {
    const { id, orderNumber } = await rehearsal.sale({ loyaltyId: 'loy_ada' });
    await rehearsal.down('oms');
    const { body } = await rehearsal.pay(id, CASH, 2598);
    expect(body).toMatchObject({ outstanding: eur(0), ...QUEUED, receipt: { number: expect.any(String) } });
    expect((await rehearsal.voidSale(id)).body).toMatchObject({ status: 409, currentState: 'paid' });
    for (const tender of [CASH, card()])
      expect((await rehearsal.pay(id, tender, 1)).body).toMatchObject({ status: 409, code: 'overpayment', outstanding: eur(0) });
    await rehearsal.advance('P2D');
    expect(await rehearsal.events({ type: 'order-created' })).toEqual([]);
    await recover(rehearsal);
    expect(await rehearsal.order(id)).toMatchObject({ ...COMPLETED, channel: 'pos', orderNumber });
    expect(typesOf(await rehearsal.events()).slice(4)).toEqual(completedOnce);
    expect(await rehearsal.stockAt('mug-blue')).toEqual(SOLD);
  });

  test.each(['confirm-order-api', 'list-payments'])(
    'A paid sale whose order stays a draft without %s does not expire',
    async (rehearsal, api) => {
      const { id } = await rehearsal.sale();
      await rehearsal.down({ api });
      expect((await rehearsal.pay(id, CASH, 2598)).body).toMatchObject(QUEUED);
      await rehearsal.advance('P3D');
      expect(await rehearsal.order(id)).toMatchObject({ state: 'draft' });
      const { invariants } = await rehearsal.control('verify');
      expect(invariants.flatMap(({ violations }) => violations)).toEqual([]);
      await recover(rehearsal);
      expect(await rehearsal.order(id)).toMatchObject(COMPLETED);
    },
  );
});

test('A void while a tender is processed is refused as retryable, and its repeat voids the tender', async (rehearsal) => {
  const { id } = await rehearsal.sale();
  await rehearsal.fault('waiting', { match: { api: 'authorize-payment-api' }, fault: { kind: 'barrier', parties: 9 } });
  const paying = rehearsal.pay(id, card(), 1000);
  await rehearsal.struck('waiting');
  const { headers, body } = await rehearsal.voidSale(id);
  expect([headers['retry-after'], body]).toMatchObject(['1', { status: 409, code: 'invalid_state_transition', retryable: true }]);
  expect((await rehearsal.pay(id, CASH, 100)).body).toMatchObject({ status: 409, retryable: true });
  await rehearsal.noFaults();
  expect((await paying).status).toBe(201);
  expect((await rehearsal.voidSale(id)).body).toMatchObject({ payments: [{ state: 'voided' }] });
  expect(await boundMoney(rehearsal, id)).toBe(0);
});

test('Concurrent voids and tenders leave no money on a voided transaction', async (rehearsal) => {
  for (let round = 0; round < 8; round++) {
    const { id } = await rehearsal.sale();
    const replies = await Promise.all([...[700, 800, 900].map((amount) => rehearsal.pay(id, card(), amount)), rehearsal.voidSale(id)]);
    for (const { status, body } of replies.filter((reply) => reply.status >= 300)) {
      expect(status).toBe(409);
      expect(['invalid_state_transition', 'overpayment']).toContain(body.code);
    }
    expect((await rehearsal.voidSale(id)).body).toMatchObject({ state: 'cancelled' });
    expect(await boundMoney(rehearsal, id)).toBe(0);
  }
  expect(await rehearsal.stockAt('mug-blue')).toEqual(UNSOLD);
});

const captured = async (rehearsal: TestRehearsal, token?: string) => {
  const { id } = await rehearsal.sale();
  await rehearsal.pay(id, card(token), 500);
  const payment = (await rehearsal.events({ ext: true })).findLast(({ subject }) => subject.startsWith('payment/'))?.data.object;
  await rehearsal.api('capture-payment-api', { params: { id: payment.id }, body: {} });
  return { id, params: { id: payment.id } };
};

test('A voided sale whose captured tender refuses its refund keeps the world sound', async (rehearsal) => {
  const { id, params } = await captured(rehearsal, 'tok_refund_fails');
  await rehearsal.voidSale(id);
  await rehearsal.advance('P2D');
  expect(await rehearsal.object('payment', params.id)).toMatchObject({ state: 'captured', refunds: [{ state: 'failed' }] });
  await rehearsal.verify();
});

test.each([
  ['won', 500],
  ['lost', 300],
] as const)('A sale that is voided during a dispute refunds the rest after the dispute is %s', async (rehearsal, outcome, refunded) => {
  const { id, params } = await captured(rehearsal);
  await rehearsal.control('open-dispute', { params, body: { reason: 'fraudulent', amount: eur(200) } });
  await rehearsal.voidSale(id);
  await rehearsal.verify();
  await rehearsal.control('close-dispute', { params, body: { outcome } });
  expect(await rehearsal.object('payment', params.id)).toMatchObject({ refundedAmount: eur(refunded) });
  await rehearsal.verify();
});
