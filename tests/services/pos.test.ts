import { describe, expect, test } from '@jest/globals';
import * as crm from '../../services/crm/service.ts';
import * as ecommercePlatform from '../../services/ecommerce-platform/service.ts';
import * as inventoryService from '../../services/inventory-service/service.ts';
import * as loyaltyPlatform from '../../services/loyalty-platform/service.ts';
import * as paymentHub from '../../services/payment-hub/service.ts';
import * as pos from '../../services/pos/service.ts';
import * as promotionEngine from '../../services/promotion-engine/service.ts';
import * as sim from '../../services/sim/service.ts';
import { getTransaction } from '../../shared/catalog/commerce/internal.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { startInside } from '../support/inside.ts';
import { typesOf } from '../support/steps/events.ts';
import { CASH, card, eur } from '../support/steps/tender.ts';

describe('Create Transaction', () => {
  test('answers the draft order and holds the stock of the store without a time limit', async () => {
    await using rehearsal = await newRehearsal();
    const order = await rehearsal.sale();
    expect(order).toMatchObject({
      id: expect.stringMatching(/^ord_/),
      state: 'draft',
      channel: 'pos',
      storeId: 'store-01',
      totals: { total: eur(2598), shipping: eur(0) },
      lines: [{ sku: 'mug-blue', qty: 2, nodeId: 'store-01', fulfilledQty: 0 }],
      payments: [],
      paymentStatus: 'unpaid',
    });
    expect(order.fulfillmentOrders).toBeUndefined();
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 2 });
    expect(await rehearsal.object('basket', order.basketId)).toMatchObject({
      ...{ state: 'locked', channel: 'pos', storeId: 'store-01', transactionId: order.id },
      reservationId: order.lines[0].reservationId,
    });
    expect(await rehearsal.call('get-order-api', { params: { id: order.id } })).toMatchObject({ status: 404 });
    expect(typesOf(await rehearsal.events())).toEqual(['inventory-reserved', 'reservation-created', 'checkout-started']);
    await rehearsal.advance('PT2H');
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 2 });
    await rehearsal.verify();
  });

  test('takes over an open basket, with the loyalty card of a member', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await rehearsal.api('create-basket-api', { body: { channel: 'app', lines: [{ sku: 'wine-red', qty: 1 }] } });
    const order = await rehearsal.sale({ basketId: basket.id, loyaltyId: '2990000123459' });
    expect(order).toMatchObject({
      ...{ basketId: basket.id, customerId: 'cus_ada', loyaltyAccountId: 'loy_ada', channel: 'pos', totals: { total: eur(1450) } },
      lines: [{ lineId: basket.lines[0].lineId, sku: 'wine-red' }],
    });
  });

  test('is refused for an unknown store and names the known ones', async () => {
    await using rehearsal = await newRehearsal();
    for (const storeId of ['store-99', 'dc-01']) {
      const refused = await rehearsal.call('create-transaction-api', {
        body: { storeId, laneId: 'lane-1', lines: [{ sku: 'mug-blue', qty: 1 }] },
      });
      expect(refused).toMatchObject({
        status: 422,
        body: { code: 'validation_failed', errors: [{ pointer: '/storeId', code: 'unknown_store' }] },
      });
      expect(refused.body.detail).toContain('store-01, store-02, store-03');
    }
    expect(await rehearsal.events()).toEqual([]);
  });

  test.each([
    ['with neither lines nor a basket', {}, 422, 'validation_failed'],
    ['with lines and a basket', { lines: [{ sku: 'mug-blue', qty: 1 }], basketId: 'bsk_1' }, 422, 'validation_failed'],
    ['with no unit', { lines: [{ sku: 'mug-blue', qty: 0 }] }, 422, 'validation_failed'],
    [
      'with more units than a line takes',
      {
        lines: [
          { sku: 'mug-blue', qty: 9_999 },
          { sku: 'mug-blue', qty: 1 },
        ],
      },
      422,
      'validation_failed',
    ],
    ['with an unknown basket', { basketId: 'bsk_none' }, 404, 'not_found'],
    ['with an unknown product', { lines: [{ sku: 'no-such-thing', qty: 1 }] }, 404, 'not_found'],
    ['with a product that is not for sale', { lines: [{ sku: 'chair-suspended', qty: 1 }] }, 409, 'invalid_state_transition'],
    ['with an unknown card', { lines: [{ sku: 'mug-blue', qty: 1 }], loyaltyId: 'loy_nobody' }, 404, 'not_found'],
  ])('is refused %s', async (_, body, status, code) => {
    await using rehearsal = await newRehearsal();
    const refused = await rehearsal.call('create-transaction-api', { body: { storeId: 'store-01', laneId: 'lane-1', ...body } });
    expect(refused).toMatchObject({ status, body: { code } });
    expect(await rehearsal.events()).toEqual([]);
    await rehearsal.verify();
  });

  test('is refused with an empty basket, with a basket in checkout and for a blocked customer', async () => {
    await using rehearsal = await newRehearsal();
    const basket = async (body: object) => (await rehearsal.api('create-basket-api', { body: { channel: 'web', ...body } })).id;
    const lines = [{ sku: 'mug-blue', qty: 1 }];
    const taken = await basket({ lines });
    await rehearsal.sale({ basketId: taken });
    const codes: string[] = [];
    for (const basketId of [await basket({}), taken, await basket({ lines, customerId: 'cus_mallory' })]) {
      const { status, body } = await rehearsal.call('create-transaction-api', {
        body: { storeId: 'store-01', laneId: 'lane-1', basketId },
      });
      codes.push(`${status} ${body.code}`);
    }
    expect(codes).toEqual(['409 basket_empty', '409 invalid_state_transition', '409 customer_blocked']);
  });

  test('repeated with its key answers the same transaction, with one basket and one hold', async () => {
    await using rehearsal = await newRehearsal();
    const send = () =>
      rehearsal.call('create-transaction-api', {
        body: { storeId: 'store-01', laneId: 'lane-1', lines: [{ sku: 'mug-blue', qty: 2 }] },
        headers: { 'idempotency-key': 'sale-1' },
      });
    const first = await send();
    const again = await send();
    expect(again).toMatchObject({ status: 201, body: first.body, headers: { 'idempotent-replayed': 'true' } });
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 2 });
  });
});

describe('Add Payment', () => {
  test('takes several tenders, and the last one submits the sale and carries it out', async () => {
    await using rehearsal = await newRehearsal();
    const { id, orderNumber } = await rehearsal.sale();
    const cash = await rehearsal.pay(id, CASH, 1000);
    expect(cash).toMatchObject({
      status: 201,
      body: { state: 'authorised', outstanding: eur(1598), transactionState: 'open', orderSubmission: 'none' },
    });
    expect(cash.body.receipt).toBeUndefined();
    const declined = await rehearsal.pay(id, card('tok_decline_do_not_honor'), 1598);
    expect(declined).toMatchObject({ status: 402, body: { code: 'payment_declined', declineCode: 'do_not_honor' } });
    const paid = await rehearsal.pay(id, card(), 1598);
    expect(paid).toMatchObject({
      status: 201,
      body: {
        ...{ state: 'authorised', outstanding: eur(0), transactionState: 'completed', orderSubmission: 'accepted' },
        receipt: {
          number: expect.stringMatching(/^store-01-lane-1-\d{8}-0001$/),
          lines: [{ sku: 'mug-blue', qty: 2, lineTotal: eur(2598) }],
          tenders: [
            { type: 'cash', amount: eur(1000) },
            { type: 'card', amount: eur(1598), last4: expect.any(String) },
          ],
        },
      },
    });
    const order = await rehearsal.order(id);
    expect(order).toMatchObject({ state: 'completed', channel: 'pos', paymentStatus: 'paid', orderNumber });
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 48, reserved: 0 });
    expect(typesOf(await rehearsal.events()).slice(3)).toEqual([
      'payment-authorized',
      'payment-authorized',
      'order-created',
      'order-confirmed',
      'payment-captured',
      'payment-captured',
    ]);
    await rehearsal.verify();
  });

  test('is refused for more than the outstanding amount, in another currency and for an unknown transaction', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    await rehearsal.pay(id, CASH, 2000);
    expect(await rehearsal.pay(id, CASH, 599)).toMatchObject({ status: 409, body: { code: 'overpayment', outstanding: eur(598) } });
    const dollars = await rehearsal.call('add-payment-api', {
      params: { id },
      body: { tender: CASH, amount: { amount: 1, currency: 'USD' } },
    });
    expect(dollars).toMatchObject({ status: 422, body: { errors: [{ pointer: '/amount/currency' }] } });
    expect(await rehearsal.pay('ord_none', CASH, 1)).toMatchObject({ status: 404, body: { objectType: 'transaction' } });
    expect(await rehearsal.pay(id, { type: 'card' }, 1)).toMatchObject({ status: 422 });
    expect(await rehearsal.pay(id, { type: 'cash', token: 'tok_visa' }, 1)).toMatchObject({ status: 422 });
    expect(await rehearsal.pay(id, { type: 'exchange-credit' }, 1)).toMatchObject({ status: 422 });
    await rehearsal.verify();
  });

  test('is refused after the end of the transaction', async () => {
    await using rehearsal = await newRehearsal();
    const [sold, voided] = [await rehearsal.sale(), await rehearsal.sale()];
    await rehearsal.pay(sold.id, CASH, 2598);
    await rehearsal.voidSale(voided.id);
    for (const [{ id }, currentState] of [
      [sold, 'completed'],
      [voided, 'voided'],
    ] as const) {
      expect(await rehearsal.pay(id, CASH, 1)).toMatchObject({
        status: 409,
        body: {
          code: 'invalid_state_transition',
          objectType: 'transaction',
          id,
          currentState,
          action: 'add-payment',
          allowedFrom: ['open'],
        },
      });
    }
  });

  test('repeated with its key answers the same tender, and a declined tender stays declined', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    const key = { 'idempotency-key': 'tender-1' };
    const first = await rehearsal.pay(id, card(), 2598, key);
    const again = await rehearsal.pay(id, card(), 2598, key);
    expect(again).toMatchObject({ status: 201, body: first.body, headers: { 'idempotent-replayed': 'true' } });
    expect(await rehearsal.pay(id, card(), 2000, key)).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    const other = await rehearsal.sale();
    const declined = { 'idempotency-key': 'tender-2' };
    const no = await rehearsal.pay(other.id, card('tok_decline_insufficient_funds'), 2598, declined);
    expect(await rehearsal.pay(other.id, card('tok_decline_insufficient_funds'), 2598, declined)).toMatchObject({
      status: 402,
      body: no.body,
    });
    expect((await rehearsal.events({ type: 'payment-authorized' })).length).toBe(1);
  });

  test('accepts a gift card, points and cash for one sale', async () => {
    await using rehearsal = await newRehearsal();
    const { id, basketId } = await rehearsal.sale({ loyaltyId: 'loy_ada' });
    const { redemption } = await rehearsal.api('redeem-points-api', { params: { id: 'loy_ada' }, body: { points: 300, basketId } });
    expect(await rehearsal.pay(id, { type: 'gift-card', token: 'gift_5' }, 500)).toMatchObject({ status: 201 });
    expect(await rehearsal.pay(id, { type: 'gift-card', token: 'gift_5' }, 500)).toMatchObject({ status: 402 });
    expect(await rehearsal.pay(id, { type: 'loyalty', token: redemption.id }, 300)).toMatchObject({
      status: 201,
      body: { outstanding: eur(1798) },
    });
    const last = await rehearsal.pay(id, CASH, 1798);
    expect(last).toMatchObject({
      status: 201,
      body: { transactionState: 'completed', receipt: { tenders: [{ type: 'gift-card' }, { type: 'loyalty' }, { type: 'cash' }] } },
    });
    await rehearsal.settle();
    const { entries } = await rehearsal.api('get-member-balance-api', { params: { id: 'loy_ada' } });
    expect(entries.filter((entry: { orderId?: string }) => entry.orderId === id)).toMatchObject([{ type: 'earn', points: 22 }]);
    await rehearsal.verify();
  });

  test('numbers the receipts of a lane without a gap', async () => {
    await using rehearsal = await newRehearsal();
    const numbers: string[] = [];
    for (const laneId of ['lane-1', 'lane-2', 'lane-1']) {
      const { id } = await rehearsal.sale({ laneId });
      numbers.push((await rehearsal.pay(id, CASH, 2598)).body.receipt.number.slice(-4));
    }
    expect(numbers).toEqual(['0001', '0001', '0002']);
  });
});

describe('A tender that waits for approval', () => {
  test('counts as paid, and its approval submits the sale', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    const bnpl = await rehearsal.pay(id, { type: 'bnpl' }, 1000);
    expect(bnpl).toMatchObject({ status: 201, body: { state: 'pending', outstanding: eur(1598), transactionState: 'open' } });
    const rest = await rehearsal.pay(id, CASH, 1598);
    expect(rest.body).toMatchObject({ state: 'authorised', outstanding: eur(0), transactionState: 'open', orderSubmission: 'none' });
    expect(rest.body.receipt).toBeUndefined();
    expect(await rehearsal.call('get-order-api', { params: { id } })).toMatchObject({ status: 404 });
    expect(await rehearsal.voidSale(id)).toMatchObject({
      status: 409,
      body: {
        ...{ code: 'invalid_state_transition', currentState: 'open', action: 'void', retryable: true },
        detail: expect.stringMatching(/^Pending payments may cover the transaction .*; send this again if they are declined/),
      },
    });
    await rehearsal.advance('PT1M');
    expect(await rehearsal.order(id)).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 48, reserved: 0 });
    await rehearsal.verify();
  });

  test('completes the sale by itself when it is the last one', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    const last = await rehearsal.pay(id, card('tok_async_approve'), 2598);
    expect(last).toMatchObject({ status: 201, body: { state: 'pending', outstanding: eur(0), transactionState: 'open' } });
    await rehearsal.advance('PT1M');
    expect(await rehearsal.order(id)).toMatchObject({ state: 'completed' });
    await rehearsal.verify();
  });

  test('is voided when it is approved after the void of its transaction', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    const { body } = await rehearsal.pay(id, card('tok_async_approve'), 1000);
    expect(await rehearsal.voidSale(id)).toMatchObject({
      status: 200,
      body: { state: 'cancelled', payments: [{ id: body.id, state: 'pending' }] },
    });
    await rehearsal.advance('PT1M');
    expect(await rehearsal.object('payment', body.id)).toMatchObject({ state: 'voided' });
    await rehearsal.verify();
  });
});

describe('If-Match', () => {
  test('refers to the version of the transaction at the till', async () => {
    await using rehearsal = await newRehearsal();
    const { id, version } = await rehearsal.sale();
    const send = (path: string, body: object, ifMatch: number) =>
      rehearsal.call('POST', `/transactions/${id}${path}`, body, { headers: { 'if-match': `"${ifMatch}"` } });
    const tender = { tender: CASH, amount: eur(500) };
    expect(await send('/payment', tender, version + 1)).toMatchObject({
      status: 412,
      body: { code: 'version_mismatch', id, currentVersion: version },
    });
    expect((await send('/payment', tender, version)).status).toBe(201);
    expect((await send('/void', {}, version)).status).toBe(412);
    expect((await rehearsal.call('void-transaction-api', { params: { id }, body: {} })).status).toBe(200);
  });
});

describe('Void Transaction', () => {
  test('voids the tenders in reverse order and releases the stock', async () => {
    await using rehearsal = await newRehearsal();
    const { id, basketId } = await rehearsal.sale();
    const first = await rehearsal.pay(id, CASH, 500);
    const second = await rehearsal.pay(id, card(), 600);
    const voided = await rehearsal.voidSale(id, { reason: 'changed their mind' });
    expect(voided).toMatchObject({
      status: 200,
      body: { state: 'cancelled', cancelReason: 'changed their mind', paymentStatus: 'unpaid' },
    });
    expect(voided.body.compensation).toBeUndefined();
    expect(voided.body.payments.map(({ id, state }: { id: string; state: string }) => [id, state])).toEqual([
      [first.body.id, 'voided'],
      [second.body.id, 'voided'],
    ]);
    expect(await rehearsal.object('basket', basketId)).toMatchObject({ state: 'abandoned' });
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 0 });
    await rehearsal.verify();
  });

  test('returns the last tender first', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    const ids: string[] = [];
    for (const tender of [CASH, card(), { type: 'gift-card', token: 'gift_50' }]) ids.push((await rehearsal.pay(id, tender, 500)).body.id);
    await rehearsal.voidSale(id);
    const voided = (await rehearsal.events({ type: 'ext.payment-changed', ext: true })).filter(
      ({ data }) => data.object.state === 'voided',
    );
    expect(voided.map(({ data }) => data.object.id)).toEqual(ids.toReversed());
    expect(typesOf(await rehearsal.events()).at(-1)).toBe('checkout-cancelled');
  });

  test('repeated changes nothing', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    const first = await rehearsal.voidSale(id, { reason: 'first' });
    const count = (await rehearsal.events({ ext: true })).length;
    for (const said of [{}, { reason: 'first' }])
      expect(await rehearsal.voidSale(id, said)).toMatchObject({ status: 200, body: first.body });
    const other = await rehearsal.voidSale(id, { reason: 'second' });
    expect([other.status, other.body.code, other.body.standing]).toEqual([409, 'conflicting_repeat', { reason: 'first' }]);
    expect((await rehearsal.events({ ext: true })).length).toBe(count);
  });

  test('is refused for a fully paid transaction and for an unknown one', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    await rehearsal.pay(id, CASH, 2598);
    expect(await rehearsal.voidSale(id)).toMatchObject({
      status: 409,
      body: {
        code: 'invalid_state_transition',
        objectType: 'transaction',
        currentState: 'completed',
        action: 'void',
        allowedFrom: ['open'],
      },
    });
    expect(await rehearsal.voidSale('ord_none')).toMatchObject({ status: 404 });
    expect(await rehearsal.order(id)).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
  });
});

describe('A transaction that is not paid', () => {
  test('is voided 24 hours after the last call', async () => {
    await using rehearsal = await newRehearsal();
    const { id, basketId } = await rehearsal.sale();
    await rehearsal.advance('PT20H');
    const { body } = await rehearsal.pay(id, CASH, 1000);
    await rehearsal.advance('PT20H');
    expect(await rehearsal.object('basket', basketId)).toMatchObject({ state: 'locked' });
    expect(await rehearsal.object('payment', body.id)).toMatchObject({ state: 'authorised' });
    await rehearsal.advance('PT4H');
    expect(await rehearsal.object('basket', basketId)).toMatchObject({ state: 'abandoned' });
    expect(await rehearsal.object('payment', body.id)).toMatchObject({ state: 'voided' });
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 0 });
    expect(await rehearsal.voidSale(id)).toMatchObject({ status: 200, body: { state: 'cancelled', cancelReason: 'expired' } });
    await rehearsal.verify();
  });

  test('is submitted and not voided when it is paid', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    await rehearsal.pay(id, CASH, 2598);
    await rehearsal.advance('P2D');
    expect(await rehearsal.order(id)).toMatchObject({ state: 'completed' });
    await rehearsal.verify();
  });
});

describe('An order that a client makes of a transaction by hand', () => {
  const byHand = (rehearsal: TestRehearsal, transactionId: string) => rehearsal.api('create-order-api', { body: { transactionId } });

  test('has the id of the transaction and is completed when the till has all the money', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    await rehearsal.pay(id, CASH, 1000);
    expect(await byHand(rehearsal, id)).toMatchObject({ id, state: 'draft', paymentStatus: 'unpaid', payments: [{ state: 'authorised' }] });
    expect(await rehearsal.call('confirm-order-api', { params: { id } })).toMatchObject({
      status: 409,
      body: { code: 'payment_incomplete' },
    });
    expect(await rehearsal.pay(id, card(), 1598)).toMatchObject({ status: 201, body: { transactionState: 'completed' } });
    expect(await rehearsal.events({ type: 'order-created' })).toHaveLength(1);
    await rehearsal.verify();
  });

  test('may be paid at the Payment Hub too: the till lists these payments', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    await rehearsal.pay(id, CASH, 1000);
    await byHand(rehearsal, id);
    await rehearsal.authorisation(id);
    await rehearsal.settle();
    expect(await rehearsal.order(id)).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
    await rehearsal.verify();
  });

  test('is cancelled when its transaction is voided', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    await rehearsal.pay(id, CASH, 1000);
    await byHand(rehearsal, id);
    const voided = await rehearsal.voidSale(id);
    expect(voided).toMatchObject({ status: 200, body: { state: 'cancelled', payments: [{ state: 'voided' }] } });
    expect(voided.body.compensation).toBeUndefined();
    expect(await rehearsal.order(id)).toMatchObject({ state: 'cancelled' });
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 0 });
    await rehearsal.verify();
  });

  test('ends its transaction when it is cancelled itself', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    await rehearsal.pay(id, CASH, 1000);
    await byHand(rehearsal, id);
    await rehearsal.api('cancel-order-api', { params: { id } });
    await rehearsal.settle();
    expect(await rehearsal.pay(id, CASH, 1000)).toMatchObject({ status: 409, body: { currentState: 'voided' } });
    expect(await rehearsal.voidSale(id)).toMatchObject({
      status: 200,
      body: { cancelReason: 'order cancelled', payments: [{ state: 'voided' }] },
    });
    await rehearsal.verify();
  });
});

test('Get Transaction answers other applications with the state and payments of a transaction, and not_found for an unknown one', async () => {
  await using estate = await startInside(pos, ecommercePlatform, sim, inventoryService, promotionEngine, paymentHub, loyaltyPlatform, crm);
  const lines = [{ sku: 'mug-blue', qty: 2 }];
  const { body } = await estate.call('POST', '/transactions', { storeId: 'store-02', laneId: 'lane-7', lines, loyaltyId: 'loy_ada' });
  const { body: cash } = await estate.call('POST', `/transactions/${body.id}/payment`, { tender: CASH, amount: eur(598) });
  const read = (id: string) => estate.as('oms')(getTransaction, { params: { id } });
  expect(await read(body.id)).toMatchObject({
    ...{ id: body.id, state: 'open', storeId: 'store-02', laneId: 'lane-7', total: eur(2598), paymentIds: [cash.id] },
    ...{ basket: { id: body.basketId, state: 'locked' }, customerId: 'cus_ada', loyaltyAccountId: 'loy_ada' },
  });
  await expect(read('ord_none')).rejects.toMatchObject({ code: 'not_found' });
  await estate.call('POST', `/transactions/${body.id}/void`, {});
  expect(await read(body.id)).toMatchObject({ state: 'voided' });
});
