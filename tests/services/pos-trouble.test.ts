import { describe, expect, test } from '@jest/globals';
import type { Application } from '../../shared/catalog/applications.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { eventually } from '../support/eventually.ts';
import { typesOf } from '../support/steps/events.ts';
import { CASH, card, eur } from '../support/steps/tender.ts';

const down = (application: Application) => ({ match: { application }, fault: { kind: 'outage' } });
const lost = (api: string) => ({ match: { api }, fault: { kind: 'lost-response' }, times: 1 });
const TILL = { storeId: 'store-01', laneId: 'lane-1' };
const TWO_MUGS = { ...TILL, lines: [{ sku: 'mug-blue', qty: 2 }] };

const start = (rehearsal: TestRehearsal, key: string, body: object = TWO_MUGS) =>
  rehearsal.call('create-transaction-api', { body, headers: { 'idempotency-key': key } });

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

describe('Create Transaction', () => {
  test('without an answer for its basket leaves nothing behind, and its repeat completes it', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.fault('down', down('ecommerce-platform'));
    expect((await start(rehearsal, 'one')).status).toBeGreaterThanOrEqual(502);
    expect((await start(rehearsal, 'two')).status).toBeGreaterThanOrEqual(502);
    await rehearsal.noFaults();
    const again = await start(rehearsal, 'one');
    expect(again).toMatchObject({ status: 201, body: { state: 'draft' } });
    await rehearsal.advance('PT20M');
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 2 });
    expect(typesOf(await rehearsal.events({ type: 'checkout-started' })).length).toBe(1);
    await rehearsal.verify();
  });

  test('whose answer is lost is completed by its repeat', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await rehearsal.basket();
    await rehearsal.fault('lost', lost('put-transaction-basket'));
    expect(await start(rehearsal, 'one', { ...TILL, basketId: basket.id })).toMatchObject({
      status: 504,
      body: { code: 'dependency_timeout' },
    });
    const again = await start(rehearsal, 'one', { ...TILL, basketId: basket.id });
    expect(again).toMatchObject({ status: 201, body: { basketId: basket.id } });
    expect(await rehearsal.object('basket', basket.id)).toMatchObject({ state: 'locked', transactionId: again.body.id });
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 2 });
    await rehearsal.verify();
  });

  test('whose answer is lost and that is not repeated is given up after a quarter of an hour', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.fault('lost', lost('put-transaction-basket'));
    expect(await start(rehearsal, 'one')).toMatchObject({ status: 504 });
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 2 });
    await rehearsal.advance('PT15M');
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 0 });
    expect(typesOf(await rehearsal.events()).slice(-2)).toEqual(['checkout-started', 'checkout-cancelled']);
    expect(await start(rehearsal, 'one')).toMatchObject({ status: 201 });
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 2 });
    await rehearsal.verify();
  });

  test('is refused while the stock of the store is unknown', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.fault('down', down('inventory-service'));
    expect((await start(rehearsal, 'one')).status).toBeGreaterThanOrEqual(502);
    await rehearsal.noFaults();
    await rehearsal.advance('PT20M');
    expect(await rehearsal.events()).toEqual([]);
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 0 });
    await rehearsal.verify();
  });
});

describe('A tender whose outcome is unknown', () => {
  test('is found by its repeat when only the answer was lost', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    await rehearsal.fault('lost', lost('authorize-payment-api'));
    const key = { 'idempotency-key': 'tender' };
    expect(await rehearsal.pay(id, card(), 1000, key)).toMatchObject({
      status: 504,
      body: { code: 'dependency_timeout', retryable: true },
    });
    const again = await rehearsal.pay(id, card(), 1000, key);
    expect(again).toMatchObject({ status: 201, body: { state: 'authorised', outstanding: eur(1598) } });
    expect(await rehearsal.events({ type: 'payment-authorized' })).toHaveLength(1);
    await rehearsal.verify();
  });

  test('that is pending is named when more is paid', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    const { body: tender } = await rehearsal.pay(id, card('tok_async_approve'), 1000);
    expect(tender.state).toBe('pending');
    const more = await rehearsal.pay(id, CASH, 2598);
    expect(more).toMatchObject({ status: 409, body: { code: 'overpayment', outstanding: eur(1598), retryable: true } });
    expect(more.body.pending).toEqual([{ paymentId: expect.any(String), amount: eur(1000) }]);
    expect(more.body.detail).toContain(`10.00 EUR of "${more.body.pending[0].paymentId}"`);
    await rehearsal.verify();
  });

  test('is listed before the next tender is taken', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    await rehearsal.fault('lost', lost('authorize-payment-api'));
    expect(await rehearsal.pay(id, card(), 1000)).toMatchObject({ status: 504 });
    expect(await rehearsal.pay(id, CASH, 2598)).toMatchObject({ status: 409, body: { code: 'overpayment', outstanding: eur(1598) } });
    const voided = await rehearsal.voidSale(id);
    expect(voided).toMatchObject({ status: 200, body: { payments: [{ state: 'voided', amount: eur(1000), tender: { type: 'card' } }] } });
    await rehearsal.verify();
  });

  test('blocks the void of the transaction while the Payment Hub does not answer', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    // The Hub receives neither call, so no event of it can arrive.
    await rehearsal.fault('timeout', { match: { api: 'authorize-payment-api' }, fault: { kind: 'status', status: 504 }, times: 1 });
    await rehearsal.fault('silent', { match: { api: 'list-payments' }, fault: { kind: 'status', status: 503 } });
    expect((await rehearsal.pay(id, card(), 1000)).status).toBeGreaterThanOrEqual(502);
    expect((await rehearsal.voidSale(id)).status).toBe(503);
    expect((await rehearsal.pay(id, CASH, 1000)).status).toBe(503);
    await rehearsal.noFaults();
    expect(await rehearsal.voidSale(id)).toMatchObject({ status: 200, body: { state: 'cancelled', payments: [] } });
    await rehearsal.verify();
  });

  test('completes the sale when it was the last one, as soon as the Payment Hub answers', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    await rehearsal.fault('lost', lost('authorize-payment-api'));
    const key = { 'idempotency-key': 'tender' };
    expect(await rehearsal.pay(id, card(), 2598, key)).toMatchObject({ status: 504 });
    await rehearsal.advance('PT5S');
    expect(await rehearsal.order(id)).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
    const again = await rehearsal.pay(id, card(), 2598, key);
    expect(again).toMatchObject({
      status: 201,
      body: { outstanding: eur(0), transactionState: 'completed', receipt: { number: expect.any(String) } },
    });
    expect(await rehearsal.voidSale(id)).toMatchObject({ status: 409 });
    expect(await rehearsal.events({ type: 'payment-authorized' })).toHaveLength(1);
    await rehearsal.verify();
  });

  test('counts until it is given up when its provider never answers', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    const key = { 'idempotency-key': 'tender' };
    expect(await rehearsal.pay(id, card('tok_timeout'), 2598, key)).toMatchObject({ status: 504, body: { code: 'dependency_timeout' } });
    expect(await rehearsal.pay(id, card('tok_timeout'), 2598, key)).toMatchObject({ status: 504 });
    expect(await rehearsal.pay(id, CASH, 2598)).toMatchObject({ status: 409, body: { code: 'overpayment', outstanding: eur(0) } });
    expect(await rehearsal.voidSale(id)).toMatchObject({ status: 409, body: { currentState: 'open' } });
    await rehearsal.advance('PT15M');
    expect(await rehearsal.pay(id, card('tok_timeout'), 2598, key)).toMatchObject({ status: 402 });
    expect(await rehearsal.pay(id, CASH, 2598)).toMatchObject({ status: 201, body: { transactionState: 'completed' } });
    await rehearsal.verify();
  });

  test('is voided when it is approved after the void of its transaction', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    await rehearsal.fault('slow', { match: { api: 'authorize-payment-api' }, fault: { kind: 'latency', ms: 8_000 } });
    const paying = rehearsal.pay(id, card(), 1000);
    expect(await paying).toMatchObject({ status: 504 });
    expect(await rehearsal.voidSale(id)).toMatchObject({ status: 200, body: { state: 'cancelled', payments: [] } });
    await rehearsal.client.control('wait-for-events', { body: { type: 'payment-authorized', count: 1, timeoutMs: 8_000 } });
    expect(await boundMoney(rehearsal, id)).toBe(0);
    await rehearsal.verify();
  });
});

describe('While the Payment Hub is down', () => {
  test('no tender is accepted, and the next one is when it is back', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    await rehearsal.fault('down', down('payment-hub'));
    expect((await rehearsal.pay(id, CASH, 1000)).status).toBeGreaterThanOrEqual(502);
    await rehearsal.noFaults();
    expect(await rehearsal.pay(id, CASH, 2598)).toMatchObject({ status: 201, body: { transactionState: 'completed' } });
    await rehearsal.verify();
  });

  test('a transaction is voided at once, and its tenders once when it is back', async () => {
    await using rehearsal = await newRehearsal();
    const { id, basketId } = await rehearsal.sale();
    await rehearsal.pay(id, CASH, 1000);
    await rehearsal.pay(id, card(), 500);
    await rehearsal.fault('down', down('payment-hub'));
    const voided = await rehearsal.voidSale(id);
    expect(voided).toMatchObject({ status: 200, body: { state: 'cancelled', compensation: 'pending', paymentStatus: 'unpaid' } });
    expect(await rehearsal.object('basket', basketId)).toMatchObject({ state: 'abandoned' });
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 0 });
    expect(await rehearsal.pay(id, CASH, 1)).toMatchObject({ status: 409, body: { currentState: 'voided' } });
    expect(await rehearsal.voidSale(id)).toMatchObject({ status: 200, body: { compensation: 'pending' } });
    await rehearsal.noFaults();
    await rehearsal.advance('PT1H');
    const done = await rehearsal.voidSale(id);
    expect(done.body.compensation).toBeUndefined();
    expect(done.body.payments).toMatchObject([{ state: 'voided' }, { state: 'voided' }]);
    const voids = (await rehearsal.events({ type: 'ext.payment-changed', ext: true })).filter(({ data }) => data.object.state === 'voided');
    expect(voids).toHaveLength(2);
    await rehearsal.verify();
  });
});

describe('While the Payment Hub is down for days', () => {
  test('an idle transaction with a tender of unknown outcome is voided when it is back', async () => {
    await using rehearsal = await newRehearsal();
    const { id, basketId } = await rehearsal.sale();
    // The event would tell the POS the outcome.
    await rehearsal.fault('late', { match: { event: 'payment-authorized' }, fault: { kind: 'withhold' } });
    await rehearsal.fault('lost', lost('authorize-payment-api'));
    expect(await rehearsal.pay(id, CASH, 1000)).toMatchObject({ status: 504 });
    await rehearsal.fault('down', down('payment-hub'));
    await rehearsal.advance('P3D');
    expect(await rehearsal.object('basket', basketId)).toMatchObject({ state: 'locked' });
    await rehearsal.noFaults();
    await rehearsal.advance('PT1H');
    expect(await rehearsal.object('basket', basketId)).toMatchObject({ state: 'abandoned' });
    expect(await boundMoney(rehearsal, id)).toBe(0);
    await rehearsal.verify();
  });
});

describe('While the Loyalty Platform is down', () => {
  test.each(['cardNumber', 'id'] as const)('a member named by %s gets the points of the sale once it is back', async (member) => {
    await using rehearsal = await newRehearsal();
    const before = await rehearsal.api('get-member-balance-api', { params: { id: 'loy_ada' } });
    await rehearsal.fault('down', down('loyalty-platform'));
    const { id } = await rehearsal.sale({ loyaltyId: before[member] });
    expect(await rehearsal.pay(id, CASH, 2598)).toMatchObject({ status: 201, body: { transactionState: 'completed' } });
    await rehearsal.noFaults();
    await rehearsal.advance('PT1H');
    expect((await rehearsal.api('get-member-balance-api', { params: { id: 'loy_ada' } })).pointsBalance).toBe(before.pointsBalance + 25);
    await rehearsal.verify();
  });
});

describe('While the eCommerce Platform is down', () => {
  test('a transaction is voided with its tenders, and its basket is abandoned later', async () => {
    await using rehearsal = await newRehearsal();
    const { id, basketId } = await rehearsal.sale();
    await rehearsal.pay(id, CASH, 1000);
    await rehearsal.fault('down', down('ecommerce-platform'));
    expect(await rehearsal.voidSale(id)).toMatchObject({ status: 200, body: { compensation: 'pending', payments: [{ state: 'voided' }] } });
    await rehearsal.noFaults();
    await rehearsal.advance('PT1H');
    expect((await rehearsal.voidSale(id)).body.compensation).toBeUndefined();
    expect(await rehearsal.object('basket', basketId)).toMatchObject({ state: 'abandoned' });
    await rehearsal.verify();
  });
});

describe('Add Payment for the last tender, repeated after its answer was lost', () => {
  test('Add Payment, repeated while the sale is being submitted, is refused as retryable, and then answers accepted', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    const key = { 'idempotency-key': 'last-tender' };
    await rehearsal.fault('lost', lost('authorize-payment-api'));
    await rehearsal.fault('waiting', { match: { api: 'capture-payment-api' }, fault: { kind: 'barrier', parties: 9 } });
    expect((await rehearsal.pay(id, card(), 2598, key)).status).toBe(504);
    // The consumer of payment-authorized submits the sale.
    await eventually('the OMS captures', async () => (await rehearsal.faults()).some(({ name, hits }) => name === 'waiting' && hits > 0));
    expect(await rehearsal.pay(id, card(), 2598, key)).toMatchObject({
      status: 409,
      body: { code: 'invalid_state_transition', objectType: 'transaction', id, currentState: 'paid', retryable: true },
    });
    await rehearsal.noFaults();
    await rehearsal.settle();
    expect(await rehearsal.pay(id, card(), 2598, key)).toMatchObject({
      status: 201,
      body: { transactionState: 'completed', orderSubmission: 'accepted', receipt: { number: expect.any(String) } },
    });
    expect(await rehearsal.order(id)).toMatchObject({
      state: 'completed',
      payments: [{ state: 'captured' }],
    });
    await rehearsal.verify();
  });
});

describe('While the OMS is down', () => {
  test('the sale stands with its receipt and is submitted once when it is back', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale({ loyaltyId: 'loy_ada' });
    await rehearsal.fault('down', down('oms'));
    const paid = await rehearsal.pay(id, CASH, 2598);
    expect(paid).toMatchObject({
      status: 201,
      body: { outstanding: eur(0), transactionState: 'paid', orderSubmission: 'queued', receipt: { number: expect.any(String) } },
    });
    expect(await rehearsal.voidSale(id)).toMatchObject({ status: 409, body: { currentState: 'paid' } });
    await rehearsal.advance('P2D');
    expect(typesOf(await rehearsal.events({ type: 'order-created' }))).toEqual([]);
    await rehearsal.noFaults();
    await rehearsal.advance('PT1H');
    expect(await rehearsal.order(id)).toMatchObject({
      state: 'completed',
      paymentStatus: 'paid',
      channel: 'pos',
    });
    expect(typesOf(await rehearsal.events()).slice(4)).toEqual(['order-created', 'order-confirmed', 'payment-captured']);
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 48, reserved: 0 });
    await rehearsal.verify();
  });

  test.each([
    ['Confirm Order', { api: 'confirm-order-api' }],
    ['the payments', { api: 'list-payments' }],
  ])('or %s is down and the order stays a draft for days, a paid sale does not expire', async (_, match) => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    await rehearsal.down(match);
    expect(await rehearsal.pay(id, CASH, 2598)).toMatchObject({
      status: 201,
      body: { transactionState: 'paid', orderSubmission: 'queued' },
    });
    await rehearsal.advance('P3D');
    expect(await rehearsal.order(id)).toMatchObject({ state: 'draft' });
    const { invariants } = await rehearsal.client.control('verify');
    expect(invariants.flatMap(({ violations }) => violations)).toEqual([]);
    await rehearsal.noFaults();
    await rehearsal.advance('PT1H');
    expect(await rehearsal.order(id)).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
    await rehearsal.verify();
  });

  test('the order keeps the number shown at the till, whatever the day of its creation', async () => {
    await using rehearsal = await newRehearsal();
    const { id, orderNumber } = await rehearsal.sale();
    await rehearsal.fault('down', down('oms'));
    await rehearsal.pay(id, CASH, 2598);
    await rehearsal.advance('P2D');
    await rehearsal.noFaults();
    await rehearsal.advance('PT1H');
    expect(await rehearsal.order(id)).toMatchObject({ state: 'completed', orderNumber });
  });

  test.each(['create-order-api', 'confirm-order-api', 'carry-out'])(
    'or its answer to %s is lost, the sale is completed once',
    async (api) => {
      await using rehearsal = await newRehearsal();
      const { id } = await rehearsal.sale();
      await rehearsal.fault('lost', lost(api));
      expect(await rehearsal.pay(id, CASH, 2598)).toMatchObject({
        status: 201,
        body: { transactionState: 'paid', orderSubmission: 'queued' },
      });
      await rehearsal.advance('PT1M');
      expect(await rehearsal.order(id)).toMatchObject({ state: 'completed' });
      expect(typesOf(await rehearsal.events()).slice(4)).toEqual(['order-created', 'order-confirmed', 'payment-captured']);
      expect(await rehearsal.pay(id, CASH, 1)).toMatchObject({ status: 409, body: { currentState: 'completed' } });
      await rehearsal.verify();
    },
  );
});

describe('Concurrent requests of a till', () => {
  test('for a void and a tender: the void is refused for now, and its repeat voids the tender', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    await rehearsal.fault('slow', { match: { api: 'authorize-payment-api' }, fault: { kind: 'latency', ms: 500 } });
    const paying = rehearsal.pay(id, card(), 1000);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await rehearsal.voidSale(id)).toMatchObject({
      status: 409,
      body: { code: 'invalid_state_transition', retryable: true },
      headers: { 'retry-after': '1' },
    });
    expect(await rehearsal.pay(id, CASH, 100)).toMatchObject({ status: 409, body: { retryable: true } });
    expect(await paying).toMatchObject({ status: 201 });
    expect(await rehearsal.voidSale(id)).toMatchObject({ status: 200, body: { payments: [{ state: 'voided' }] } });
    expect(await boundMoney(rehearsal, id)).toBe(0);
    await rehearsal.verify();
  });

  test('for voids and tenders leave no money on a voided transaction', async () => {
    await using rehearsal = await newRehearsal();
    for (let round = 0; round < 8; round++) {
      const { id } = await rehearsal.sale();
      const replies = await Promise.all([...[700, 800, 900].map((amount) => rehearsal.pay(id, card(), amount)), rehearsal.voidSale(id)]);
      expect(
        replies.every(
          ({ status, body }) => status < 300 || (status === 409 && ['invalid_state_transition', 'overpayment'].includes(body.code)),
        ),
      ).toBe(true);
      const voided = await rehearsal.voidSale(id);
      expect(voided).toMatchObject({ status: 200, body: { state: 'cancelled' } });
      expect(await boundMoney(rehearsal, id)).toBe(0);
    }
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 0 });
    await rehearsal.verify();
  });

  test('with the same content, fifty times, take one tender', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    const key = { 'idempotency-key': 'tender' };
    const replies = await Promise.all(Array.from({ length: 50 }, () => rehearsal.pay(id, card(), 2598, key)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201, 409]));
    expect(await rehearsal.events({ type: 'payment-authorized' })).toHaveLength(1);
    expect(await rehearsal.events({ type: 'order-created' })).toHaveLength(1);
    await rehearsal.verify();
  });
});
