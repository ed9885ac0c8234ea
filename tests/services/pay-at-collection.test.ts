import { describe, expect } from '@jest/globals';
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

  test('A repeated checkout changes payAt until the order exists, keeps it when it is left out, and drops it with an address', async (rehearsal) => {
    const { basket, api, call } = rehearsal;
    const { id } = await basket();
    const checkedOut = async (body: object) => (await api('checkout-basket-api', { params: { id }, body: body as never })).payAt;
    expect(await checkedOut({ collection: STORE })).toBeUndefined();
    expect(await checkedOut(ASKED)).toBe('collection');
    expect(await checkedOut({ collection: STORE })).toBe('collection');
    expect(await checkedOut({ shippingAddress: ADDRESS })).toBeUndefined();
    expect(await checkedOut(ASKED)).toBe('collection');
    expect(await checkedOut({ ...ASKED, payAt: 'checkout' })).toBeUndefined();
    expect(await checkedOut({ ...ASKED, placeOrder: true })).toBe('collection');
    const late = await call('checkout-basket-api', { params: { id }, body: { ...ASKED, payAt: 'checkout' } });
    expect(late).toMatchObject({ status: 409, body: { code: 'conflicting_repeat' } });
  });
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
    expect(await handOver(fulfillmentOrderId, { code })).toMatchObject({ status: 409, body: { outstanding: eur(2598) } });
    const last = await pay(orderId, CASH, 598);
    expect(last.body.receipt.tenders.map(({ amount }: { amount: object }) => amount)).toEqual([eur(1000), eur(1000), eur(598)]);
    expect((await order(orderId)).payments.map(({ state }) => state)).toEqual(['captured', 'captured', 'captured']);
    expect(await handOver(fulfillmentOrderId, { code })).toMatchObject({ status: 200 });
  });
});
