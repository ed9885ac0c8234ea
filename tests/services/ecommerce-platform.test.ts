import { describe, expect } from '@jest/globals';
import { checkoutIdOf, checkouts } from '../../services/ecommerce-platform/collections.ts';
import { voucherUses } from '../../services/promotion-engine/collections.ts';
import { ADDRESS, eventually, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import type { Inside } from '../support/inside.ts';
import { typesOf } from '../support/steps/events.ts';
import { insideCall } from '../support/steps/inside-call.ts';
import type { Line } from '../support/steps/order.ts';
import { startShop } from '../support/steps/shop.ts';
import { eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

const DAY = 24 * 60 * 60 * 1_000;
const line = (sku: string, qty = 1): Line => ({ sku, qty });
const MUG = line('mug-blue');
const CODES = { voucherCodes: ['WELCOME10'] };
const PLACE = { placeOrder: true };

/** Two blue mugs of `cus_ada`. */
const basketOf = async (rehearsal: TestRehearsal, ...lines: Line[]) =>
  (await rehearsal.basket(lines.length > 0 ? { lines } : undefined)).id;

const guestBasket = (rehearsal: TestRehearsal, line: Line = MUG) =>
  rehearsal.api('create-basket-api', { body: { channel: 'web', lines: [line] } });

const create = (rehearsal: TestRehearsal, body: object = {}) => rehearsal.call('create-basket-api', { body: { channel: 'web', ...body } });

const stored = (rehearsal: TestRehearsal, id: string) => rehearsal.object('basket', id);

/** Events about a basket with their versions and states, oldest first. */
const eventsOf = async (rehearsal: TestRehearsal, id: string) =>
  (await rehearsal.events({ subject: `basket/${id}`, ext: true })).map(
    ({ type, aggregateversion, data }) => `${type.slice(21)} v${aggregateversion} ${data.previousState ?? 'new'} → ${data.object.state}`,
  );

/** Starts a checkout that waits, until there are no faults, for its reservation. */
async function waitingCheckout(rehearsal: TestRehearsal, id: string) {
  await rehearsal.fault('waiting', { match: { api: 'reserve-inventory-api' }, fault: { kind: 'barrier', parties: 9 } });
  const reply = rehearsal.checkOut(id);
  await rehearsal.struck('waiting');
  return { reply };
}

test('Get Product returns attributes, price, media and availability by id or SKU, without a credential', async (rehearsal) => {
  const bySku = await rehearsal.call('get-product-api', { params: { id: 'mug-blue' } });
  expect(bySku).toMatchObject({ status: 200, headers: { etag: '"1"' } });
  const shown = { id: 'prd_mug-blue', state: 'active', sku: 'mug-blue', price: eur(1299), taxRate: 23, attributes: { colour: 'blue' } };
  expect(bySku.body).toMatchObject({ ...shown, media: [{ type: 'image' }], availability: { status: 'in-stock', atp: 2150 } });
  expect((await rehearsal.call('get-product-api', { params: { id: 'prd_mug-blue' } })).body).toEqual(bySku.body);
});

test.each([
  ['lamp-last-one', { availability: { status: 'low', atp: 1 } }],
  ['vase-sold-out', { availability: { status: 'out-of-stock', atp: 0 } }],
  ['chair-suspended', { state: 'suspended' }],
  ['calendar-wall', { state: 'discontinued' }],
])('Get Product shows %s as %j', async (rehearsal, id, shown) => {
  expect(await rehearsal.api('get-product-api', { params: { id } })).toMatchObject(shown);
});

test('Get Product shows unknown availability while the Inventory Service is down', async (rehearsal) => {
  await rehearsal.down('inventory-service');
  const { sku, availability } = await rehearsal.api('get-product-api', { params: { id: 'mug-blue' } });
  expect([sku, availability]).toEqual(['mug-blue', { status: 'unknown' }]);
});

describe('Create Basket', () => {
  test('Create Basket opens an empty basket that expires after a day', async (rehearsal) => {
    const { status, headers, body } = await create(rehearsal, { customerId: 'cus_ada' });
    expect([status, headers['etag']]).toEqual([201, '"1"']);
    expect(body).toMatchObject({ state: 'open', channel: 'web', currency: 'EUR', customerId: 'cus_ada', loyaltyAccountId: 'loy_ada' });
    expect(body).toMatchObject({ lines: [], vouchers: [], totals: { subtotal: eur(0), total: eur(0) } });
    expect(Date.parse(body.expiresAt) - Date.parse(body.createdAt)).toBe(DAY);
    expect(await eventsOf(rehearsal, body.id)).toEqual(['basket-created v1 new → open']);
  });

  test('Create Basket without customerId links the basket to an anonymous party of the CRM', async (rehearsal) => {
    expect(await rehearsal.object('customer', (await guestBasket(rehearsal)).customerId)).toMatchObject({ state: 'anonymous' });
  });

  test('Create Basket prices one line per SKU, with promotions if they are available, and without shipping', async (rehearsal) => {
    const lines = [MUG, line('cushion-grey', 2), line('mug-blue', 2)];
    const basket = await rehearsal.basket({ lines });
    expect(basket.lines).toMatchObject([
      { sku: 'mug-blue', qty: 3, unitPrice: eur(1299), discount: eur(0), lineTotal: eur(3897) },
      { sku: 'cushion-grey', qty: 2, unitPrice: eur(2950), discount: eur(885), lineTotal: eur(5015) },
    ]);
    const totals = { subtotal: eur(9797), discount: eur(885), shipping: eur(0), total: eur(8912) };
    expect(basket).toMatchObject({ promotionsStatus: 'available', totals });
    expect(new Set(basket.lines.map(({ lineId }) => lineId)).size).toBe(2);
    await rehearsal.down('promotion-engine');
    expect(await rehearsal.basket({ lines })).toMatchObject({ promotionsStatus: 'unavailable', totals: { total: eur(9797) } });
  });

  test('Create Basket merges the lines of open baskets', async (rehearsal) => {
    const first = await basketOf(rehearsal);
    const second = await basketOf(rehearsal, line('mug-green'), MUG);
    const wanted = { customerId: 'cus_ada', lines: [line('mug-green')], mergeBasketIds: [first, second, first] };
    const { body: basket } = await create(rehearsal, wanted);
    expect(basket.lines).toMatchObject([line('mug-green', 2), line('mug-blue', 3)]);
    expect(basket.totals.total).toEqual(eur(5 * 1299));
    expect(await stored(rehearsal, first)).toMatchObject({ state: 'merged', mergedInto: basket.id, lines: [], totals: { total: eur(0) } });
    expect((await eventsOf(rehearsal, second)).at(-1)).toEqual('ext.basket-changed v2 open → merged');
  });

  test.each([
    ['another registered customer', { customerId: 'cus_ben' }],
    ['a guest', {}],
  ])('Create Basket refuses to merge the basket of a registered customer for %s', async (rehearsal, _who, buyer) => {
    const guests = (await guestBasket(rehearsal)).id;
    const adas = await basketOf(rehearsal);
    const { status, body } = await create(rehearsal, { ...buyer, mergeBasketIds: [guests, adas] });
    expect([status, body.errors]).toMatchObject([422, [{ pointer: '/mergeBasketIds/1', code: 'basket_of_another' }]]);
    expect(JSON.stringify(body)).not.toContain('cus_');
    for (const id of [guests, adas]) expect(await stored(rehearsal, id)).toMatchObject({ state: 'open', version: 1 });
    expect((await create(rehearsal, { ...buyer, mergeBasketIds: [guests] })).body.lines).toMatchObject([MUG]);
  });
});

test('Add Line to Basket adds a line or units of a line, and prices the basket again each time', async (rehearsal) => {
  const { id } = await rehearsal.basket({ lines: [] });
  const first = await rehearsal.addLine(id, line('chocolate-dark', 2));
  expect(first).toMatchObject({ status: 201, headers: { etag: '"2"' }, body: { totals: { discount: eur(0), total: eur(900) } } });
  const { body } = await rehearsal.addLine(id, line('chocolate-dark'));
  expect(body.lines).toMatchObject([{ sku: 'chocolate-dark', qty: 3, discount: eur(450), lineTotal: eur(900) }]);
  expect(body.totals).toMatchObject({ subtotal: eur(1350), discount: eur(450), total: eur(900) });
  const changed = [2, 3].map((version) => `ext.basket-changed v${version} open → open`);
  expect((await eventsOf(rehearsal, id)).slice(1)).toEqual(changed);
});

test('Add Line to Basket keeps every unit of concurrent requests', async (rehearsal) => {
  const { id } = await rehearsal.basket({ lines: [] });
  const replies = await Promise.all(Array.from({ length: 4 }, () => rehearsal.addLine(id, MUG)));
  expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  expect(await stored(rehearsal, id)).toMatchObject({ version: 5, lines: [{ qty: 4 }] });
});

test('Add Line to Basket compares the whole line with the best location, unless the Inventory Service is down', async (rehearsal) => {
  const id = await basketOf(rehearsal, line('desk-two-nodes', 2));
  const { body } = await rehearsal.addLine(id, line('desk-two-nodes', 2));
  expect(body).toMatchObject({ status: 409, code: 'insufficient_stock', retryable: false });
  expect(body.skus).toEqual([{ sku: 'desk-two-nodes', requested: 4, available: 3 }]);
  expect((await rehearsal.addLine(id, line('desk-two-nodes'))).status).toBe(201);
  expect((await rehearsal.addLine(id, line('vase-sold-out'))).body.skus).toMatchObject([{ available: 0 }]);
  await rehearsal.down('inventory-service');
  expect((await rehearsal.addLine(id, line('vase-sold-out'))).status).toBe(201);
});

test('An idle basket is abandoned 24 hours after its last change', async (rehearsal) => {
  const { id } = await rehearsal.basket({ lines: [] });
  await rehearsal.advance('PT23H');
  await rehearsal.addLine(id, MUG);
  await rehearsal.advance('PT23H');
  expect(await stored(rehearsal, id)).toMatchObject({ state: 'open' });
  await rehearsal.advance('PT1H');
  expect(await stored(rehearsal, id)).not.toHaveProperty('expiresAt');
  expect((await eventsOf(rehearsal, id)).at(-1)).toEqual('ext.basket-changed v3 open → abandoned');
});

test('Checkout Basket locks the basket with its price and reserves its stock for 15 minutes', async (rehearsal) => {
  const id = await basketOf(rehearsal);
  const { status, headers, body } = await rehearsal.checkOut(id, {}, { 'x-correlation-id': 'checkout-1' });
  expect([status, headers['etag']]).toEqual([200, '"2"']);
  const totals = { subtotal: eur(2598), discount: eur(0), shipping: eur(490), tax: eur(578), total: eur(3088) };
  expect(body).toMatchObject({ state: 'locked', shippingAddress: ADDRESS, shippingMethod: 'STANDARD', vouchers: [], totals });
  expect(body).toMatchObject({ promotionsStatus: 'available', loyalty: { status: 'available', balance: 500 } });
  const { expiresAt, reservationId } = body;
  expect(Date.parse(expiresAt) - Date.parse(body.updatedAt)).toBe(15 * 60 * 1_000);
  const reservation = { state: 'requested', basketId: id, items: [line('mug-blue', 2)], expiresAt };
  expect(await rehearsal.object('reservation', reservationId)).toMatchObject(reservation);
  const events = await rehearsal.events({ correlationId: 'checkout-1' });
  expect(typesOf(events)).toEqual(['inventory-reserved', 'reservation-created', 'checkout-started']);
  expect((await eventsOf(rehearsal, id)).at(-1)).toEqual('checkout-started v2 open → locked');
});

test('Checkout Basket without stock names every short SKU, reserves nothing and releases voucher uses', async (rehearsal) => {
  const id = await basketOf(rehearsal, MUG, line('vase-sold-out'), line('desk-two-nodes', 4));
  const { body } = await rehearsal.checkOut(id, CODES);
  expect(body).toMatchObject({ status: 409, code: 'insufficient_stock', retryable: false });
  expect(body.skus).toContainEqual({ sku: 'vase-sold-out', requested: 1, available: 0 });
  expect(body.skus).toContainEqual({ sku: 'desk-two-nodes', requested: 4, available: 3 });
  expect(await stored(rehearsal, id)).toMatchObject({ state: 'open', version: 1 });
  expect(await rehearsal.reserved('mug-blue')).toBe(0);
});

test('Checkout Basket sent concurrently reserves the stock once and locks the basket once', async (rehearsal) => {
  const id = await basketOf(rehearsal);
  await rehearsal.fault('together', { match: { api: 'checkout-basket-api' }, fault: { kind: 'barrier', parties: 4 }, times: 4 });
  const replies = await Promise.all(Array.from({ length: 4 }, () => rehearsal.checkOut(id)));
  const refused = replies.filter(({ status }) => status !== 200);
  expect(refused.length).toBeLessThan(4);
  for (const { body } of refused) {
    expect(body).toMatchObject({ status: 409, code: 'invalid_state_transition', retryable: true, currentState: 'open' });
  }
  expect((await rehearsal.checkOut(id)).body).toMatchObject({ state: 'locked', version: 2 });
  expect(await rehearsal.reserved('mug-blue')).toBe(2);
  for (const type of ['checkout-started', 'reservation-created']) expect(await rehearsal.events({ type })).toHaveLength(1);
});

test('Checkout Basket reserves a line that is added while it runs', async (rehearsal) => {
  const id = await basketOf(rehearsal);
  const { reply } = await waitingCheckout(rehearsal, id);
  await rehearsal.addLine(id, line('mug-green'));
  await rehearsal.noFaults();
  const { body } = await reply;
  expect(body).toMatchObject({ state: 'locked', lines: [{ sku: 'mug-blue' }, { sku: 'mug-green' }] });
  const items = [line('mug-blue', 2), line('mug-green')];
  expect(await rehearsal.object('reservation', body.reservationId)).toMatchObject({ state: 'requested', items });
  expect([await rehearsal.reserved('mug-blue'), await rehearsal.reserved('mug-green')]).toEqual([2, 1]);
});

test('Checkout Basket releases its reservation when the basket is merged into another while it runs', async (rehearsal) => {
  const id = await basketOf(rehearsal);
  const { reply } = await waitingCheckout(rehearsal, id);
  await create(rehearsal, { customerId: 'cus_ada', mergeBasketIds: [id] });
  await rehearsal.noFaults();
  expect((await reply).body).toMatchObject({ status: 409, code: 'invalid_state_transition', currentState: 'merged' });
  expect(await rehearsal.reserved('mug-blue')).toBe(0);
});

test('Checkout Basket releases its reservation when the basket is emptied while it runs', async (rehearsal) => {
  const { id, lines } = await rehearsal.basket({ lines: [line('mug-blue', 2)] });
  const { reply } = await waitingCheckout(rehearsal, id);
  await rehearsal.api('remove-basket-line-api', { params: { id, lineId: lines[0]?.lineId } });
  await rehearsal.noFaults();
  expect((await reply).body).toMatchObject({ status: 409, code: 'basket_empty' });
  expect(await rehearsal.reserved('mug-blue')).toBe(0);
});

test('Checkout Basket treats a member as a guest while the card cannot be read, and a repeat reads the card', async (rehearsal) => {
  const contact = { email: 'new.face@people.example', loyaltyCard: '2990000123459' };
  const { id, customerId } = await guestBasket(rehearsal);
  const { id: placedId } = await guestBasket(rehearsal);
  await rehearsal.down('loyalty-platform');
  const unread = { customerId, loyalty: { status: 'unavailable' } };
  const { reservationId, expiresAt } = (await rehearsal.checkOut(id, { contact })).body;
  expect((await rehearsal.checkOut(id, { contact })).body).toMatchObject(unread);
  const express = { shippingMethod: 'EXPRESS' };
  expect((await rehearsal.checkOut(id, express)).body).toMatchObject({ ...express, ...unread });
  const { body: ordered } = await rehearsal.checkOut(placedId, { contact, ...PLACE });
  expect(ordered).toMatchObject({ state: 'converted', loyalty: { status: 'unavailable' } });
  await rehearsal.noFaults();
  const { body: identified } = await rehearsal.checkOut(id, { contact });
  expect(identified).toMatchObject({ customerId: 'cus_ada', loyaltyAccountId: 'loy_ada', loyalty: { status: 'available', balance: 500 } });
  expect(identified).toMatchObject({ reservationId, expiresAt });
  expect((await rehearsal.checkOut(id, { contact })).body).toEqual(identified);
  expect((await rehearsal.checkOut(placedId, { contact, ...PLACE })).body).toEqual(ordered);
});

test('Checkout Basket prefers customerId, and its contact changes no registered customer', async (rehearsal) => {
  const { id } = await guestBasket(rehearsal);
  const { body } = await rehearsal.checkOut(id, { customerId: 'cus_ben', contact: { email: 'other@people.example' } });
  expect([body.customerId, body.loyalty]).toEqual(['cus_ben', { status: 'none' }]);
  expect(body).not.toHaveProperty('loyaltyAccountId');
  expect((await rehearsal.object('customer', 'cus_ben')).email).not.toBe('other@people.example');
});

test.each([false, true])(
  'Checkout Basket refuses a blocked customer before it reserves stock (placeOrder %s)',
  async (rehearsal, placeOrder) => {
    const { id } = await rehearsal.basket({ customerId: 'cus_mallory' });
    const { body } = await rehearsal.checkOut(id, { placeOrder, ...CODES });
    expect(body).toMatchObject({ status: 409, code: 'customer_blocked', objectType: 'customer', id: 'cus_mallory', retryable: false });
    expect(await stored(rehearsal, id)).toMatchObject({ state: 'open', version: 1 });
    expect(await rehearsal.events({ type: 'inventory-reserved' })).toEqual([]);
  },
);

test('Checkout Basket needs the CRM only for a named customer, a contact or an order', async (rehearsal) => {
  const { id } = await rehearsal.basket({ customerId: 'cus_ben' });
  const member = await basketOf(rehearsal);
  await rehearsal.down('crm');
  for (const more of [{ customerId: 'cus_ada' }, { contact: { email: 'a@people.example' } }, PLACE]) {
    expect((await rehearsal.checkOut(id, more)).body).toMatchObject({ status: 503, dependency: 'crm' });
  }
  const locked = { state: 'locked', customerId: 'cus_ben', loyalty: { status: 'unavailable' } };
  expect((await rehearsal.checkOut(id)).body).toMatchObject(locked);
  expect((await rehearsal.checkOut(member)).body).toMatchObject({ loyalty: { status: 'available', balance: 500 } });
});

test('Checkout Basket leaves points out while the Loyalty Platform is too slow', async (rehearsal) => {
  const id = await basketOf(rehearsal);
  await rehearsal.fault('no-loyalty', { match: { application: 'loyalty-platform' }, fault: { kind: 'latency', ms: 60_000 } });
  const started = Date.now();
  const { body } = await rehearsal.checkOut(id);
  expect(Date.now() - started).toBeLessThan(40_000);
  expect(body).toMatchObject({ state: 'locked', loyaltyAccountId: 'loy_ada' });
  expect(body.loyalty).toEqual({ status: 'unavailable' });
});

test('Checkout Basket applies the tier of a gold member', async (rehearsal) => {
  const basket = await rehearsal.basket({ customerId: 'cus_dmitri' });
  expect(basket.totals.discount.amount).toBe(0);
  const { vouchers, totals } = (await rehearsal.checkOut(basket.id, { voucherCodes: ['VIP'] })).body;
  expect(vouchers).toMatchObject([{ code: 'VIP', status: 'applied' }]);
  expect(totals.discount.amount).toBeGreaterThan(Math.round(2598 * 0.2));
});

test('Checkout Basket applies one voucher once and rejects a second voucher with its reason', async (rehearsal) => {
  const voucherCodes = ['EXPIRED', 'welcome10', 'WELCOME10'];
  const { vouchers, lines, totals } = (await rehearsal.checkOut(await basketOf(rehearsal), { voucherCodes })).body;
  const rejected = { code: 'EXPIRED', status: 'rejected', reason: 'voucher_expired', discount: eur(0) };
  expect(vouchers).toEqual([rejected, { code: 'WELCOME10', status: 'applied', discount: eur(260) }]);
  expect(lines).toMatchObject([{ discount: eur(260), lineTotal: eur(2338) }]);
  expect(totals).toMatchObject({ subtotal: eur(2598), discount: eur(260), shipping: eur(490), total: eur(2828) });
});

test('Checkout Basket repeated with its vouchers in another order applies them in that order', async (rehearsal) => {
  const { id } = await guestBasket(rehearsal, line('headphones'));
  const totalWith = async (...voucherCodes: string[]) => (await rehearsal.checkOut(id, { voucherCodes })).body.totals.total.amount;
  const first = await totalWith('WELCOME10', 'MIN100');
  expect(await totalWith('MIN100', 'WELCOME10')).not.toBe(first);
  expect(await totalWith('WELCOME10', 'MIN100')).toBe(first);
});

test('Checkout Basket is refused with vouchers while the Promotion Engine is down; without them it charges the full price', async (rehearsal) => {
  const id = await basketOf(rehearsal);
  await rehearsal.down('promotion-engine');
  const { body } = await rehearsal.checkOut(id, CODES);
  expect(body).toMatchObject({ status: 503, code: 'dependency_unavailable', dependency: 'promotion-engine' });
  expect(await rehearsal.reserved('mug-blue')).toBe(0);
  expect((await rehearsal.checkOut(id)).body).toMatchObject({
    promotionsStatus: 'unavailable',
    totals: { discount: eur(0), total: eur(3088) },
  });
});

test('Checkout Basket that cannot lock its vouchers releases stock and uses, and can be repeated later', async (rehearsal) => {
  const id = await basketOf(rehearsal);
  await rehearsal.down({ application: 'promotion-engine', api: 'record-voucher-use' });
  expect((await rehearsal.checkOut(id, CODES)).body).toMatchObject({ status: 503, dependency: 'promotion-engine' });
  expect(await rehearsal.reserved('mug-blue')).toBe(0);
  expect(await stored(rehearsal, id)).toMatchObject({ state: 'open', version: 1 });
  expect((await rehearsal.checkOut(id)).body).toMatchObject({ status: 409, code: 'invalid_state_transition', retryable: true });
  await rehearsal.noFaults();
  await rehearsal.advance('PT1M');
  expect((await rehearsal.checkOut(id, CODES)).body).toMatchObject({ state: 'locked' });
});

test('A checkout without an order ends after 15 minutes: stock and vouchers are released, and the basket is priced as open', async (rehearsal) => {
  const id = await basketOf(rehearsal);
  await rehearsal.control('set-clock', { body: { flowing: false } });
  const { reservationId } = (await rehearsal.checkOut(id, CODES)).body;
  await rehearsal.advance('PT14M59S');
  expect(await stored(rehearsal, id)).toMatchObject({ state: 'locked' });
  await rehearsal.advance('PT1S');
  const open = await stored(rehearsal, id);
  expect(open).toMatchObject({ state: 'open', vouchers: [], totals: { discount: eur(0), shipping: eur(0), total: eur(2598) } });
  for (const member of ['reservationId', 'shippingMethod']) expect(open).not.toHaveProperty(member);
  expect(Date.parse(open.expiresAt) - Date.parse(open.updatedAt)).toBe(DAY);
  expect(await rehearsal.object('reservation', reservationId)).toMatchObject({ state: 'expired' });
  expect((await eventsOf(rehearsal, id)).at(-1)).toEqual('ext.basket-changed v3 locked → open');
  const { body } = await rehearsal.call('create-order-api', { body: { basketId: id } });
  expect(body).toMatchObject({ status: 409, currentState: 'open', allowedFrom: ['locked', 'converted'] });
  const again = (await rehearsal.checkOut(id, CODES)).body;
  expect(again).toMatchObject({ state: 'locked', vouchers: [{ status: 'applied' }] });
  expect(again.reservationId).not.toBe(reservationId);
});

test('Checkout Basket with placeOrder converts the basket, creates one order, and keeps the price without a time limit', async (rehearsal) => {
  const id = await basketOf(rehearsal);
  const { body: placed } = await rehearsal.checkOut(id, { ...PLACE, ...CODES });
  const { orderId, totals, reservationId } = placed;
  const lines = [{ sku: 'mug-blue', qty: 2, reservationId }];
  expect(await rehearsal.order(orderId)).toMatchObject({ state: 'draft', basketId: id, customerId: 'cus_ada', totals, lines });
  expect((await eventsOf(rehearsal, id)).slice(1)).toEqual([
    'checkout-started v2 open → locked',
    'ext.basket-changed v3 locked → converted',
  ]);
  expect(await rehearsal.checkOut(id, PLACE)).toMatchObject({ status: 200, body: placed });
  expect(await rehearsal.events({ type: 'order-created' })).toHaveLength(1);
  await rehearsal.advance('PT16M');
  const kept = await stored(rehearsal, id);
  expect([kept.orderId, kept.totals, kept.expiresAt]).toEqual([orderId, totals, undefined]);
});

test('Checkout Basket with placeOrder creates the order of a locked basket, and returns an existing order', async (rehearsal) => {
  const locked = await rehearsal.checkedOut();
  const { body } = await rehearsal.checkOut(locked.id, PLACE);
  expect(body).toMatchObject({ state: 'converted', totals: locked.totals });
  expect(await rehearsal.order(body.orderId)).toMatchObject({ state: 'draft' });
  const order = await rehearsal.draft();
  expect(await rehearsal.checkOut(order.basketId, PLACE)).toMatchObject({ status: 200, body: { orderId: order.id } });
});

test('Checkout Basket with placeOrder is refused while the OMS is down; the order is created later and returned to a repeat', async (rehearsal) => {
  const id = await basketOf(rehearsal);
  const key = { 'idempotency-key': 'place-1' };
  await rehearsal.down('oms');
  const { body } = await rehearsal.checkOut(id, PLACE, key);
  expect(body).toMatchObject({ status: 503, code: 'dependency_unavailable', dependency: 'oms', retryable: true });
  const { orderId } = await stored(rehearsal, id);
  expect((await rehearsal.checkOut(id, PLACE)).body).toMatchObject({ status: 503, dependency: 'oms' });
  await rehearsal.noFaults();
  await rehearsal.advance('PT5S');
  expect(await rehearsal.order(orderId)).toMatchObject({ state: 'draft' });
  expect(await rehearsal.checkOut(id, PLACE, key)).toMatchObject({ status: 200, body: { state: 'converted', orderId } });
  expect(await rehearsal.events({ type: 'order-created' })).toHaveLength(1);
});

/** Counters of the Promotion Engine that no API shows. */
describe('The uses of a voucher', () => {
  const test = testIn(startShop);

  const used = (inside: Inside, code: string) => inside.counters('promotion-engine', voucherUses.name, code);
  const shelves = async (inside: Inside): Promise<string> =>
    (await insideCall(inside, 'create-basket-api', { body: { channel: 'web', customerId: 'cus_ben', lines: [line('shelf-wall', 2)] } }))
      .body.id;
  const checkOut = (inside: Inside, id: string, ...voucherCodes: string[]) =>
    insideCall(inside, 'checkout-basket-api', { params: { id }, body: { shippingAddress: ADDRESS, voucherCodes } });
  const leaveOne = (inside: Inside, ...codes: string[]) =>
    inside.commitAs('promotion-engine', async (work) => {
      const counters = await work.counters(voucherUses, codes);
      for (const [at, code] of codes.entries()) work.move(voucherUses, code, { left: 1 - (counters[at]?.['left'] ?? 0) });
    });
  const MINUTE = 60_000;

  test('The use of a voucher is taken once at checkout and released when the basket reopens', async (inside) => {
    const id = await shelves(inside);
    for (let n = 0; n < 2; n++) await checkOut(inside, id, 'WELCOME10');
    expect(await used(inside, 'WELCOME10')).toMatchObject({ used: 1 });
    await inside.advance(15 * MINUTE);
    expect(await used(inside, 'WELCOME10')).toMatchObject({ used: 0 });
  });

  test('The use of a voucher is taken once when one answer is lost, and released when all are lost', async (inside) => {
    const id = await shelves(inside);
    const lost = { match: { api: 'record-voucher-use' }, fault: { kind: 'lost-response', as: 'timeout' } } as const;
    await inside.fault('lost', { ...lost, times: 3 });
    expect((await checkOut(inside, id, 'WELCOME10')).status).toBe(504);
    await inside.advance(MINUTE);
    expect(await used(inside, 'WELCOME10')).toMatchObject({ used: 0 });
    await inside.fault('lost', { ...lost, times: 1 });
    expect((await checkOut(inside, id, 'WELCOME10')).body).toMatchObject({ vouchers: [{ status: 'applied' }] });
    expect(await used(inside, 'WELCOME10')).toMatchObject({ used: 1 });
  });

  test('The last use of a voucher goes to one of two checkouts, and the other one pays the full price', async (inside) => {
    await leaveOne(inside, 'MIN100');
    const ids = [await shelves(inside), await shelves(inside)];
    await inside.fault('together', { match: { api: 'record-voucher-use' }, fault: { kind: 'barrier', parties: 2 }, times: 2 });
    const replies = await Promise.all(ids.map((id) => checkOut(inside, id, 'MIN100', 'WELCOME10')));
    const [winner, loser] = replies.map(({ body }) => body).sort((a, b) => a.totals.total.amount - b.totals.total.amount);
    expect(winner.vouchers).toMatchObject([{ status: 'applied', discount: eur(1500) }, { status: 'applied' }]);
    const rejected = { code: 'MIN100', status: 'rejected', reason: 'quantity_exceeded', discount: eur(0) };
    expect(loser.vouchers).toMatchObject([rejected, { code: 'WELCOME10', status: 'applied', discount: eur(1380) }]);
    expect(loser.totals).toMatchObject({ subtotal: eur(13_800), discount: eur(1380), total: eur(12_420) });
    expect(await used(inside, 'MIN100')).toMatchObject({ left: 0 });
    expect(await used(inside, 'WELCOME10')).toMatchObject({ used: 2 });
  });

  test('The last use of a voucher stays with its basket when rejecting another voucher changes the price', async (inside) => {
    await leaveOne(inside, 'MIN100', 'USEDUP');
    const [slow, fast] = [await shelves(inside), await shelves(inside)];
    await inside.fault('slow', { match: { api: 'record-voucher-use' }, fault: { kind: 'latency', ms: 600 }, times: 1 });
    const running = checkOut(inside, slow, 'MIN100', 'USEDUP');
    await eventually('the first checkout reaches its vouchers', async () =>
      inside.stored('ecommerce-platform', checkouts, checkoutIdOf(slow)).then(
        ({ vouchers }) => vouchers,
        () => false,
      ),
    );
    expect((await checkOut(inside, fast, 'USEDUP')).body.vouchers).toMatchObject([{ code: 'USEDUP', status: 'applied' }]);
    const { vouchers, totals } = (await running).body;
    const rejected = { code: 'USEDUP', status: 'rejected', reason: 'quantity_exceeded' };
    expect(vouchers).toMatchObject([{ code: 'MIN100', status: 'applied', discount: eur(1500) }, rejected]);
    expect(totals).toMatchObject({ discount: eur(1500), total: eur(12_300) });
  });
});
