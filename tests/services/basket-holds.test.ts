import { expect } from '@jest/globals';
import { eventually, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { CASH } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const LAMP = { sku: 'lamp-last-one', qty: 1 };
const MUGS = { sku: 'mug-blue', qty: 2 };

const byHand = () => newRehearsal({ warehouse: 'manual' });
const test = testIn(byHand);

const stored = (rehearsal: TestRehearsal, id: string) => rehearsal.object('reservation', id);
const stateOf = async (rehearsal: TestRehearsal, id: string) => (await stored(rehearsal, id)).state;
const lampBasket = async (rehearsal: TestRehearsal) => (await rehearsal.basket(LAMP)).id;
const merge = (rehearsal: TestRehearsal, id: string) =>
  rehearsal.api('create-basket-api', { body: { channel: 'web', customerId: 'cus_ada', mergeBasketIds: [id] } });
/** A refusal because of the state of the basket. */
const refused = (id: string) => ({ status: 409, code: 'invalid_state_transition', objectType: 'basket', id });

test('Reserve Inventory returns the reservation of the checkout, and the order of the last unit is confirmed', async (rehearsal) => {
  const { id: basketId, reservationId } = await rehearsal.checkedOut(LAMP);
  const body = await stored(rehearsal, reservationId);
  for (const items of [undefined, [LAMP]]) expect(await rehearsal.reserve({ basketId, items })).toMatchObject({ status: 200, body });
  const order = await rehearsal.authorised(basketId);
  expect(await rehearsal.reserve({ basketId })).toMatchObject({ status: 200, body });
  expect((await rehearsal.confirm(order.id)).body).toMatchObject({ state: 'confirmed', lines: [{ reservationId }] });
  expect((await rehearsal.reserve({ basketId })).body).toMatchObject({ id: reservationId, state: 'confirmed' });
  expect(await rehearsal.reserved('lamp-last-one')).toBe(1);
});

test.each([
  ['other units', { items: [{ ...MUGS, qty: 3 }] }, { items: [MUGS] }],
  ['another SKU', { items: [MUGS, { sku: 'mug-green', qty: 1 }] }, { items: [MUGS] }],
  ['another location', { locationId: 'store-01' }, { allocations: [{ locationId: 'dc-01' }] }],
])('Reserve Inventory for %s is refused during a checkout and names its reservation', async (rehearsal, _, more, standing) => {
  const { id, reservationId } = await rehearsal.checkedOut();
  const { body } = await rehearsal.reserve({ basketId: id, ...more });
  expect(body).toMatchObject({ status: 409, code: 'conflicting_repeat', objectType: 'basket', id });
  expect(body.standing).toMatchObject({ reservationId, ...standing });
  expect(await stored(rehearsal, reservationId)).toMatchObject({ state: 'requested', version: 1 });
  expect(await rehearsal.reserved('mug-blue')).toBe(2);
});

test('Reserve Inventory for other units is retryable while the checkout runs, because it may still fail', async (rehearsal) => {
  const { id: basketId } = await rehearsal.basket();
  await rehearsal.fault('slow', { match: { api: 'record-voucher-use' }, fault: { kind: 'latency', ms: 1_500 }, times: 1 });
  const checkout = rehearsal.checkOut(basketId, { voucherCodes: ['WELCOME10'] });
  await eventually('the stock is reserved', async () => (await rehearsal.reserved('mug-blue')) === 2);
  const reserveOther = () => rehearsal.reserve({ basketId, items: [{ ...MUGS, qty: 3 }] });
  const early = await reserveOther();
  expect([early.headers['retry-after'], early.body]).toMatchObject(['1', { code: 'conflicting_repeat', retryable: true }]);
  await checkout;
  expect((await reserveOther()).body).toMatchObject({ status: 409, code: 'conflicting_repeat', retryable: false });
});

test('Reserve Inventory makes a new reservation after a client released the first, and the order uses the new one', async (rehearsal) => {
  const { id: basketId, reservationId } = await rehearsal.checkedOut(LAMP);
  await rehearsal.api('release-reservation-api', { params: { id: reservationId } });
  const { status, body } = await rehearsal.reserve({ basketId });
  expect([status, body.items]).toEqual([201, [LAMP]]);
  expect(await rehearsal.reserve({ basketId })).toMatchObject({ status: 200, body: { id: body.id } });
  const order = await rehearsal.authorised(basketId);
  expect((await rehearsal.confirm(order.id)).body.state).toBe('confirmed');
  expect(await stateOf(rehearsal, body.id)).toBe('released');
  expect(await rehearsal.reserved('lamp-last-one')).toBe(1);
});

test('Reserve Inventory returns the reservation of the till, and its stock leaves with the sale', async (rehearsal) => {
  const { id, basketId, totals } = await rehearsal.sale();
  const { status, body } = await rehearsal.reserve({ basketId });
  expect([status, body.items, body.locationId, body.expiresAt]).toEqual([200, [MUGS], 'store-01', undefined]);
  const { body: other } = await rehearsal.reserve({ basketId, items: [{ ...MUGS, qty: 1 }] });
  expect(other).toMatchObject({ status: 409, code: 'conflicting_repeat', standing: { reservationId: body.id } });
  expect((await rehearsal.pay(id, CASH, totals.total.amount)).body.transactionState).toBe('completed');
  expect((await rehearsal.order(id)).stockDiscrepancy).toBeUndefined();
  expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 48, reserved: 0 });
});

test('Reserve Inventory is refused when the till has reserved nothing: the goods lie on the counter', async (rehearsal) => {
  const { basketId } = await rehearsal.sale({ lines: [LAMP] });
  expect((await rehearsal.reserve({ basketId })).body).toMatchObject(refused(basketId));
});

test('Reserve Inventory repeated adjusts the reservation to other items, another location or another duration', async (rehearsal) => {
  const basketId = await lampBasket(rehearsal);
  const reserve = (more: object = {}) => rehearsal.reserve({ basketId, ...more });
  const { status, body } = await reserve({ ttlSeconds: 600 });
  expect(status).toBe(201);
  for (const same of [{}, { ttlSeconds: 600, items: [LAMP] }])
    expect(await reserve(same)).toMatchObject({ status: 200, body: { id: body.id, version: 1 } });
  expect((await reserve({ ttlSeconds: 1_200 })).status).toBe(201);
  await rehearsal.addLine(basketId, MUGS);
  expect(await reserve()).toMatchObject({ status: 201, body: { items: [LAMP, MUGS] } });
  const elsewhere = await reserve({ items: [MUGS], locationId: 'store-02' });
  expect(elsewhere).toMatchObject({ status: 201, body: { allocations: [{ locationId: 'store-02' }] } });
  expect((await reserve({ items: [{ ...LAMP, qty: 2 }] })).body).toMatchObject({ status: 409, code: 'insufficient_stock' });
  expect(await reserve({ items: [MUGS] })).toMatchObject({ status: 200, body: { id: elsewhere.body.id } });
});

test('Checkout Basket replaces the reservation by one for its lines, at any location', async (rehearsal) => {
  const basketId = await lampBasket(rehearsal);
  const { body } = await rehearsal.reserve({ basketId });
  await rehearsal.addLine(basketId, MUGS);
  const { reservationId } = await rehearsal.checkedOut(basketId);
  expect(await stored(rehearsal, reservationId)).toMatchObject({ state: 'requested', items: [LAMP, MUGS] });
  expect(await stateOf(rehearsal, body.id)).toBe('released');
  const { id: other } = await rehearsal.basket();
  await rehearsal.reserve({ basketId: other, locationId: 'store-02' });
  await rehearsal.checkedOut(other);
  expect((await rehearsal.stockAt('mug-blue', 'store-02')).reserved).toBe(0);
});

test('A reservation of a checkout with a lost answer can be adjusted, and the next checkout replaces it', async (rehearsal) => {
  const basketId = await lampBasket(rehearsal);
  await rehearsal.fault('lost', { match: { api: 'reserve-inventory-api' }, fault: { kind: 'lost-response' }, times: 2 });
  expect([502, 504]).toContain((await rehearsal.checkOut(basketId)).status);
  await rehearsal.noFaults();
  const left = await rehearsal.reserve({ basketId });
  const adjusted = await rehearsal.reserve({ basketId, items: [MUGS] });
  expect([left, adjusted]).toMatchObject([
    { status: 200, body: { items: [LAMP] } },
    { status: 201, body: { items: [MUGS] } },
  ]);
  const { reservationId } = await rehearsal.checkedOut(basketId);
  expect(await stored(rehearsal, reservationId)).toMatchObject({ state: 'requested', items: [LAMP] });
  for (const { body } of [left, adjusted]) expect(await stateOf(rehearsal, body.id)).toBe('released');
  expect(await rehearsal.stockAt('mug-blue', 'dc-01')).toMatchObject({ reserved: 0 });
});

test('A till replaces the reservation of its basket, even if it has the last unit of the store', async (rehearsal) => {
  const counted = { sku: 'lamp-last-one', locationId: 'store-01' };
  await rehearsal.control('count-stock-by-hand', { params: counted, body: { onHand: 1 } });
  const basketId = await lampBasket(rehearsal);
  const { body } = await rehearsal.reserve({ basketId, locationId: 'store-01' });
  const { id, totals } = await rehearsal.sale({ basketId });
  expect(await stateOf(rehearsal, body.id)).toBe('released');
  expect(await rehearsal.stockAt('lamp-last-one')).toEqual({ onHand: 1, reserved: 1 });
  await rehearsal.pay(id, CASH, totals.total.amount);
  expect(await rehearsal.stockAt('lamp-last-one')).toEqual({ onHand: 0, reserved: 0 });
  expect((await rehearsal.order(id)).stockDiscrepancy).toBeUndefined();
});

test('A till that has nothing to reserve releases the reservation of its basket at another location', async (rehearsal) => {
  const basketId = await lampBasket(rehearsal);
  const { body } = await rehearsal.reserve({ basketId });
  const { id } = await rehearsal.sale({ basketId });
  expect(await stateOf(rehearsal, body.id)).toBe('released');
  await rehearsal.verify();
  await rehearsal.voidSale(id);
});

test('A reservation that was confirmed by hand ends with its idle or merged basket', async (rehearsal) => {
  const confirmed = async () => {
    const basketId = await lampBasket(rehearsal);
    const { id } = (await rehearsal.reserve({ basketId })).body;
    await rehearsal.api('confirm-reservation-api', { params: { id } });
    return { basketId, id };
  };
  const idle = await confirmed();
  await rehearsal.advance('P1DT1M');
  expect((await rehearsal.object('basket', idle.basketId)).state).toBe('abandoned');
  expect(await stateOf(rehearsal, idle.id)).toBe('released');
  expect((await rehearsal.reserve({ basketId: idle.basketId })).body).toMatchObject(refused(idle.basketId));
  const { basketId, id } = await confirmed();
  const merged = await merge(rehearsal, basketId);
  expect(await stateOf(rehearsal, id)).toBe('released');
  expect((await rehearsal.reserve({ basketId: merged.id })).status).toBe(201);
});

test('A reservation that was confirmed by hand during the checkout ends with the order or the transaction', async (rehearsal) => {
  const { id, lines } = await rehearsal.sale();
  const { lines: drafted } = await rehearsal.draft();
  const [atTill, ofDraft] = [lines[0].reservationId, drafted[0].reservationId];
  for (const one of [atTill, ofDraft]) await rehearsal.api('confirm-reservation-api', { params: { id: one } });
  await rehearsal.voidSale(id);
  expect(await stateOf(rehearsal, atTill)).toBe('released');
  await rehearsal.advance('P1DT1M');
  expect(await stateOf(rehearsal, ofDraft)).toBe('released');
});

const UNKNOWN = 'ord_01KAHTXB5W0G4J8Q2Z6R9M3N7P';

const confirmFor = (rehearsal: TestRehearsal, id: string, orderId: string) =>
  rehearsal.call('confirm-reservation-api', { params: { id }, body: { orderId } });
const allocate = (rehearsal: TestRehearsal, orderId: string, orderLineId: string, reservationId: string) =>
  rehearsal.call('allocate-inventory-api', { body: { orderId, orderLineId, sku: 'mug-blue', qty: 2, reservationId } });
const otherOrder = (pointer = '/orderId') => ({ status: 422, errors: [{ pointer, code: 'other_order' }] });
/** Confirms an order, whose line keeps this reservation. */
async function keeps(rehearsal: TestRehearsal, orderId: string, reservationId: string) {
  expect((await rehearsal.confirm(orderId)).body).toMatchObject({ state: 'confirmed', lines: [{ reservationId }] });
  await rehearsal.verify();
}

const foreign: readonly (readonly [string, (rehearsal: TestRehearsal) => Promise<string>])[] = [
  ['that does not exist', async () => UNKNOWN],
  ['of another basket', async (rehearsal) => (await rehearsal.draft()).id],
];

test.each(foreign)('Confirm Reservation of a basket is refused for an order %s', async (rehearsal, _, given) => {
  const orderId = await given(rehearsal);
  const { id: basketId, reservationId } = await rehearsal.checkedOut(LAMP);
  expect((await confirmFor(rehearsal, reservationId, orderId)).body).toMatchObject(otherOrder());
  const order = await rehearsal.authorised(basketId);
  const { status, body } = await confirmFor(rehearsal, reservationId, orderId);
  expect([status, body.errors[0].detail]).toEqual([422, expect.stringContaining(order.id)]);
  expect(await rehearsal.object('reservation', reservationId)).toMatchObject({ state: 'requested', version: 1 });
  await keeps(rehearsal, order.id, reservationId);
});

test('Confirm Reservation of a basket keeps it for the order of the basket', async (rehearsal) => {
  const { id: orderId, lines } = await rehearsal.authorised(LAMP);
  const { reservationId } = lines[0];
  for (const _ of ['first', 'repeat'])
    expect(await confirmFor(rehearsal, reservationId, orderId)).toMatchObject({ status: 200, body: { state: 'confirmed', orderId } });
  await keeps(rehearsal, orderId, reservationId);
});

test('Confirm Reservation of a transaction succeeds for this transaction only', async (rehearsal) => {
  const { id: orderId, lines, totals } = await rehearsal.sale();
  const { reservationId } = lines[0];
  expect((await confirmFor(rehearsal, reservationId, UNKNOWN)).body).toMatchObject(otherOrder());
  expect((await confirmFor(rehearsal, reservationId, orderId)).body).toMatchObject({ state: 'confirmed', orderId });
  expect((await rehearsal.pay(orderId, CASH, totals.total.amount)).body.transactionState).toBe('completed');
});

test('Confirm Reservation of a basket without an order keeps it for the later order', async (rehearsal) => {
  const { id: basketId, reservationId } = await rehearsal.checkedOut(LAMP);
  await rehearsal.api('confirm-reservation-api', { params: { id: reservationId } });
  await keeps(rehearsal, (await rehearsal.authorised(basketId)).id, reservationId);
});

test.each(foreign)('Reserve Inventory for a basket and an order %s is refused in any state of the basket', async (rehearsal, _, given) => {
  const orderId = await given(rehearsal);
  const refused = async (basketId: string) => expect((await rehearsal.reserve({ basketId, orderId })).body).toMatchObject(otherOrder());
  await refused((await rehearsal.basket(LAMP)).id);
  const { id: basketId, reservationId } = await rehearsal.checkedOut(LAMP);
  await refused(basketId);
  const order = await rehearsal.draft(basketId);
  await refused(basketId);
  expect(await rehearsal.reserve({ basketId, orderId: order.id })).toMatchObject({ status: 200, body: { id: reservationId } });
  expect(await rehearsal.reserved(LAMP.sku)).toBe(1);
});

test('Allocate Inventory accepts the reservation of a basket only for a line of the order of the basket', async (rehearsal) => {
  const { id, lines } = await rehearsal.draft();
  const [{ lineId, reservationId }] = lines;
  expect(await allocate(rehearsal, id, lineId, reservationId)).toMatchObject({ status: 200, body: { id: reservationId } });
  const other = await rehearsal.checkedOut();
  expect((await allocate(rehearsal, id, lineId, other.reservationId)).body).toMatchObject(otherOrder('/reservationId'));
  const unknown = { status: 404, objectType: 'order', id: UNKNOWN };
  expect((await allocate(rehearsal, UNKNOWN, 'line-1', other.reservationId)).body).toMatchObject(unknown);
});
