import { describe, expect } from '@jest/globals';
import { LIMITS } from '../../shared/catalog/limits.ts';
import { eventually } from '../support/eventually.ts';
import { ADDRESS } from '../support/steps/order.ts';
import { payingAtCounter } from '../support/steps/pay-at-counter.ts';
import { CASH, card, eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(payingAtCounter);

const STORE = { locationId: 'store-01' };
const ASKED = { collection: STORE, payAt: 'collection' };

describe('Checkout of an order that is paid at its collection', () => {
  test('Checkout keeps payAt with the basket and the order, and leaves it out otherwise', async ({ basket, api, order, collected }) => {
    const { id } = await basket();
    const locked = await api('checkout-basket-api', { params: { id }, body: { ...ASKED, placeOrder: true } as never });
    expect(locked.payAt).toBe('collection');
    expect(await order(locked.orderId ?? '')).toMatchObject({ state: 'draft', payAt: 'collection', paymentStatus: 'unpaid' });
    expect(Object.keys(await order((await collected()).orderId ?? ''))).not.toContain('payAt');
  });

  test('Checkout refuses to be paid at the collection when the goods are sent', async ({ basket, call }) => {
    const { id } = await basket();
    const body = { shippingAddress: ADDRESS, payAt: 'collection' };
    const { status, body: refused } = await call('checkout-basket-api', { params: { id }, body });
    expect([status, refused.errors]).toEqual([422, [expect.objectContaining({ pointer: '/payAt', code: 'not_collected' })]]);
  });

  test('Checkout refuses more than the limit of the retailer, and reserves nothing then', async ({ basket, call, stockAt }) => {
    const { id } = await basket({ qty: 50 });
    const { status, body } = await call('checkout-basket-api', { params: { id }, body: ASKED });
    expect([status, body.errors]).toEqual([
      422,
      [
        {
          pointer: '/payAt',
          code: 'above_limit',
          detail: 'The order costs 629.50 EUR; at most 500.00 EUR can be paid at the collection. Leave payAt out, and pay it now.',
        },
      ],
    ]);
    expect(await stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 0 });
  });

  test('A repeated checkout changes payAt until the order exists, and keeps it when it is left out', async (rehearsal) => {
    const { basket, api, call } = rehearsal;
    const { id } = await basket();
    const checkedOut = async (body: object) => (await api('checkout-basket-api', { params: { id }, body: body as never })).payAt;
    expect(await checkedOut({ collection: STORE })).toBeUndefined();
    expect(await checkedOut(ASKED)).toBe('collection');
    expect(await checkedOut({ collection: STORE })).toBe('collection');
    expect(await checkedOut({ ...ASKED, payAt: 'checkout' })).toBeUndefined();
    expect(await checkedOut({ shippingAddress: ADDRESS })).toBeUndefined();
    expect(await checkedOut({ ...ASKED, placeOrder: true })).toBe('collection');
    const late = await call('checkout-basket-api', { params: { id }, body: { ...ASKED, payAt: 'checkout' } });
    expect(late).toMatchObject({ status: 409, body: { code: 'conflicting_repeat' } });
  });
});

test('A repeated checkout with an address is refused while the basket is paid at its collection, unless it has payAt checkout', async (rehearsal) => {
  const { basket, api, call } = rehearsal;
  const { id } = await basket();
  const params = { id };
  await api('checkout-basket-api', { params, body: ASKED as never });
  const { status, body } = await call('checkout-basket-api', { params, body: { shippingAddress: ADDRESS } });
  expect([status, body.errors]).toEqual([
    422,
    [
      {
        pointer: '/payAt',
        code: 'required',
        detail: 'The basket is paid when it is collected, and an order to an address is paid before: confirm this with payAt checkout.',
      },
    ],
  ]);
  expect(await api('get-basket-api', { params })).toMatchObject({ payAt: 'collection', collection: STORE });
  const sent = await api('checkout-basket-api', { params, body: { shippingAddress: ADDRESS, payAt: 'checkout' } });
  expect([sent.payAt, sent.collection, sent.shippingAddress]).toEqual([undefined, undefined, ADDRESS]);
});

describe('Confirm Order of an order that is paid at its collection', () => {
  test('Confirm Order needs no payment, and the goods are picked and put on the counter unpaid', async (rehearsal) => {
    const { unpaidAtCounter, order, stockAt } = rehearsal;
    const { orderId } = await unpaidAtCounter();
    expect(await order(orderId)).toMatchObject({
      state: 'in-fulfilment',
      payAt: 'collection',
      paymentStatus: 'unpaid',
      payments: [],
      fulfillmentOrders: [{ state: 'dispatched', locationId: 'store-01' }],
    });
    expect(Object.keys(await order(orderId))).not.toContain('captureStatus');
    expect(await stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 2 });
  });

  test('Confirm Order succeeds while the Payment Hub is down, and the payment status is unknown', async (rehearsal) => {
    const { orderedToPay, call, down } = rehearsal;
    const id = await orderedToPay();
    await down('payment-hub');
    expect(await call('confirm-order-api', { params: { id } })).toMatchObject({
      status: 200,
      body: { state: 'confirmed', paymentStatus: 'unknown' },
    });
  });

  test('An order that is paid later stays confirmed when its customer loses the authorisation of a payment before', async (rehearsal) => {
    const { orderedToPay, authorisation, api, advance, order } = rehearsal;
    const id = await orderedToPay();
    const { id: paymentId } = await authorisation(id);
    await api('confirm-order-api', { params: { id } });
    await api('void-payment-api', { params: { id: paymentId } });
    await advance('P2D');
    expect(await order(id)).toMatchObject({ state: 'confirmed', paymentStatus: 'unpaid' });
  });

  test('A card that the customer authorised before is captured before the goods are handed over', async (rehearsal) => {
    const { orderedToPay, authorisation, api, settle, order, ready, handOver } = rehearsal;
    const id = await orderedToPay();
    await authorisation(id);
    await api('confirm-order-api', { params: { id } });
    await settle();
    const fulfillmentOrderId = (await order(id)).fulfillmentOrders?.[0]?.id ?? '';
    const { collection } = await ready(fulfillmentOrderId);
    await settle();
    expect(await order(id)).toMatchObject({ paymentStatus: 'paid' });
    expect(await handOver(fulfillmentOrderId, { code: collection?.code })).toMatchObject({ status: 200 });
  });
});

const RECEIPT = { number: expect.stringMatching(/^store-01-lane-1-.*0001$/) };

describe('The till takes the payment of an order that waits at the counter', () => {
  test('Hand Over Collection refuses unpaid goods and names the till, the till takes cash, and the goods are handed over', async (rehearsal) => {
    const { unpaidAtCounter, handOver, openTill, pay, settle, order, stockAt } = rehearsal;
    const { orderId, fulfillmentOrderId, code } = await unpaidAtCounter();
    expect(await handOver(fulfillmentOrderId, { code })).toMatchObject({
      status: 409,
      body: {
        code: 'payment_incomplete',
        outstanding: eur(2598),
        detail: `25.98 EUR of the order "${orderId}" are not paid; take them at a till of the store (Create Transaction with orderId), then hand the goods over.`,
      },
    });
    expect(await openTill(orderId)).toMatchObject({
      status: 201,
      body: { id: orderId, state: 'in-fulfilment', outstanding: eur(2598), totals: { total: eur(2598) }, payments: [] },
    });
    expect(await stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 2 });
    const paid = await pay(orderId, CASH, 3000);
    expect(paid).toMatchObject({
      status: 201,
      body: {
        orderId,
        transactionId: orderId,
        amount: eur(2598),
        change: eur(402),
        outstanding: eur(0),
        transactionState: 'completed',
        receipt: { ...RECEIPT, totals: { total: eur(2598) }, lines: [{ sku: 'mug-blue', qty: 2 }] },
      },
    });
    expect(await order(orderId)).toMatchObject({ state: 'in-fulfilment', channel: 'web', paymentStatus: 'paid' });
    expect(await handOver(fulfillmentOrderId, { code })).toMatchObject({ status: 200, body: { state: 'delivered' } });
    await settle();
    expect(await order(orderId)).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
    expect(await stockAt('mug-blue')).toEqual({ onHand: 48, reserved: 0 });
  });

  test('The till takes the rest after a payment by card online, with several tenders', async (rehearsal) => {
    const { unpaidAtCounter, authorisation, openTill, pay, settle, order, handOver } = rehearsal;
    const { orderId, fulfillmentOrderId, code } = await unpaidAtCounter();
    await authorisation(orderId, 1000);
    await settle();
    expect((await openTill(orderId)).body.outstanding).toEqual(eur(1598));
    expect(await pay(orderId, card(), 1000)).toMatchObject({ status: 201, body: { outstanding: eur(598), transactionState: 'open' } });
    expect(await handOver(fulfillmentOrderId, { code })).toMatchObject({ status: 409, body: { outstanding: eur(598) } });
    const last = await pay(orderId, CASH, 598);
    expect(last.body.receipt.tenders.map(({ amount }: { amount: object }) => amount)).toEqual([eur(1000), eur(1000), eur(598)]);
    expect((await order(orderId)).payments.map(({ state }) => state)).toEqual(['captured', 'captured', 'captured']);
    expect(await handOver(fulfillmentOrderId, { code })).toMatchObject({ status: 200 });
  });

  test('Gift card, points and cash pay, and the order earns points once, for the money', async (rehearsal) => {
    const { unpaidAtCounter, api, openTill, pay, handOver, settle, order, events } = rehearsal;
    const { orderId, fulfillmentOrderId, code } = await unpaidAtCounter();
    const { basketId } = await order(orderId);
    const { redemption } = await api('redeem-points-api', { params: { id: 'loy_ada' }, body: { points: 300, basketId } });
    await openTill(orderId);
    expect(await pay(orderId, { type: 'gift-card', token: 'gift_5' }, 500)).toMatchObject({ status: 201 });
    expect(await pay(orderId, { type: 'loyalty', token: redemption.id }, 300)).toMatchObject({ body: { outstanding: eur(1798) } });
    expect(await pay(orderId, CASH, 1798)).toMatchObject({ body: { transactionState: 'completed' } });
    await handOver(fulfillmentOrderId, { code });
    await settle();
    const { entries } = await api('get-member-balance-api', { params: { id: 'loy_ada' } });
    expect(entries.filter((entry) => entry.orderId === orderId)).toMatchObject([{ type: 'earn', points: 22 }]);
    expect(await events({ type: 'order-created' })).toHaveLength(1);
  });

  test('The till takes and captures money while captures are manual', async ({
    control,
    unpaidAtCounter,
    openTill,
    pay,
    handOver,
    order,
  }) => {
    await control('set-progression', { body: { capture: 'manual' } });
    const { orderId, fulfillmentOrderId, code } = await unpaidAtCounter();
    await openTill(orderId);
    expect(await pay(orderId, card(), 2598)).toMatchObject({ body: { transactionState: 'completed' } });
    expect((await order(orderId)).payments).toMatchObject([{ state: 'captured' }]);
    expect(await handOver(fulfillmentOrderId, { code })).toMatchObject({ status: 200 });
  });

  test('The receipt lists the units that the store had, and the till takes their price', async (rehearsal) => {
    const { confirmedToPay, api, call, settle, openTill, pay, handOver, order } = rehearsal;
    const goods = [
      { sku: 'mug-blue', qty: 3 },
      { sku: 'espresso-cup', qty: 1 },
    ];
    const { orderId, fulfillmentOrderId } = await confirmedToPay(goods, { shortage: 'cancel' });
    const { id, lines } = await api('create-picking-order-api', { body: { fulfillmentOrderId } });
    await api('update-picking-status-api', { params: { id }, body: { status: 'started' } });
    const short = lines.map(({ orderLineId, qty }) => ({ orderLineId, pickedQty: qty === 3 ? 2 : 0 }));
    await call('update-picking-status-api', { params: { id }, body: { status: 'short', lines: short } });
    await api('update-picking-status-api', { params: { id }, body: { status: 'packed' } });
    const { collection } = await api('dispatch-fulfillment-order-api', { params: { id: fulfillmentOrderId } });
    await settle();
    expect((await openTill(orderId)).body.outstanding).toEqual(eur(2598));
    const { body } = await pay(orderId, CASH, 2598);
    expect(body.receipt).toMatchObject({
      lines: [{ sku: 'mug-blue', qty: 2, unitPrice: eur(1299), discount: eur(0), lineTotal: eur(2598) }],
      totals: { subtotal: eur(2598), discount: eur(0), shipping: eur(0), total: eur(2598) },
    });
    expect(await handOver(fulfillmentOrderId, { code: collection?.code })).toMatchObject({ status: 200 });
    await settle();
    expect(await order(orderId)).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
  });

  test('A payment online while the till waits for the rest completes the transaction', async (rehearsal) => {
    const { unpaidAtCounter, openTill, pay, authorisation, settle, order, handOver } = rehearsal;
    const { orderId, fulfillmentOrderId, code } = await unpaidAtCounter();
    await openTill(orderId);
    await pay(orderId, CASH, 1000);
    await authorisation(orderId);
    await settle();
    expect(await order(orderId)).toMatchObject({ paymentStatus: 'paid' });
    const { status, body } = await openTill(orderId);
    expect([status, body.outstanding, body.receipt.tenders.length]).toEqual([200, eur(0), 2]);
    expect(await handOver(fulfillmentOrderId, { code })).toMatchObject({ status: 200 });
  });

  test('The goods may be handed over before the till has reported the payments, and the transaction is completed then', async (rehearsal) => {
    const { unpaidAtCounter, openTill, pay, fault, noFaults, advance, handOver, settle } = rehearsal;
    const { orderId, fulfillmentOrderId, code } = await unpaidAtCounter();
    await openTill(orderId);
    await fault('lost', { match: { api: 'ensure-captured' }, fault: { kind: 'outage' }, times: 1 });
    expect(await pay(orderId, CASH, 2598)).toMatchObject({ body: { transactionState: 'paid', orderSubmission: 'queued' } });
    await noFaults();
    expect(await handOver(fulfillmentOrderId, { code })).toMatchObject({ status: 200 });
    await settle();
    await advance('PT10M');
    expect((await openTill(orderId)).body).toMatchObject({ outstanding: eur(0), receipt: { totals: { total: eur(2598) } } });
  });

  test('Money that was refunded before the hand-over is outstanding again, and keeps the receipt number', async (rehearsal) => {
    const { unpaidAtCounter, openTill, pay, api, settle, handOver } = rehearsal;
    const { orderId, fulfillmentOrderId, code } = await unpaidAtCounter();
    await openTill(orderId);
    const { body: first } = await pay(orderId, card(), 2598);
    await api('refund-payment-api', { params: { id: first.id }, body: { amount: eur(598) } });
    await settle();
    expect(await handOver(fulfillmentOrderId, { code })).toMatchObject({ status: 409, body: { outstanding: eur(598) } });
    expect(await openTill(orderId, { laneId: 'lane-2' })).toMatchObject({ status: 201, body: { outstanding: eur(598) } });
    const { body: second } = await pay(orderId, CASH, 598);
    expect(second.receipt.number).toBe(first.receipt.number);
    expect(await handOver(fulfillmentOrderId, { code })).toMatchObject({ status: 200 });
  });

  test('A receipt lists what was given back of a tender, so that cash adds up to what the customer handed over', async (rehearsal) => {
    const { unpaidAtCounter, openTill, pay, api, settle } = rehearsal;
    const { orderId } = await unpaidAtCounter();
    await openTill(orderId);
    const { body: first } = await pay(orderId, CASH, 3000);
    expect(first.receipt.tenders).toEqual([
      { paymentId: first.id, type: 'cash', amount: eur(2598), tendered: eur(3000), change: eur(402) },
    ]);
    await api('refund-payment-api', { params: { id: first.id }, body: { amount: eur(598) } });
    await settle();
    await openTill(orderId);
    const { body: second } = await pay(orderId, CASH, 1000);
    expect(second.receipt.tenders).toEqual([
      { paymentId: first.id, type: 'cash', amount: eur(2000), givenBack: eur(598), tendered: eur(3000), change: eur(402) },
      { paymentId: second.id, type: 'cash', amount: eur(598), tendered: eur(1000), change: eur(402) },
    ]);
    expect(second.receipt.totals.total).toEqual(eur(2598));
  });

  test.each([
    ['by card', card(), undefined],
    ['by card while captures are manual', card(), 'manual'],
    ['in cash', CASH, undefined],
  ] as const)(
    'A till captures the second payment %s after the refund of the first one, and the goods are handed over',
    async (rehearsal, ...[, tender, capture]) => {
      const { control, unpaidAtCounter, openTill, pay, api, settle, order, handOver } = rehearsal;
      if (capture) await control('set-progression', { body: { capture } });
      const { orderId, fulfillmentOrderId, code } = await unpaidAtCounter();
      await openTill(orderId);
      const { body: first } = await pay(orderId, tender, 2598);
      await api('refund-payment-api', { params: { id: first.id }, body: { amount: eur(2598) } });
      await settle();
      expect((await openTill(orderId)).status).toBe(201);
      expect(await pay(orderId, tender, 2598)).toMatchObject({ body: { transactionState: 'completed' } });
      expect((await order(orderId)).payments.map(({ state }) => state)).toEqual(['fully-refunded', 'captured']);
      expect(await handOver(fulfillmentOrderId, { code })).toMatchObject({ status: 200 });
    },
  );

  test('Goods that were paid at the counter are returned and refunded as any others', async (rehearsal) => {
    const { unpaidAtCounter, openTill, pay, handOver, settle, order, advance, moved } = rehearsal;
    const { orderId, fulfillmentOrderId, code } = await unpaidAtCounter();
    await openTill(orderId);
    await pay(orderId, CASH, 2598);
    const [line] = (await order(orderId)).lines;
    const refused = [{ orderLineId: line?.lineId ?? '', qty: 1, reason: 'Too blue' }];
    const { body } = await handOver(fulfillmentOrderId, { code, refused });
    await advance('PT1M');
    await moved(body.collection.refusedReturnId, 'inspect');
    await settle();
    expect((await order(orderId)).payments).toMatchObject([{ state: 'partially-refunded', refundedAmount: eur(1299) }]);
  });
});

describe('Create Transaction with an order', () => {
  test('Create Transaction answers a repeat at the same till with 200, and refuses another till until it is voided', async (rehearsal) => {
    const { unpaidAtCounter, openTill, pay, voidSale } = rehearsal;
    const { orderId } = await unpaidAtCounter();
    expect((await openTill(orderId)).status).toBe(201);
    await pay(orderId, CASH, 1000);
    expect(await openTill(orderId)).toMatchObject({ status: 200, body: { outstanding: eur(1598) } });
    expect(await openTill(orderId, { laneId: 'lane-2' })).toMatchObject({
      status: 409,
      body: { code: 'invalid_state_transition', storeId: 'store-01', laneId: 'lane-1' },
    });
    expect(await voidSale(orderId)).toMatchObject({ status: 200, body: { state: 'in-fulfilment', payments: [{ state: 'voided' }] } });
    expect(await openTill(orderId, { laneId: 'lane-2' })).toMatchObject({ status: 201, body: { outstanding: eur(2598) } });
  });

  test('A till takes an order whose customer was declined as often as an order may have payments', async (rehearsal) => {
    const { unpaidAtCounter, call, openTill, pay } = rehearsal;
    const { orderId } = await unpaidAtCounter();
    const tender = card('tok_decline_insufficient_funds');
    for (let count = 0; count < LIMITS.tenders; count++) await call('authorize-payment-api', { body: { orderId, tender } });
    expect(await openTill(orderId)).toMatchObject({ status: 201, body: { payments: [] } });
    expect((await openTill(orderId)).body.payments).toEqual([]);
    expect(await pay(orderId, CASH, 2598)).toMatchObject({ body: { transactionState: 'completed' } });
  });

  test('Of two tills at the same time, one takes the payment', async ({ unpaidAtCounter, openTill }) => {
    const { orderId } = await unpaidAtCounter();
    const lanes = ['lane-1', 'lane-2', 'lane-3'];
    const replies = await Promise.all(lanes.map((laneId) => openTill(orderId, { laneId })));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
  });

  test('Create Transaction refuses an order that does not wait at the counter of this store, or is paid', async (rehearsal) => {
    const { openTill, confirmed, confirmedToPay, unpaidAtCounter, atCounter, cancel, sale, settle } = rehearsal;
    const refusal = async (id: string, till?: object) => {
      const { status, body } = await openTill(id, till);
      return [status, body.code, body.detail ?? body.errors];
    };
    const refused = (words: string) => [409, 'invalid_state_transition', expect.stringContaining(words)];
    expect(await refusal('ord_missing')).toEqual([404, 'not_found', expect.any(String)]);
    expect(await refusal((await confirmed()).id)).toEqual(refused('pay it with Authorize Payment'));
    expect(await refusal((await confirmedToPay()).orderId)).toEqual(refused('Dispatch Fulfillment Order puts packed goods there'));
    const { orderId } = await unpaidAtCounter();
    expect(await refusal(orderId, { storeId: 'store-02' })).toEqual(refused('are collected at "store-01"'));
    expect((await openTill(orderId, { storeId: 'store-99' })).body.errors).toMatchObject([{ pointer: '/storeId', code: 'unknown_store' }]);
    expect(await refusal((await atCounter()).orderId)).toEqual([409, 'overpayment', expect.stringContaining('there is nothing to pay')]);
    await cancel(orderId);
    await settle();
    expect(await refusal(orderId)).toEqual(refused('is cancelled'));
    const { id } = await sale();
    expect(await refusal(id)).toEqual(refused('is a sale at a till'));
  });

  test('Create Transaction refuses an order together with lines, a basket or a loyalty card', async ({ openTill }) => {
    const pointers = async (more: object) =>
      (await openTill('ord_1', more)).body.errors?.map(({ pointer }: { pointer: string }) => pointer);
    expect(await pointers({ lines: [{ sku: 'mug-blue', qty: 1 }] })).toEqual(['']);
    expect(await pointers({ basketId: 'bsk_1' })).toEqual(['']);
    expect(await pointers({ loyaltyId: 'loy_ada' })).toEqual(['/loyaltyId']);
  });

  test('Create Order refuses the transaction of an order that is collected', async ({ unpaidAtCounter, openTill, call, order }) => {
    const { orderId } = await unpaidAtCounter();
    await openTill(orderId);
    expect(await call('create-order-api', { body: { transactionId: orderId } })).toMatchObject({ status: 200, body: { id: orderId } });
    expect(await order(orderId)).toMatchObject({ channel: 'web' });
  });
});

describe('The payment at the counter ends', () => {
  test('Void Transaction returns what the till took, and keeps what the customer paid before', async (rehearsal) => {
    const { unpaidAtCounter, authorisation, openTill, pay, voidSale, settle, order } = rehearsal;
    const { orderId } = await unpaidAtCounter();
    await authorisation(orderId, 1000);
    await settle();
    await openTill(orderId);
    await pay(orderId, CASH, 500);
    expect(await voidSale(orderId, { reason: 'No money' })).toMatchObject({ status: 200 });
    await settle();
    expect((await order(orderId)).payments.map(({ state }) => state)).toEqual(['authorised', 'voided']);
    expect(await order(orderId)).toMatchObject({ state: 'in-fulfilment' });
  });

  test('A void that arrives after the till has begun again names its opening, and voids no other one', async (rehearsal) => {
    const { unpaidAtCounter, openTill, pay, voidSale, settle, order, sale } = rehearsal;
    const { orderId } = await unpaidAtCounter();
    expect((await openTill(orderId)).body.opening).toBe(1);
    expect((await openTill(orderId)).body.opening).toBe(1);
    expect(await voidSale(orderId, { opening: 1 })).toMatchObject({ status: 200 });
    expect(await voidSale(orderId)).toMatchObject({ status: 200 });
    expect((await openTill(orderId, { laneId: 'lane-2' })).body.opening).toBe(2);
    await pay(orderId, CASH, 500);
    const late = await voidSale(orderId, { opening: 1 });
    expect(late).toMatchObject({ status: 409, body: { code: 'invalid_state_transition', opening: 2 } });
    expect(late.body.detail).toBe(
      `The opening 1 of the transaction "${orderId}" has ended; this void changes nothing. The till has begun again with the opening 2.`,
    );
    expect((await voidSale(orderId)).body.errors).toEqual([
      {
        pointer: '/opening',
        code: 'required',
        detail:
          'A till has begun 2 times to take the payment of this order. Name the opening that is voided: Create Transaction returns it.',
      },
    ]);
    expect((await voidSale(orderId, { opening: 3 })).body.errors).toMatchObject([{ pointer: '/opening', code: 'unknown_opening' }]);
    expect((await order(orderId)).payments).toMatchObject([{ state: 'authorised' }]);
    expect(await voidSale(orderId, { opening: 2 })).toMatchObject({ status: 200 });
    await settle();
    expect((await order(orderId)).payments).toMatchObject([{ state: 'voided' }]);
    const { id, ...sold } = await sale();
    expect(Object.keys(sold)).not.toContain('opening');
    expect((await voidSale(id, { opening: 1 })).body.errors).toMatchObject([{ pointer: '/opening', code: 'unexpected' }]);
  });

  test('Nothing is lost when the Payment Hub is down at the till: the void is completed later, and then the till opens again', async (rehearsal) => {
    const { unpaidAtCounter, openTill, pay, voidSale, down, noFaults, advance, order } = rehearsal;
    const { orderId } = await unpaidAtCounter();
    await openTill(orderId);
    await pay(orderId, CASH, 500);
    await down('payment-hub');
    expect((await pay(orderId, CASH, 500)).status).toBe(503);
    expect(await voidSale(orderId)).toMatchObject({ status: 200, body: { compensation: 'pending' } });
    expect((await openTill(orderId)).status).toBe(503);
    await noFaults();
    await advance('PT1M');
    expect((await order(orderId)).payments).toMatchObject([{ state: 'voided' }]);
    expect(await openTill(orderId)).toMatchObject({ status: 201, body: { outstanding: eur(2598) } });
  });

  test('Without the OMS an open transaction is voided', async (rehearsal) => {
    const { unpaidAtCounter, openTill, pay, voidSale, down, noFaults, order } = rehearsal;
    const { orderId } = await unpaidAtCounter();
    await openTill(orderId);
    await pay(orderId, CASH, 500);
    await down('oms');
    expect(await voidSale(orderId)).toMatchObject({ status: 200, body: { payments: [{ state: 'voided' }] } });
    expect((await openTill(orderId)).status).toBe(503);
    await noFaults();
    expect(await order(orderId)).toMatchObject({ state: 'in-fulfilment', paymentStatus: 'unpaid' });
  });

  test('Without the OMS an open transaction takes tenders, and the order is paid when the OMS is back', async (rehearsal) => {
    const { unpaidAtCounter, openTill, pay, down, noFaults, advance, order, handOver } = rehearsal;
    const { orderId, fulfillmentOrderId, code } = await unpaidAtCounter();
    await openTill(orderId);
    await down('oms');
    expect(await pay(orderId, card(), 2598)).toMatchObject({ status: 201, body: { transactionState: 'paid', orderSubmission: 'queued' } });
    expect((await handOver(fulfillmentOrderId, { code })).status).toBeGreaterThanOrEqual(502);
    await noFaults();
    await advance('PT1H');
    expect(await order(orderId)).toMatchObject({ paymentStatus: 'paid', payments: [{ state: 'captured' }] });
    expect(await handOver(fulfillmentOrderId, { code })).toMatchObject({ status: 200 });
  });

  test('Units that the OMS cancels while the till waits lower the amount of the next tender', async (rehearsal) => {
    const { confirmedToPay, api, call, settle, fault, noFaults, openTill, pay, order } = rehearsal;
    const { orderId, fulfillmentOrderId } = await confirmedToPay(undefined, { shortage: 'cancel' });
    const { id, lines } = await api('create-picking-order-api', { body: { fulfillmentOrderId } });
    await api('update-picking-status-api', { params: { id }, body: { status: 'started' } });
    await settle();
    await fault('late', { match: { event: 'ext.fulfillment-order-changed' }, fault: { kind: 'withhold' } });
    const short = lines.map(({ orderLineId }) => ({ orderLineId, pickedQty: 1 }));
    await call('update-picking-status-api', { params: { id }, body: { status: 'short', lines: short } });
    await api('update-picking-status-api', { params: { id }, body: { status: 'packed' } });
    await api('dispatch-fulfillment-order-api', { params: { id: fulfillmentOrderId } });
    expect((await openTill(orderId)).body.outstanding).toEqual(eur(2598));
    await noFaults();
    await settle();
    expect(await pay(orderId, CASH, 2598)).toMatchObject({ body: { amount: eur(1299), change: eur(1299), transactionState: 'completed' } });
    expect(await order(orderId)).toMatchObject({ paymentStatus: 'paid' });
  });

  test('A transaction that is left alone is voided after a day, and the order waits on', async (rehearsal) => {
    const { unpaidAtCounter, openTill, pay, advance, order } = rehearsal;
    const { orderId } = await unpaidAtCounter();
    await openTill(orderId);
    await pay(orderId, CASH, 500);
    await advance('P1DT1H');
    expect(await order(orderId)).toMatchObject({ state: 'in-fulfilment', payments: [{ state: 'voided' }] });
    expect((await openTill(orderId)).status).toBe(201);
  });

  test.each(['reverse-payment', 'list-payments'])(
    'A Void Transaction that waits for %s voids its own transaction, and keeps what the next till takes',
    async (rehearsal, slow) => {
      const { unpaidAtCounter, openTill, pay, voidSale, fault, settle, order } = rehearsal;
      const { orderId } = await unpaidAtCounter();
      await openTill(orderId);
      await pay(orderId, CASH, 1000);
      await fault('unread', { match: { api: 'get-order-api', caller: 'pos' }, fault: { kind: 'outage' }, times: 1 });
      await fault('slow', { match: { api: slow, caller: 'pos' }, fault: { kind: 'latency', ms: 2500 }, times: 1 });
      const voiding = voidSale(orderId);
      const isOpened = async () => (await openTill(orderId, { laneId: 'lane-2' })).status === 201;
      await eventually('the opening at the next till', isOpened);
      expect(await pay(orderId, CASH, 1500)).toMatchObject({ status: 201, body: { outstanding: eur(1098) } });
      expect(await voiding).toMatchObject({ status: 200, body: { id: orderId } });
      await settle();
      expect((await order(orderId)).payments.map(({ state }) => state)).toEqual(['voided', 'authorised']);
      expect(await openTill(orderId, { laneId: 'lane-2' })).toMatchObject({ status: 200, body: { outstanding: eur(1098) } });
    },
  );

  test.each(['void', 'expiry'])('The %s of a transaction keeps what an earlier, completed transaction took', async (rehearsal, end) => {
    const { unpaidAtCounter, openTill, pay, api, voidSale, settle, advance, order } = rehearsal;
    const { orderId } = await unpaidAtCounter();
    await openTill(orderId);
    const { body: first } = await pay(orderId, CASH, 2598);
    await api('refund-payment-api', { params: { id: first.id }, body: { amount: eur(598) } });
    await settle();
    await openTill(orderId, { laneId: 'lane-2' });
    await pay(orderId, CASH, 300);
    if (end === 'void') expect((await voidSale(orderId, { opening: 2 })).status).toBe(200);
    else await advance('P1DT1H');
    await settle();
    expect((await order(orderId)).payments.map(({ state, refundedAmount }) => [state, refundedAmount])).toEqual([
      ['partially-refunded', eur(598)],
      ['voided', eur(0)],
    ]);
    expect((await openTill(orderId)).body.outstanding).toEqual(eur(598));
  });

  test('Cancel Order voids the open transaction, and returns what the till took', async (rehearsal) => {
    const { unpaidAtCounter, openTill, pay, cancel, settle, order, stockAt } = rehearsal;
    const { orderId } = await unpaidAtCounter();
    await openTill(orderId);
    await pay(orderId, card(), 1000);
    await cancel(orderId);
    await settle();
    expect(await order(orderId)).toMatchObject({ state: 'cancelled', payments: [{ state: 'voided' }] });
    expect(await pay(orderId, CASH, 1598)).toMatchObject({
      status: 409,
      body: { code: 'invalid_state_transition', currentState: 'voided' },
    });
    expect(await stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 0 });
  });

  test('Goods that nobody collects go back to the shelf, and paid parts are refunded', async (rehearsal) => {
    const { unpaidAtCounter, authorisation, openTill, pay, advance, settle, order, stockAt } = rehearsal;
    const { orderId } = await unpaidAtCounter();
    await authorisation(orderId, 1000);
    await settle();
    await advance('P6DT20H');
    await openTill(orderId);
    await pay(orderId, CASH, 500);
    await advance('P1D');
    expect(await order(orderId)).toMatchObject({ state: 'cancelled', cancelReason: 'not-fulfilled' });
    // The authorisation of the shop was renewed once.
    expect((await order(orderId)).payments.map(({ state }) => state)).toEqual(['voided', 'voided', 'voided']);
    expect(await stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 0 });
  });

  test('Of a cancellation and the last tender at the same time, one wins, and no money is lost', async (rehearsal) => {
    const { unpaidAtCounter, openTill, pay, cancel, settle, order, handOver } = rehearsal;
    const { orderId, fulfillmentOrderId, code } = await unpaidAtCounter();
    await openTill(orderId);
    await pay(orderId, CASH, 1000);
    await Promise.all([pay(orderId, card(), 1598), cancel(orderId)]);
    await settle();
    const { state, payments } = await order(orderId);
    expect(state).toBe('cancelled');
    expect(payments.every((one) => one.state === 'voided' || one.state === 'fully-refunded' || one.state === 'failed')).toBe(true);
    expect(await handOver(fulfillmentOrderId, { code })).toMatchObject({ status: 409 });
  });

  test('An order that the till has paid is refunded when it is cancelled', async (rehearsal) => {
    const { unpaidAtCounter, openTill, pay, cancel, settle, order } = rehearsal;
    const { orderId } = await unpaidAtCounter();
    await openTill(orderId);
    await pay(orderId, CASH, 2598);
    expect((await cancel(orderId)).status).toBe(200);
    await settle();
    expect(await order(orderId)).toMatchObject({ state: 'cancelled', paymentStatus: 'refunded' });
  });
});

test('Explanations name what is paid at the counter, and the till that can take it', async (rehearsal) => {
  const { orderedToPay, unpaidAtCounter, control, openTill, pay } = rehearsal;
  const explained = async (type: string, id: string) => {
    const { reasons, steps } = await control('explain-object', { params: { type, id } });
    return { texts: reasons.map(({ text }) => text), step: steps.find(({ step }) => step === 'pay-at-counter') };
  };
  expect((await explained('order', await orderedToPay())).texts[0]).toBe(
    'It waits for a client to call Confirm Order: it is paid when it is collected.',
  );
  const { orderId, fulfillmentOrderId } = await unpaidAtCounter();
  const { texts, step } = await explained('fulfillment-order', fulfillmentOrderId);
  expect(texts[0]).toMatch(/^It waits for the customer to pay for it at a till and to collect it at the store Galway, Quay Street/);
  expect(step).toMatchObject({ possible: true, input: { body: { storeId: 'store-01', orderId } } });
  await openTill(orderId, { laneId: 'SCO-01' });
  await pay(orderId, CASH, 2598);
  expect((await explained('fulfillment-order', fulfillmentOrderId)).texts[0]).toMatch(/^It waits for the customer to collect it/);
});

test('Unpaid goods are sent to the store where their customer pays, and their explanation names a till of this store', async (rehearsal) => {
  const { confirmedToPay, packed, api, settle, fulfilment, scanned, control, openTill, pay, handOver } = rehearsal;
  const { orderId, fulfillmentOrderId: id } = await confirmedToPay([{ sku: 'desk-two-nodes', qty: 1 }]);
  await packed(id);
  await api('dispatch-fulfillment-order-api', { params: { id } });
  await settle();
  const [parcel] = (await fulfilment(id)).shipments;
  await scanned(parcel?.id ?? '', 'collect', 'depart', 'out-for-delivery', 'deliver');
  await settle();
  const { steps } = await control('explain-object', { params: { type: 'fulfillment-order', id } });
  expect(steps.find(({ step }) => step === 'pay-at-counter')).toMatchObject({ possible: true, input: { body: { storeId: 'store-01' } } });
  const { outstanding } = (await openTill(orderId)).body;
  await pay(orderId, CASH, outstanding.amount);
  expect(await handOver(id, { code: (await fulfilment(id)).collection?.code ?? '' })).toMatchObject({ status: 200 });
});

test.each([
  ['in full', undefined],
  ['in part', 1_000],
])('A prepayment %s is authorised again when it expires before the goods are collected', async (rehearsal, _how, amount) => {
  const { unpaidAtCounter, authorisation, advance, settle, order, handOver, extend, openTill, pay } = rehearsal;
  const { orderId, fulfillmentOrderId, code } = await unpaidAtCounter();
  await authorisation(orderId, amount);
  await settle();
  await extend(fulfillmentOrderId);
  await advance('P8D');
  const paid = amount ?? 2_598;
  const { payments } = await order(orderId);
  expect(payments.map(({ state, authorizedAmount }) => [state, authorizedAmount.amount])).toEqual([
    ['voided', paid],
    ['authorised', paid],
  ]);
  if (amount !== undefined) await pay((await openTill(orderId)).body.id, CASH, 2_598 - amount);
  expect(await handOver(fulfillmentOrderId, { code })).toMatchObject({ status: 200 });
  await settle();
  expect(await order(orderId)).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
});
