import { describe, expect } from '@jest/globals';
import { onMonday } from '../support/steps/collection.ts';
import { ADDRESS } from '../support/steps/order.ts';
import { testIn } from '../support/test-in.ts';

const STORE = { locationId: 'store-01' };

/** Stores, warehouses and carriers work by hand. */
async function byHand() {
  const rehearsal = await onMonday();
  const { basket, api, authorisation, settle, order, short, scanned, fulfilment, handOver, packed } = rehearsal;
  return {
    ...rehearsal,
    /** A confirmed order. */
    placed: async (checkout: object, qty = 2) => {
      const { id } = await basket({ lines: [{ sku: 'mug-blue', qty }] });
      const { orderId = '' } = await api('checkout-basket-api', { params: { id }, body: { ...checkout, placeOrder: true } as never });
      await authorisation(orderId);
      await api('confirm-order-api', { params: { id: orderId } });
      await settle();
      const placed = await order(orderId);
      return { orderId, basketId: id, placed, first: placed.fulfillmentOrders?.[0]?.id ?? '' };
    },
    /** Picks one unit less than the order has. */
    pickedShort: async (orderId: string, fulfillmentOrderId: string, pickedQty: number) => {
      const { id } = await short(await order(orderId), fulfillmentOrderId, pickedQty);
      await settle();
      return id;
    },
    others: async (orderId: string, first: string) => {
      const { fulfillmentOrders = [] } = await order(orderId);
      return Promise.all(fulfillmentOrders.filter(({ id }) => id !== first).map(({ id }) => fulfilment(id)));
    },
    putOut: async (id: string, pickingId: string) => {
      await api('update-picking-status-api', { params: { id: pickingId }, body: { status: 'packed' } });
      await api('dispatch-fulfillment-order-api', { params: { id } });
      await settle();
    },
    brought: async (id: string, isPicked = false) => {
      if (!isPicked) {
        await packed(id);
        await api('dispatch-fulfillment-order-api', { params: { id } });
        await settle();
      }
      const shipmentId = (await fulfilment(id)).shipments[0]?.id ?? '';
      await scanned(shipmentId, 'collect', 'depart', 'out-for-delivery', 'deliver');
    },
    taken: async (id: string) => {
      const reply = await handOver(id, { code: (await fulfilment(id)).collection?.code });
      expect(reply.status).toBe(200);
      await settle();
    },
  };
}

const test = testIn(byHand);

describe('Units that are short in a collection', () => {
  test('Units that a warehouse lacks for a transfer come from the shelf of the store, and both parts are handed over', async (rehearsal) => {
    const { placed, pickedShort, others, putOut, brought, ready, taken, order, verify } = rehearsal;
    const { orderId, first } = await placed({ collection: STORE }, 60);
    const picking = await pickedShort(orderId, first, 55);
    const [second] = await others(orderId, first);
    expect(second).toMatchObject({ locationId: 'store-01', collection: STORE, lines: [{ qty: 5 }] });
    expect((await order(orderId)).lines[0]).toMatchObject({ qty: 60, cancelledQty: 0 });
    await ready(second?.id ?? '');
    await putOut(first, picking);
    await brought(first, true);
    await verify();
    await taken(second?.id ?? '');
    expect(await order(orderId)).toMatchObject({ state: 'partially-fulfilled', lines: [{ fulfilledQty: 5 }] });
    await taken(first);
    expect(await order(orderId)).toMatchObject({
      state: 'completed',
      paymentStatus: 'paid',
      lines: [{ fulfilledQty: 60, cancelledQty: 0 }],
    });
    await verify();
  });

  test('Units that the store lacks are sent to it from a warehouse, and wait there under their own code', async (rehearsal) => {
    const { placed, pickedShort, others, putOut, brought, taken, order, fulfilment, stockOf, verify } = rehearsal;
    const { orderId, first } = await placed({ collection: STORE });
    const picking = await pickedShort(orderId, first, 1);
    const [second] = await others(orderId, first);
    expect(second).toMatchObject({ locationId: 'dc-01', collection: STORE, lines: [{ qty: 1 }] });
    await putOut(first, picking);
    await taken(first);
    await brought(second?.id ?? '');
    expect(await fulfilment(second?.id ?? '')).toMatchObject({ state: 'dispatched', shipments: [{ state: 'held-at-depot' }] });
    await verify();
    await taken(second?.id ?? '');
    expect(await order(orderId)).toMatchObject({
      state: 'completed',
      paymentStatus: 'paid',
      lines: [{ fulfilledQty: 2, cancelledQty: 0 }],
    });
    const { 'store-01': store, 'dc-01': warehouse } = await stockOf('mug-blue');
    expect([store, warehouse]).toEqual([
      [48, 0],
      [999, 0],
    ]);
    await verify();
  });

  test('Short units that come later and are not collected go to the shelf of the store, and only they are refunded', async (rehearsal) => {
    const { placed, pickedShort, others, putOut, brought, taken, order, advance, verify } = rehearsal;
    const { orderId, first } = await placed({ collection: STORE });
    const picking = await pickedShort(orderId, first, 1);
    const [second] = await others(orderId, first);
    await putOut(first, picking);
    await taken(first);
    await brought(second?.id ?? '');
    await advance('P9D');
    expect(await order(orderId)).toMatchObject({
      state: 'completed',
      paymentStatus: 'partially-refunded',
      lines: [{ fulfilledQty: 1, cancelledQty: 1 }],
    });
    await verify();
  });
});

describe('shortage of a checkout', () => {
  test.each([
    ['that is collected', { collection: STORE }],
    ['to an address', { shippingAddress: ADDRESS }],
  ])('Short units of an order %s are cancelled and refunded when shortage is cancel', async (rehearsal, _what, place) => {
    const { placed, pickedShort, others, order, settle, verify } = rehearsal;
    const { orderId, first, placed: ordered } = await placed({ ...place, shortage: 'cancel' });
    expect(ordered.shortage).toBe('cancel');
    await pickedShort(orderId, first, 1);
    await settle();
    expect(await others(orderId, first)).toEqual([]);
    expect(await order(orderId)).toMatchObject({ paymentStatus: 'partially-refunded', lines: [{ cancelledQty: 1 }] });
    await verify();
  });

  test('A repeated checkout changes shortage until the order exists, keeps it when it is left out, and refuses another one later', async (rehearsal) => {
    const { basket, api, call, order } = rehearsal;
    const { id } = await basket();
    const params = { id };
    const checkedOut = async (body: object) => (await api('checkout-basket-api', { params, body: body as never })).shortage;
    expect(await checkedOut({ collection: STORE })).toBeUndefined();
    expect(await checkedOut({ collection: STORE, shortage: 'cancel' })).toBe('cancel');
    expect(await checkedOut({ shippingAddress: ADDRESS })).toBe('cancel');
    expect(await checkedOut({ shippingAddress: ADDRESS, shortage: 'elsewhere' })).toBeUndefined();
    expect(await checkedOut({ shippingAddress: ADDRESS, shortage: 'cancel', placeOrder: true })).toBe('cancel');
    const { orderId = '' } = await api('get-basket-api', { params });
    expect(await order(orderId)).toMatchObject({ shortage: 'cancel' });
    const late = await call('checkout-basket-api', { params, body: { shippingAddress: ADDRESS, shortage: 'elsewhere' } as never });
    expect(late).toMatchObject({ status: 409, body: { code: 'conflicting_repeat', standing: { shortage: 'cancel' } } });
  });
});
