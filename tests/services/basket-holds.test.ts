import { describe, expect, test } from '@jest/globals';
import { ADDRESS, eventually, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { CASH } from '../support/steps/tender.ts';

const LAMP = { sku: 'lamp-last-one', qty: 1 };
const MUGS = { sku: 'mug-blue', qty: 2 };

const reserve = (rehearsal: TestRehearsal, body: object) => rehearsal.call('reserve-inventory-api', { body });
const checkOut = (rehearsal: TestRehearsal, basketId: string, more: object = {}) => rehearsal.checkedOut(basketId, { ...more });
const holdOf = (rehearsal: TestRehearsal, id: string) => rehearsal.object('reservation', id);

async function aBasketWith(rehearsal: TestRehearsal, ...lines: readonly { sku: string; qty: number }[]): Promise<string> {
  return (await rehearsal.basket({ lines })).id;
}

describe('Reserve Inventory for a basket in checkout', () => {
  test('answers the hold of the checkout, and the order of the last unit is confirmed', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id: basketId, reservationId } = await scene.checkedOut(LAMP);
    const hold = await holdOf(scene, reservationId);
    for (const body of [{ basketId }, { basketId, items: [LAMP] }]) {
      expect(await reserve(scene, body)).toMatchObject({ status: 200, body: hold });
    }
    const order = await scene.draft(basketId);
    expect(await reserve(scene, { basketId })).toMatchObject({ status: 200, body: hold });
    await scene.authorisation(order.id);
    expect((await scene.confirm(order.id)).body).toMatchObject({ state: 'confirmed', lines: [{ reservationId }] });
    expect(await reserve(scene, { basketId })).toMatchObject({ status: 200, body: { id: reservationId, state: 'confirmed' } });
    expect(await scene.reserved('lamp-last-one')).toBe(1);
    await scene.verify();
  });

  test.each([
    ['other units', { items: [{ ...MUGS, qty: 3 }] }, { items: [MUGS] }],
    ['another SKU besides', { items: [MUGS, { sku: 'mug-green', qty: 1 }] }, { items: [MUGS] }],
    ['another location', { locationId: 'store-01' }, { allocations: [{ locationId: 'dc-01' }] }],
  ])('for %s is refused and names the existing hold', async (_, more, standing) => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id: basketId, reservationId } = await scene.checkedOut();
    const { status, body } = await reserve(scene, { basketId, ...more });
    expect([status, body.code, body.objectType, body.id]).toEqual([409, 'conflicting_repeat', 'basket', basketId]);
    expect(body.standing).toMatchObject({ reservationId, ...standing });
    expect(await holdOf(scene, reservationId)).toMatchObject({ state: 'requested', version: 1 });
    expect(await scene.reserved('mug-blue')).toBe(2);
    await scene.verify();
  });

  test('for other units is retryable while the checkout runs, since a checkout that fails gives the hold up', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id: basketId } = await scene.basket();
    await scene.fault('slow', { match: { api: 'record-voucher-use' }, fault: { kind: 'latency', ms: 1_500 }, times: 1 });
    const checkout = checkOut(scene, basketId, { voucherCodes: ['WELCOME10'] });
    await eventually('holding the stock', async () => (await scene.reserved('mug-blue')) === 2);
    const other = { basketId, items: [{ ...MUGS, qty: 3 }] };
    const early = await reserve(scene, other);
    expect(early).toMatchObject({ status: 409, body: { code: 'conflicting_repeat', retryable: true }, headers: { 'retry-after': '1' } });
    await checkout;
    expect(await reserve(scene, other)).toMatchObject({ status: 409, body: { code: 'conflicting_repeat', retryable: false } });
    await scene.verify();
  });

  test('holds its stock again when the hold was released by hand, and the order takes that hold over', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id: basketId, reservationId } = await scene.checkedOut(LAMP);
    await scene.api('release-reservation-api', { params: { id: reservationId } });
    const anew = await reserve(scene, { basketId });
    expect([anew.status, anew.body.items]).toEqual([201, [LAMP]]);
    expect(await reserve(scene, { basketId })).toMatchObject({ status: 200, body: { id: anew.body.id } });
    const order = await scene.draft(basketId);
    await scene.authorisation(order.id);
    expect((await scene.confirm(order.id)).body.state).toBe('confirmed');
    expect((await holdOf(scene, anew.body.id)).state).toBe('released');
    expect(await scene.reserved('lamp-last-one')).toBe(1);
    await scene.verify();
  });

  test('is refused after the end of its order', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const order = await scene.draft();
    await scene.cancel(order.id);
    const { status, body } = await reserve(scene, { basketId: order.basketId });
    expect([status, body.code, body.objectType, body.id]).toEqual([409, 'invalid_state_transition', 'basket', order.basketId]);
    expect(await scene.reserved('mug-blue')).toBe(0);
    await scene.verify();
  });

  test('sent concurrently with the checkout leaves one hold, that of the checkout', async () => {
    await using rehearsal = await newRehearsal();
    const basketId = await aBasketWith(rehearsal, LAMP);
    await rehearsal.fault('slow', { match: { api: 'take-hold' }, fault: { kind: 'latency', ms: 30 }, times: 4 });
    const replies = Promise.all(Array.from({ length: 8 }, () => reserve(rehearsal, { basketId })));
    const insist = async (left: number): Promise<{ state: string; reservationId: string }> => {
      const { status, body } = await rehearsal.call('checkout-basket-api', {
        params: { id: basketId },
        body: { shippingAddress: ADDRESS },
      });
      return status === 200 || left === 0 ? body : insist(left - 1);
    };
    const locked = await insist(5);
    for (const { status } of await replies) expect([200, 201, 503]).toContain(status);
    expect(locked.state).toBe('locked');
    expect(await reserve(rehearsal, { basketId })).toMatchObject({ status: 200, body: { id: locked.reservationId, state: 'requested' } });
    await rehearsal.verify();
  });
});

describe('Reserve Inventory for an open transaction', () => {
  test('answers the hold of the till, and its stock leaves with the sale', async () => {
    await using rehearsal = await newRehearsal();
    const before = await rehearsal.stockAt('mug-blue');
    const { id, basketId, totals } = await rehearsal.sale();
    const { status, body } = await reserve(rehearsal, { basketId });
    expect([status, body.items, body.locationId, body.expiresAt]).toEqual([200, [MUGS], 'store-01', undefined]);
    const other = await reserve(rehearsal, { basketId, items: [{ ...MUGS, qty: 1 }] });
    expect([other.status, other.body.code, other.body.standing.reservationId]).toEqual([409, 'conflicting_repeat', body.id]);
    expect((await rehearsal.pay(id, CASH, totals.total.amount)).body.transactionState).toBe('completed');
    const order = await rehearsal.order(id);
    expect(order.stockDiscrepancy).toBeUndefined();
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: before.onHand - 2, reserved: 0 });
    await rehearsal.verify();
  });

  test('is refused when the till holds no stock: its goods lie on the counter', async () => {
    await using rehearsal = await newRehearsal();
    const { basketId } = await rehearsal.sale({ lines: [LAMP] });
    const { status, body } = await reserve(rehearsal, { basketId });
    expect([status, body.code, body.objectType, body.id]).toEqual([409, 'invalid_state_transition', 'basket', basketId]);
    await rehearsal.verify();
  });
});

describe('A hold of an open basket', () => {
  test('is returned by a repeat, and adjusted to other items, another location or another duration in one step', async () => {
    await using rehearsal = await newRehearsal();
    const basketId = await aBasketWith(rehearsal, LAMP);
    const first = await reserve(rehearsal, { basketId, ttlSeconds: 600 });
    expect(first.status).toBe(201);
    for (const body of [{ basketId }, { basketId, ttlSeconds: 600, items: [LAMP] }]) {
      expect(await reserve(rehearsal, body)).toMatchObject({ status: 200, body: { id: first.body.id, version: 1 } });
    }
    const longer = await reserve(rehearsal, { basketId, ttlSeconds: 1_200 });
    expect(longer.status).toBe(201);
    await rehearsal.api('add-line-to-basket-api', { params: { id: basketId }, body: MUGS });
    const more = await reserve(rehearsal, { basketId });
    expect([more.status, more.body.items]).toEqual([201, [LAMP, MUGS]]);
    const elsewhere = await reserve(rehearsal, { basketId, items: [MUGS], locationId: 'store-02' });
    expect([elsewhere.status, elsewhere.body.allocations[0].locationId]).toEqual([201, 'store-02']);
    const short = await reserve(rehearsal, { basketId, items: [{ ...LAMP, qty: 2 }] });
    expect([short.status, short.body.code]).toEqual([409, 'insufficient_stock']);
    expect(await reserve(rehearsal, { basketId, items: [MUGS] })).toMatchObject({ status: 200, body: { id: elsewhere.body.id } });
    await rehearsal.verify();
  });

  test('is taken over by the checkout and adjusted to its lines, whatever its location', async () => {
    await using rehearsal = await newRehearsal();
    const basketId = await aBasketWith(rehearsal, LAMP);
    const byHand = await reserve(rehearsal, { basketId });
    await rehearsal.api('add-line-to-basket-api', { params: { id: basketId }, body: MUGS });
    const { reservationId } = await checkOut(rehearsal, basketId);
    expect(await holdOf(rehearsal, reservationId)).toMatchObject({ state: 'requested', items: [LAMP, MUGS] });
    expect((await holdOf(rehearsal, byHand.body.id)).state).toBe('released');
    const other = await aBasketWith(rehearsal, MUGS);
    await reserve(rehearsal, { basketId: other, locationId: 'store-02' });
    await checkOut(rehearsal, other);
    expect((await rehearsal.stockAt('mug-blue', 'store-02')).reserved).toBe(0);
    await rehearsal.verify();
  });

  test('stays when the checkout is refused, and expires without a checkout', async () => {
    await using rehearsal = await newRehearsal();
    const basketId = await aBasketWith(rehearsal, LAMP);
    const { body } = await reserve(rehearsal, { basketId });
    await rehearsal.advance('PT14M');
    expect((await holdOf(rehearsal, body.id)).state).toBe('requested');
    await rehearsal.advance('PT2M');
    expect((await holdOf(rehearsal, body.id)).state).toBe('expired');
    await rehearsal.verify();
  });

  test('taken by a checkout whose answer was lost is adjusted like others, and taken over by the next checkout', async () => {
    await using rehearsal = await newRehearsal();
    const basketId = await aBasketWith(rehearsal, LAMP);
    await rehearsal.fault('lost', { match: { api: 'reserve-inventory-api' }, fault: { kind: 'lost-response' }, times: 2 });
    const lost = await rehearsal.call('checkout-basket-api', { params: { id: basketId }, body: { shippingAddress: ADDRESS } });
    expect([502, 504]).toContain(lost.status);
    await rehearsal.noFaults();
    const left = await reserve(rehearsal, { basketId });
    expect([left.status, left.body.items]).toEqual([200, [LAMP]]);
    const adjusted = await reserve(rehearsal, { basketId, items: [MUGS] });
    expect([adjusted.status, adjusted.body.items]).toEqual([201, [MUGS]]);
    expect((await holdOf(rehearsal, left.body.id)).state).toBe('released');
    const { reservationId } = await checkOut(rehearsal, basketId);
    expect(await holdOf(rehearsal, reservationId)).toMatchObject({ state: 'requested', items: [LAMP] });
    expect((await holdOf(rehearsal, adjusted.body.id)).state).toBe('released');
    expect(await rehearsal.stockAt('mug-blue', 'dc-01')).toMatchObject({ reserved: 0 });
    await rehearsal.verify();
  });

  test('is taken over by the till, also when it has the last unit of the store', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.client.control('count-stock-by-hand', {
      params: { sku: 'lamp-last-one', locationId: 'store-01' },
      body: { onHand: 1 },
    });
    const basketId = await aBasketWith(rehearsal, LAMP);
    const byHand = await reserve(rehearsal, { basketId, locationId: 'store-01' });
    expect(byHand.status).toBe(201);
    const { id, totals } = await rehearsal.sale({ basketId });
    expect((await holdOf(rehearsal, byHand.body.id)).state).toBe('released');
    expect(await rehearsal.stockAt('lamp-last-one')).toEqual({ onHand: 1, reserved: 1 });
    await rehearsal.pay(id, CASH, totals.total.amount);
    expect(await rehearsal.stockAt('lamp-last-one')).toEqual({ onHand: 0, reserved: 0 });
    expect((await rehearsal.order(id)).stockDiscrepancy).toBeUndefined();
    await rehearsal.verify();
  });

  test('at another location is released when the till has nothing to hold', async () => {
    await using rehearsal = await newRehearsal();
    const basketId = await aBasketWith(rehearsal, LAMP);
    const byHand = await reserve(rehearsal, { basketId });
    const { id } = await rehearsal.sale({ basketId });
    expect((await holdOf(rehearsal, byHand.body.id)).state).toBe('released');
    await rehearsal.verify();
    await rehearsal.voidSale(id);
    await rehearsal.verify();
  });

  const kept = async (rehearsal: TestRehearsal): Promise<{ basketId: string; holdId: string }> => {
    const basketId = await aBasketWith(rehearsal, LAMP);
    const { id } = (await reserve(rehearsal, { basketId })).body;
    await rehearsal.api('confirm-reservation-api', { params: { id } });
    return { basketId, holdId: id };
  };

  test('that was confirmed by hand ends when its basket is idle for a day', async () => {
    await using rehearsal = await newRehearsal();
    const { basketId, holdId } = await kept(rehearsal);
    await rehearsal.advance('P1DT1M');
    expect((await rehearsal.object('basket', basketId)).state).toBe('abandoned');
    expect((await holdOf(rehearsal, holdId)).state).toBe('released');
    const late = await reserve(rehearsal, { basketId });
    expect([late.status, late.body.code]).toEqual([409, 'invalid_state_transition']);
    await rehearsal.verify();
  });

  test('ends when its basket is merged into another', async () => {
    await using rehearsal = await newRehearsal();
    const { basketId, holdId } = await kept(rehearsal);
    const merged = await rehearsal.api('create-basket-api', {
      body: { channel: 'web', customerId: 'cus_ada', mergeBasketIds: [basketId] },
    });
    expect((await holdOf(rehearsal, holdId)).state).toBe('released');
    expect((await reserve(rehearsal, { basketId: merged.id })).status).toBe(201);
    await rehearsal.verify();
  });

  test('that was confirmed by hand during the checkout ends with the order or the transaction', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id, basketId } = await scene.sale();
    const hold = (await reserve(scene, { basketId })).body;
    await scene.api('confirm-reservation-api', { params: { id: hold.id } });
    await scene.voidSale(id);
    expect((await holdOf(scene, hold.id)).state).toBe('released');
    const draft = await scene.draft();
    await scene.api('confirm-reservation-api', { params: { id: draft.lines[0].reservationId } });
    await scene.advance('P1DT1M');
    expect((await holdOf(scene, draft.lines[0].reservationId)).state).toBe('released');
    await scene.verify();
  });
});
