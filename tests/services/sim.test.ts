import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findStock, reserveStock } from '../../services/inventory-service/holds.ts';
import * as inventoryService from '../../services/inventory-service/service.ts';
import { attempts } from '../../services/sim/collections.ts';
import { abortHoldDue } from '../../services/sim/due-work.ts';
import * as sim from '../../services/sim/service.ts';
import { reserveInventory } from '../../shared/catalog/inventory/apis.ts';
import { moveHold, recordReservation, takeHold } from '../../shared/catalog/inventory/internal.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { eventually } from '../support/eventually.ts';
import { type Inside, startInside } from '../support/inside.ts';

const RESERVATIONS = '/inventory/reservations';

interface Line {
  readonly sku: string;
  readonly qty: number;
}

const reserve = (rehearsal: TestRehearsal, items: readonly Line[], more: object = {}, headers: Record<string, string> = {}) =>
  rehearsal.call('reserve-inventory-api', { body: { items, ...more }, headers });

async function reserved(rehearsal: TestRehearsal, items: readonly Line[], more: object = {}) {
  const { status, body } = await reserve(rehearsal, items, more);
  expect(status).toBe(201);
  return body;
}

/** The counters of Get Inventory for a SKU at a location. */
async function level(rehearsal: TestRehearsal, sku: string, locationId: string) {
  const { locations } = await rehearsal.api('get-inventory-api', { params: { sku } });
  const found = locations.find((location) => location.locationId === locationId);
  if (!found) throw new Error(`${locationId} has no ${sku}.`);
  const { locationId: _, ...counters } = found;
  return counters;
}

async function reservedUnits(rehearsal: TestRehearsal, sku: string): Promise<number> {
  const { locations } = await rehearsal.api('get-inventory-api', { params: { sku } });
  return locations.reduce((sum: number, location: { reserved: number }) => sum + location.reserved, 0);
}

/** Type, version and states of each event, as a subscriber sees a reservation. */
async function story(rehearsal: TestRehearsal, id: string): Promise<string[]> {
  const events = await rehearsal.events({ subject: `reservation/${id}`, ext: true });
  return events.map(
    ({ type, aggregateversion, data }) =>
      `${type.replace('com.unified-commerce.', '')} v${aggregateversion} ${data.previousState ?? '–'} → ${data.object.state}`,
  );
}

const CREATED = ['inventory-reserved v1 – → requested', 'reservation-created v1 – → requested'];

async function aBasketWith(rehearsal: TestRehearsal, ...lines: readonly Line[]): Promise<string> {
  return (await rehearsal.basket({ lines })).id;
}

describe('Reserve Inventory', () => {
  test('holds the items for 15 minutes at the first location by priority and publishes two events', async () => {
    await using rehearsal = await newRehearsal();
    const { status, body, headers } = await reserve(rehearsal, [{ sku: 'mug-blue', qty: 2 }]);
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^res_/),
      version: 1,
      state: 'requested',
      items: [{ sku: 'mug-blue', qty: 2 }],
      allocations: [{ locationId: 'dc-01', sku: 'mug-blue', qty: 2, fulfilledQty: 0, cancelledQty: 0 }],
      createdAt: body.createdAt,
      updatedAt: body.createdAt,
      expiresAt: new Date(Date.parse(body.createdAt) + 900_000).toISOString(),
    });
    expect(headers['etag']).toBe('"1"');
    expect(await level(rehearsal, 'mug-blue', 'dc-01')).toEqual({ onHand: 1000, reserved: 2, safetyStock: 0, atp: 998 });
    expect(await story(rehearsal, body.id)).toEqual(CREATED);
    const [event] = await rehearsal.events({ type: 'inventory-reserved' });
    expect(event).toMatchObject({ source: 'urn:uc:app:sim', partitionkey: body.id, classification: 'created', data: { object: body } });
    await rehearsal.verify();
  });

  test('holds everything at the requested location', async () => {
    await using rehearsal = await newRehearsal();
    const { allocations, locationId } = await reserved(rehearsal, [{ sku: 'mug-blue', qty: 3 }], { locationId: 'store-02' });
    expect([locationId, allocations[0].locationId]).toEqual(['store-02', 'store-02']);
    const short = await reserve(rehearsal, [{ sku: 'mug-blue', qty: 48 }], { locationId: 'store-02' });
    expect([short.status, short.body.skus]).toEqual([409, [{ sku: 'mug-blue', requested: 48, available: 47 }]]);
  });

  test('takes each whole line from the first node that can serve it', async () => {
    await using rehearsal = await newRehearsal();
    const four = await reserve(rehearsal, [{ sku: 'desk-two-nodes', qty: 4 }]);
    expect([four.status, four.body.code, four.body.skus]).toEqual([
      409,
      'insufficient_stock',
      [{ sku: 'desk-two-nodes', requested: 4, available: 3 }],
    ]);
    const first = await reserved(rehearsal, [{ sku: 'desk-two-nodes', qty: 2 }]);
    const second = await reserved(rehearsal, [
      { sku: 'mug-blue', qty: 1 },
      { sku: 'desk-two-nodes', qty: 2 },
    ]);
    expect(first.allocations.map(({ locationId }: { locationId: string }) => locationId)).toEqual(['dc-01']);
    expect(second.allocations.map(({ locationId }: { locationId: string }) => locationId)).toEqual(['dc-01', 'dc-02']);
  });

  test('keeps the safety stock of a store', async () => {
    await using rehearsal = await newRehearsal();
    const { onHand, safetyStock, atp } = await level(rehearsal, 'mug-green', 'store-01');
    expect(atp).toBe(onHand - safetyStock);
    expect(safetyStock).toBeGreaterThan(0);
    expect((await reserve(rehearsal, [{ sku: 'mug-green', qty: atp + 1 }], { locationId: 'store-01' })).status).toBe(409);
    await reserved(rehearsal, [{ sku: 'mug-green', qty: atp }], { locationId: 'store-01' });
    await rehearsal.verify();
  });

  test('names every short SKU and holds nothing', async () => {
    await using rehearsal = await newRehearsal();
    const { status, body } = await reserve(rehearsal, [
      { sku: 'mug-blue', qty: 1 },
      { sku: 'lamp-last-one', qty: 2 },
      { sku: 'vase-sold-out', qty: 1 },
    ]);
    expect([status, body.code, body.retryable]).toEqual([409, 'insufficient_stock', false]);
    expect(body.skus).toEqual([
      { sku: 'lamp-last-one', requested: 2, available: 1 },
      { sku: 'vase-sold-out', requested: 1, available: 0 },
    ]);
    expect(await reservedUnits(rehearsal, 'mug-blue')).toBe(0);
    expect(await rehearsal.events()).toEqual([]);
    await rehearsal.verify();
  });

  test('adds up a SKU named twice before it checks the stock', async () => {
    await using rehearsal = await newRehearsal();
    const twice = await reserve(rehearsal, [
      { sku: 'lamp-last-one', qty: 1 },
      { sku: 'lamp-last-one', qty: 1 },
    ]);
    expect([twice.status, twice.body.skus]).toEqual([409, [{ sku: 'lamp-last-one', requested: 2, available: 1 }]]);
    const { items } = await reserved(rehearsal, [
      { sku: 'mug-blue', qty: 1 },
      { sku: 'mug-green', qty: 1 },
      { sku: 'mug-blue', qty: 2 },
    ]);
    expect(items).toEqual([
      { sku: 'mug-blue', qty: 3 },
      { sku: 'mug-green', qty: 1 },
    ]);
  });

  test('refuses more than 9,999 units of a SKU, summed over its mentions', async () => {
    await using rehearsal = await newRehearsal();
    const { status, body } = await reserve(rehearsal, [
      { sku: 'mug-blue', qty: 9_999 },
      { sku: 'mug-blue', qty: 1 },
      { sku: 'mug-green', qty: 1 },
      { sku: 'mug-blue', qty: 9_999 },
    ]);
    const detail = 'mug-blue adds up to 19999 units; a line has at most 9999.';
    expect([status, body.errors]).toEqual([422, [{ pointer: '/items/1/qty', code: 'too_big', detail }]]);
  });

  test.each([
    ['a SKU', { items: [{ sku: 'no-such-sku', qty: 1 }] }, 'product', 'no-such-sku'],
    ['a location', { items: [{ sku: 'mug-blue', qty: 1 }], locationId: 'dc-99' }, 'location', 'dc-99'],
    ['a basket', { basketId: 'bsk_none' }, 'basket', 'bsk_none'],
  ])('answers 404 for %s that does not exist', async (_, body, objectType, id) => {
    await using rehearsal = await newRehearsal();
    const reply = await rehearsal.call('reserve-inventory-api', { body });
    expect([reply.status, reply.body.objectType, reply.body.id]).toEqual([404, objectType, id]);
    expect(await reservedUnits(rehearsal, 'mug-blue')).toBe(0);
    await rehearsal.verify();
  });

  test.each([
    ['neither basket nor items', {}],
    ['a time of more than four hours', { items: [{ sku: 'mug-blue', qty: 1 }], ttlSeconds: 14_401 }],
    ['no items', { items: [] }],
  ])('answers 422 for %s', async (_, body) => {
    await using rehearsal = await newRehearsal();
    const reply = await rehearsal.call('reserve-inventory-api', { body });
    expect([reply.status, reply.body.code]).toEqual([422, 'validation_failed']);
  });

  test('takes the items of a basket and refuses an empty basket', async () => {
    await using rehearsal = await newRehearsal();
    const basketId = await aBasketWith(rehearsal, { sku: 'mug-blue', qty: 2 }, { sku: 'mug-green', qty: 1 });
    const body = await rehearsal.api('reserve-inventory-api', { body: { basketId } });
    expect(body).toMatchObject({
      basketId,
      items: [
        { sku: 'mug-blue', qty: 2 },
        { sku: 'mug-green', qty: 1 },
      ],
    });
    const empty = await rehearsal.call('reserve-inventory-api', { body: { basketId: await aBasketWith(rehearsal) } });
    expect([empty.status, empty.body.code]).toEqual([409, 'basket_empty']);
  });

  test('answers a repeated key with the first answer and without a second effect', async () => {
    await using rehearsal = await newRehearsal();
    const send = () => reserve(rehearsal, [{ sku: 'mug-blue', qty: 2 }], {}, { 'idempotency-key': 'reserve-1' });
    const [first, second] = [await send(), await send()];
    expect(second.body).toEqual(first.body);
    expect([first.headers['idempotent-replayed'], second.headers['idempotent-replayed']]).toEqual([undefined, 'true']);
    expect(await reservedUnits(rehearsal, 'mug-blue')).toBe(2);
    expect(await story(rehearsal, first.body.id)).toEqual(CREATED);
    const other = await reserve(rehearsal, [{ sku: 'mug-blue', qty: 3 }], {}, { 'idempotency-key': 'reserve-1' });
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
  });

  test('for a basket with a confirmed order answers the hold of the order and does not replace it', async () => {
    await using rehearsal = await newRehearsal();
    const basketId = await aBasketWith(rehearsal, { sku: 'mug-blue', qty: 1 });
    const { reservationId } = await rehearsal.checkedOut(basketId);
    const order = await rehearsal.draft(basketId);
    await rehearsal.authorisation(order.id);
    await rehearsal.confirmed(order.id);
    const { status, body } = await rehearsal.call('reserve-inventory-api', { body: { basketId } });
    expect([status, body]).toMatchObject([200, { id: reservationId, state: 'confirmed', orderId: order.id }]);
    await rehearsal.verify();
  });

  test('with another duration replaces the open hold of the basket, also when both need the same last unit', async () => {
    await using rehearsal = await newRehearsal();
    const basketId = await aBasketWith(rehearsal, { sku: 'lamp-last-one', qty: 1 });
    const first = await rehearsal.api('reserve-inventory-api', { body: { basketId } });
    await rehearsal.advance('PT10M');
    const second = await rehearsal.api('reserve-inventory-api', { body: { basketId, ttlSeconds: 1_200 } });
    expect(second.id).not.toBe(first.id);
    expect((await rehearsal.object('reservation', first.id)).state).toBe('released');
    expect(await level(rehearsal, 'lamp-last-one', 'dc-01')).toMatchObject({ onHand: 1, reserved: 1, atp: 0 });
    expect(await story(rehearsal, first.id)).toEqual([...CREATED, 'ext.reservation-changed v2 requested → released']);
    expect(await story(rehearsal, second.id)).toEqual(CREATED);
    await rehearsal.advance('PT10M');
    expect((await rehearsal.object('reservation', second.id)).state).toBe('requested');
    await rehearsal.verify();
  });
});

describe('Expiry', () => {
  test.each([
    ['after 15 minutes by default', {}, 'PT14M59S'],
    ['after the requested time', { ttlSeconds: 60 }, 'PT59S'],
  ])('gives the stock back %s', async (_, more, before) => {
    await using rehearsal = await newRehearsal();
    await rehearsal.client.control('set-clock', { body: { flowing: false } });
    const { id } = await reserved(rehearsal, [{ sku: 'lamp-last-one', qty: 1 }], more);
    await rehearsal.advance(before);
    expect((await rehearsal.object('reservation', id)).state).toBe('requested');
    await rehearsal.advance('PT1S');
    expect((await rehearsal.object('reservation', id)).state).toBe('expired');
    expect(await level(rehearsal, 'lamp-last-one', 'dc-01')).toMatchObject({ reserved: 0, atp: 1 });
    expect(await story(rehearsal, id)).toEqual([...CREATED, 'ext.reservation-changed v2 requested → expired']);
    await rehearsal.verify();
  });

  test('waits while the Inventory Service is down and happens once when it is back', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await reserved(rehearsal, [{ sku: 'lamp-last-one', qty: 1 }], { ttlSeconds: 60 });
    await rehearsal.down('inventory-service');
    await rehearsal.advance('PT2M');
    expect((await rehearsal.object('reservation', id)).state).toBe('expired');
    await rehearsal.noFaults();
    await rehearsal.advance('PT10M');
    expect(await reservedUnits(rehearsal, 'lamp-last-one')).toBe(0);
    await rehearsal.verify();
  });
});

describe('Confirm Reservation', () => {
  const confirm = (rehearsal: TestRehearsal, id: string, body: object = {}, headers: Record<string, string> = {}) =>
    rehearsal.call('confirm-reservation-api', { params: { id }, body, headers });
  /** A draft order of other goods. */
  const anOrder = async (rehearsal: TestRehearsal): Promise<string> => {
    const basketId = await aBasketWith(rehearsal, { sku: 'mug-green', qty: 1 });
    await rehearsal.checkedOut(basketId);
    return (await rehearsal.draft(basketId)).id;
  };

  test.each([
    ['the request names', {}, { orderId: 'ord_none' }],
    ['the reservation names', { orderId: 'ord_none' }, {}],
  ])('Confirm Reservation refuses an order that does not exist and that %s, and the reservation expires', async (_who, made, asked) => {
    await using rehearsal = await newRehearsal();
    const { id } = await reserved(rehearsal, [{ sku: 'lamp-last-one', qty: 1 }], made);
    expect(await confirm(rehearsal, id, asked)).toMatchObject({
      status: 404,
      body: { code: 'not_found', objectType: 'order', id: 'ord_none' },
    });
    await rehearsal.advance('PT16M');
    expect((await rehearsal.object('reservation', id)).state).toBe('expired');
    expect(await reservedUnits(rehearsal, 'lamp-last-one')).toBe(0);
    await rehearsal.verify();
  });

  test('Confirm Reservation for an order is answered 503 while the OMS is down, and can be repeated', async () => {
    await using rehearsal = await newRehearsal();
    const orderId = await anOrder(rehearsal);
    const { id } = await reserved(rehearsal, [{ sku: 'mug-blue', qty: 1 }]);
    await rehearsal.down('oms');
    expect(await confirm(rehearsal, id, { orderId })).toMatchObject({ status: 503, body: { dependency: 'oms', retryable: true } });
    await rehearsal.noFaults();
    expect((await confirm(rehearsal, id, { orderId })).body).toMatchObject({ state: 'confirmed', orderId });
  });

  test('a reservation that a client confirmed for an order ends with the order', async () => {
    await using rehearsal = await newRehearsal();
    const orderId = await anOrder(rehearsal);
    const { id } = await reserved(rehearsal, [{ sku: 'mug-blue', qty: 2 }]);
    await confirm(rehearsal, id, { orderId });
    await rehearsal.api('cancel-order-api', { params: { id: orderId } });
    await rehearsal.settle();
    expect((await rehearsal.object('reservation', id)).state).toBe('released');
    expect(await reservedUnits(rehearsal, 'mug-blue')).toBe(0);
    await rehearsal.verify();
  });

  test('keeps the hold without a time limit and stores the order', async () => {
    await using rehearsal = await newRehearsal();
    const orderId = await anOrder(rehearsal);
    const { id } = await reserved(rehearsal, [{ sku: 'mug-blue', qty: 2 }]);
    const { status, body } = await confirm(rehearsal, id, { orderId });
    expect([status, body.state, body.orderId, body.version]).toEqual([200, 'confirmed', orderId, 2]);
    expect(body).not.toHaveProperty('expiresAt');
    await rehearsal.advance('PT20H');
    expect((await rehearsal.object('reservation', id)).state).toBe('confirmed');
    expect(await reservedUnits(rehearsal, 'mug-blue')).toBe(2);
    expect(await story(rehearsal, id)).toEqual([...CREATED, 'ext.reservation-changed v2 requested → confirmed']);
    await rehearsal.verify();
  });

  test('changes nothing for a confirmed reservation', async () => {
    await using rehearsal = await newRehearsal();
    const orderId = await anOrder(rehearsal);
    const { id } = await reserved(rehearsal, [{ sku: 'mug-blue', qty: 2 }], { orderId });
    const first = await confirm(rehearsal, id);
    const second = await confirm(rehearsal, id, { orderId });
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(first.body.orderId).toBe(orderId);
    expect(await story(rehearsal, id)).toHaveLength(3);
  });

  test('binds a confirmed reservation to the order, if it has none yet', async () => {
    await using rehearsal = await newRehearsal();
    const orderId = await anOrder(rehearsal);
    const { id } = await reserved(rehearsal, [{ sku: 'mug-blue', qty: 2 }]);
    await confirm(rehearsal, id);
    const { status, body } = await confirm(rehearsal, id, { orderId });
    expect([status, body.state, body.orderId, body.version]).toEqual([200, 'confirmed', orderId, 3]);
    expect((await confirm(rehearsal, id, { orderId: 'ord_8' })).body.errors[0]).toMatchObject({ pointer: '/orderId', code: 'other_order' });
    expect(await reservedUnits(rehearsal, 'mug-blue')).toBe(2);
    await rehearsal.verify();
  });

  test('is refused for another order than the one of the reservation', async () => {
    await using rehearsal = await newRehearsal();
    const orderId = await anOrder(rehearsal);
    const { id } = await reserved(rehearsal, [{ sku: 'mug-blue', qty: 2 }], { orderId });
    for (const expectedState of ['requested', 'confirmed']) {
      const { status, body } = await confirm(rehearsal, id, { orderId: 'ord_8' });
      expect([status, body.errors[0].pointer]).toEqual([422, '/orderId']);
      expect(await rehearsal.object('reservation', id)).toMatchObject({ state: expectedState, orderId });
      await confirm(rehearsal, id);
    }
  });

  test('answers that an expired reservation has expired, with its former lines', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await reserved(rehearsal, [
      { sku: 'mug-blue', qty: 2 },
      { sku: 'lamp-last-one', qty: 1 },
    ]);
    await rehearsal.advance('PT16M');
    const { status, body } = await confirm(rehearsal, id);
    expect([status, body.code, body.id]).toEqual([409, 'reservation_expired', id]);
    expect(body.skus).toEqual([
      { sku: 'mug-blue', requested: 2 },
      { sku: 'lamp-last-one', requested: 1 },
    ]);
  });

  test('is refused for now while a new hold of the basket replaces the old one', async () => {
    await using rehearsal = await newRehearsal();
    const basketId = await aBasketWith(rehearsal, { sku: 'lamp-last-one', qty: 1 });
    const { id } = await rehearsal.api('reserve-inventory-api', { body: { basketId } });
    await rehearsal.fault('slow', { match: { api: 'take-hold' }, fault: { kind: 'latency', ms: 2_500 }, times: 1 });
    const replacing = rehearsal.call('reserve-inventory-api', { body: { basketId, ttlSeconds: 60 } });
    await eventually('the new hold is being taken', async () => (await rehearsal.faults())[0]?.hits === 1);
    expect(await confirm(rehearsal, id)).toMatchObject({ status: 503, body: { code: 'contention', retryable: true } });
    expect((await replacing).status).toBe(201);
    expect((await rehearsal.object('reservation', id)).state).toBe('released');
    await rehearsal.verify();
  });

  test('is refused for a released reservation', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await reserved(rehearsal, [{ sku: 'mug-blue', qty: 2 }]);
    await rehearsal.api('release-reservation-api', { params: { id } });
    const { status, body } = await confirm(rehearsal, id);
    expect([status, body.code]).toEqual([409, 'invalid_state_transition']);
    expect(body).toMatchObject({ currentState: 'released', action: 'confirm', allowedFrom: ['requested', 'confirmed'] });
  });

  test('answers 404 for an unknown reservation and 412 for an outdated version', async () => {
    await using rehearsal = await newRehearsal();
    expect((await confirm(rehearsal, 'res_none')).body).toMatchObject({ code: 'not_found', objectType: 'reservation', id: 'res_none' });
    const { id } = await reserved(rehearsal, [{ sku: 'mug-blue', qty: 1 }]);
    const stale = await confirm(rehearsal, id, {}, { 'if-match': '"2"' });
    expect([stale.status, stale.body.currentVersion]).toEqual([412, 1]);
    expect((await confirm(rehearsal, id, {}, { 'if-match': '"1"' })).status).toBe(200);
  });
});

describe('Release Reservation', () => {
  const release = (rehearsal: TestRehearsal, id: string) => rehearsal.call('release-reservation-api', { params: { id } });

  test.each(['requested', 'confirmed'])('for a %s reservation gives the stock back before it answers', async (state) => {
    await using rehearsal = await newRehearsal();
    const { id } = await reserved(rehearsal, [
      { sku: 'mug-blue', qty: 2 },
      { sku: 'lamp-last-one', qty: 1 },
    ]);
    if (state === 'confirmed') await rehearsal.api('confirm-reservation-api', { params: { id } });
    const { status, body } = await release(rehearsal, id);
    expect([status, body.state]).toEqual([200, 'released']);
    expect([await reservedUnits(rehearsal, 'mug-blue'), await reservedUnits(rehearsal, 'lamp-last-one')]).toEqual([0, 0]);
    expect((await story(rehearsal, id)).at(-1)).toBe(`ext.reservation-changed v${body.version} ${state} → released`);
    await rehearsal.advance('PT1H');
    expect((await rehearsal.object('reservation', id)).state).toBe('released');
    await rehearsal.verify();
  });

  test.each(['released', 'expired'])('changes nothing for a %s reservation', async (state) => {
    await using rehearsal = await newRehearsal();
    const { id } = await reserved(rehearsal, [{ sku: 'mug-blue', qty: 2 }]);
    if (state === 'released') await release(rehearsal, id);
    else await rehearsal.advance('PT16M');
    const before = await rehearsal.object('reservation', id);
    const { status, body } = await release(rehearsal, id);
    expect([status, body.state, body.version]).toEqual([200, state, before.version]);
    expect(await reservedUnits(rehearsal, 'mug-blue')).toBe(0);
    expect(await story(rehearsal, id)).toHaveLength(3);
  });

  test('answers 404 for an unknown reservation', async () => {
    await using rehearsal = await newRehearsal();
    expect((await release(rehearsal, 'res_none')).status).toBe(404);
  });

  test('succeeds while the Inventory Service is down; the stock is given back when it is up', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await reserved(rehearsal, [{ sku: 'lamp-last-one', qty: 1 }]);
    await rehearsal.down({ api: 'move-hold' });
    expect((await release(rehearsal, id)).body.state).toBe('released');
    expect(await reservedUnits(rehearsal, 'lamp-last-one')).toBe(1);
    await rehearsal.noFaults();
    await rehearsal.advance('PT10S');
    expect(await reservedUnits(rehearsal, 'lamp-last-one')).toBe(0);
    await rehearsal.verify();
  });

  test('gives the stock back once when the answer of the Inventory Service is lost', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await reserved(rehearsal, [{ sku: 'mug-blue', qty: 2 }]);
    await reserved(rehearsal, [{ sku: 'mug-blue', qty: 5 }]);
    await rehearsal.fault('lost', { match: { api: 'move-hold' }, fault: { kind: 'lost-response' }, times: 2 });
    await release(rehearsal, id);
    await rehearsal.advance('PT5M');
    expect(await reservedUnits(rehearsal, 'mug-blue')).toBe(5);
    await rehearsal.verify();
  });
});

describe('Get Inventory', () => {
  test('shows the live counters of every location by priority', async () => {
    await using rehearsal = await newRehearsal();
    await reserved(rehearsal, [{ sku: 'lamp-last-one', qty: 1 }]);
    const body = await rehearsal.api('get-inventory-api', { params: { sku: 'lamp-last-one' } });
    expect(body.sku).toBe('lamp-last-one');
    expect(
      body.locations.map((location: Record<string, unknown>) => [location['locationId'], location['onHand'], location['atp']]),
    ).toEqual([
      ['dc-01', 1, 0],
      ['dc-02', 0, 0],
      ['store-01', 0, 0],
      ['store-02', 0, 0],
      ['store-03', 0, 0],
    ]);
  });

  test('has no version, answers 404 for an unknown SKU and 503 without the Inventory Service', async () => {
    await using rehearsal = await newRehearsal();
    expect((await rehearsal.call('get-inventory-api', { params: { sku: 'mug-blue' } })).headers).not.toHaveProperty('etag');
    const unknown = await rehearsal.call('get-inventory-api', { params: { sku: 'no-such-sku' } });
    expect([unknown.status, unknown.body.objectType, unknown.body.id]).toEqual([404, 'product', 'no-such-sku']);
    await rehearsal.down('inventory-service');
    const down = await rehearsal.call('get-inventory-api', { params: { sku: 'mug-blue' } });
    expect([down.status, down.body.code, down.body.dependency]).toEqual([503, 'dependency_unavailable', 'inventory-service']);
  });
});

describe('When a call of Reserve Inventory to another application fails', () => {
  test('since the Inventory Service is down, nothing is held, no work is queued, and the same key succeeds later', async () => {
    await using rehearsal = await newRehearsal();
    const send = () => reserve(rehearsal, [{ sku: 'lamp-last-one', qty: 1 }], {}, { 'idempotency-key': 'k1' });
    await rehearsal.down('inventory-service');
    const down = await send();
    expect([down.status, down.body.code, down.body.retryable]).toEqual([503, 'dependency_unavailable', true]);
    expect(down.headers['retry-after']).toBeDefined();
    await rehearsal.noFaults();
    expect(await reservedUnits(rehearsal, 'lamp-last-one')).toBe(0);
    expect((await rehearsal.advance('PT5M')).ran).toEqual([]);
    expect((await send()).status).toBe(201);
    await rehearsal.verify();
  });

  test.each(['timeout', 'reset'])('with a lost answer (%s), the stock is given back at once, and a repeat holds it once', async (as) => {
    await using rehearsal = await newRehearsal();
    const send = () => reserve(rehearsal, [{ sku: 'lamp-last-one', qty: 1 }], {}, { 'idempotency-key': 'k1' });
    await rehearsal.fault('lost', { match: { api: 'take-hold' }, fault: { kind: 'lost-response', as }, times: 1 });
    const lost = await send();
    expect([lost.status, lost.body.retryable]).toEqual([as === 'timeout' ? 504 : 502, true]);
    await rehearsal.verify();
    expect(await reservedUnits(rehearsal, 'lamp-last-one')).toBe(0);
    const repeated = await send();
    expect(repeated.status).toBe(201);
    expect(await story(rehearsal, repeated.body.id)).toEqual(CREATED);
    expect(await reservedUnits(rehearsal, 'lamp-last-one')).toBe(1);
    await rehearsal.verify();
  });

  test('while a basket replaces its hold, the basket keeps one hold', async () => {
    await using rehearsal = await newRehearsal();
    const basketId = await aBasketWith(rehearsal, { sku: 'lamp-last-one', qty: 1 });
    const first = await rehearsal.api('reserve-inventory-api', { body: { basketId } });
    await rehearsal.fault('lost', { match: { api: 'take-hold' }, fault: { kind: 'lost-response' }, times: 1 });
    expect((await rehearsal.call('reserve-inventory-api', { body: { basketId, ttlSeconds: 1_200 } })).status).toBe(504);
    await rehearsal.verify();
    expect((await rehearsal.object('reservation', first.id)).state).toBe('released');
    const created = await rehearsal.events({ type: 'reservation-created' });
    expect(created).toHaveLength(2);
    expect(await rehearsal.object('reservation', created[1].data.object.id)).toMatchObject({ state: 'requested', basketId });
    expect(await reservedUnits(rehearsal, 'lamp-last-one')).toBe(1);
  });

  test('since the Inventory Service is down while a basket replaces its hold, the old hold stays', async () => {
    await using rehearsal = await newRehearsal();
    const basketId = await aBasketWith(rehearsal, { sku: 'lamp-last-one', qty: 1 });
    const first = await rehearsal.api('reserve-inventory-api', { body: { basketId } });
    await rehearsal.down('inventory-service');
    expect((await rehearsal.call('reserve-inventory-api', { body: { basketId, ttlSeconds: 1_200 } })).status).toBe(503);
    await rehearsal.noFaults();
    expect((await rehearsal.object('reservation', first.id)).state).toBe('requested');
    await rehearsal.verify();
  });

  test('since the eCommerce Platform is down, a basket is refused and nothing is held', async () => {
    await using rehearsal = await newRehearsal();
    const basketId = await aBasketWith(rehearsal, { sku: 'mug-blue', qty: 1 });
    await rehearsal.down('ecommerce-platform');
    const { status, body } = await rehearsal.call('reserve-inventory-api', { body: { basketId } });
    expect([status, body.dependency]).toEqual([503, 'ecommerce-platform']);
    await rehearsal.verify();
  });
});

describe('The last unit', () => {
  const BUYERS = 50;
  const outcomes = (replies: readonly { status: number }[]) => {
    const count = (wanted: number) => replies.filter(({ status }) => status === wanted).length;
    return { held: count(201), refused: count(409), all: replies.length };
  };

  test.each([
    ['as they come', undefined],
    ['parked and let go together before the SIM', 'reserve-inventory-api'],
    ['parked and let go together before the counter', 'take-hold'],
  ])('goes to exactly one of 50 buyers, %s', async (_, api) => {
    await using rehearsal = await newRehearsal();
    if (api) await rehearsal.fault('crowd', { match: { api }, fault: { kind: 'barrier', parties: BUYERS }, times: BUYERS });
    const replies = await Promise.all(Array.from({ length: BUYERS }, () => reserve(rehearsal, [{ sku: 'lamp-last-one', qty: 1 }])));
    expect(outcomes(replies)).toEqual({ held: 1, refused: 49, all: 50 });
    for (const { status, body } of replies)
      if (status === 409) expect(body.skus).toEqual([{ sku: 'lamp-last-one', requested: 1, available: 0 }]);
    expect(await rehearsal.events({ type: 'inventory-reserved' })).toHaveLength(1);
    await rehearsal.verify();
  });

  test('of a node that sells out meanwhile gives way to the next node', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.fault('crowd', { match: { api: 'take-hold' }, fault: { kind: 'barrier', parties: 10 }, times: 10 });
    const replies = await Promise.all(Array.from({ length: 10 }, () => reserve(rehearsal, [{ sku: 'desk-two-nodes', qty: 1 }])));
    expect(outcomes(replies)).toEqual({ held: 6, refused: 4, all: 10 });
    expect(await level(rehearsal, 'desk-two-nodes', 'dc-02')).toMatchObject({ onHand: 3, reserved: 3 });
    await rehearsal.verify();
  });

  test('stays with a basket that requests its hold concurrently: one hold is open at the end', async () => {
    await using rehearsal = await newRehearsal();
    const basketId = await aBasketWith(rehearsal, { sku: 'lamp-last-one', qty: 1 });
    const times = [60, 120, 180, 180];
    const replies = await Promise.all(
      times.map((ttlSeconds) => rehearsal.call('reserve-inventory-api', { body: { basketId, ttlSeconds } })),
    );
    for (const { status, body } of replies) expect([200, 201, 503]).toContain(status === 503 && body.code === 'contention' ? 503 : status);
    expect(replies.some(({ status }) => status === 201)).toBe(true);
    await rehearsal.verify();
    expect(await reservedUnits(rehearsal, 'lamp-last-one')).toBe(1);
  });

  test('stays with a basket when the Inventory Service fails one of two requests', async () => {
    await using rehearsal = await newRehearsal();
    const basketId = await aBasketWith(rehearsal, { sku: 'lamp-last-one', qty: 1 });
    for (let round = 1; round <= 15; round++) {
      await rehearsal.fault('down', { match: { api: 'take-hold' }, fault: { kind: 'outage' }, times: 1 });
      const replies = await Promise.all(Array.from({ length: 3 }, () => rehearsal.call('reserve-inventory-api', { body: { basketId } })));
      for (const { status, body } of replies.filter((reply) => reply.status === 201)) {
        expect([status, body.basketId]).toEqual([201, basketId]);
        await rehearsal.api('release-reservation-api', { params: { id: body.id } });
      }
      await rehearsal.verify();
    }
  });

  test('is held once for 20 sends of one key', async () => {
    await using rehearsal = await newRehearsal();
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => reserve(rehearsal, [{ sku: 'mug-blue', qty: 1 }], {}, { 'idempotency-key': 'once' })),
    );
    for (const { status, body } of replies) expect([201, 'idempotency_in_progress']).toContain(status === 201 ? 201 : body.code);
    expect(new Set(replies.filter(({ status }) => status === 201).map(({ body }) => body.id)).size).toBe(1);
    expect(await reservedUnits(rehearsal, 'mug-blue')).toBe(1);
  });
});

describe('Inside the estate', () => {
  let inside: Inside;
  beforeAll(async () => {
    inside = await startInside(sim, inventoryService);
  });
  afterAll(() => inside[Symbol.asyncDispose]());

  const units = async (sku: string, locationId = 'dc-01') =>
    (await inside.counters('inventory-service', 'stock', `${sku}|${locationId}`))['reserved'];

  test('a caller sends the items along with the basket; a shortage leaves the basket its old hold', async () => {
    const oms = inside.as('oms');
    const first = await oms(reserveInventory, { body: { basketId: 'bsk_a', items: [{ sku: 'mug-green', qty: 2 }] } });
    const refused = oms(reserveInventory, {
      body: {
        basketId: 'bsk_a',
        items: [
          { sku: 'mug-green', qty: 1 },
          { sku: 'vase-sold-out', qty: 1 },
        ],
      },
    });
    await expect(refused).rejects.toMatchObject({ code: 'insufficient_stock' });
    expect(await units('mug-green')).toBe(2);
    const [, ...later] = await inside.events(`reservation/${first.id}`);
    expect(later).toHaveLength(1);
    const second = await oms(reserveInventory, { body: { basketId: 'bsk_a', items: [{ sku: 'mug-green', qty: 3 }], orderId: 'ord_a' } });
    expect(second).toMatchObject({ basketId: 'bsk_a', orderId: 'ord_a', state: 'requested' });
    expect(await units('mug-green')).toBe(3);
  });

  test('a confirmed hold of a basket is replaced as well', async () => {
    const oms = inside.as('oms');
    const first = await oms(reserveInventory, { body: { basketId: 'bsk_b', items: [{ sku: 'lamp-last-one', qty: 1 }] } });
    expect((await inside.call('POST', `${RESERVATIONS}/${first.id}/confirm`, {})).body.state).toBe('confirmed');
    const second = await oms(reserveInventory, { body: { basketId: 'bsk_b', items: [{ sku: 'lamp-last-one', qty: 1 }] } });
    expect((await inside.events(`reservation/${first.id}`)).at(-1).data).toMatchObject({ previousState: 'confirmed' });
    expect(await units('lamp-last-one')).toBe(1);
    await inside.call('DELETE', `${RESERVATIONS}/${second.id}`);
    expect(await units('lamp-last-one')).toBe(0);
  });

  test('a hold is taken once per reservation, given back once, and refused after it was abandoned', async () => {
    const asSim = inside.as('sim');
    const take = (reservationId: string) =>
      asSim(takeHold, { params: { reservationId }, body: { items: [{ sku: 'bowl-large', qty: 4 }] } });
    const giveBack = (reservationId: string) =>
      asSim(moveHold, { params: { reservationId }, body: { reference: 'because', kind: 'release' } });
    expect(await take('res_h1')).toEqual(await take('res_h1'));
    expect(await units('bowl-large')).toBe(4);
    expect(await giveBack('res_h1')).toEqual({ allocations: [{ locationId: 'dc-01', sku: 'bowl-large', qty: 4 }] });
    await giveBack('res_h1');
    expect(await units('bowl-large')).toBe(0);
    expect(await giveBack('res_late')).toEqual({ allocations: [] });
    for (const ended of ['res_h1', 'res_late']) {
      await expect(take(ended)).rejects.toMatchObject({ code: 'invalid_state_transition', context: { objectType: 'hold', id: ended } });
    }
    expect(await units('bowl-large')).toBe(0);
  });

  test('a SKU that is named twice is one line of the hold', async () => {
    const items = [
      { sku: 'desk-two-nodes', qty: 2 },
      { sku: 'desk-two-nodes', qty: 2 },
    ];
    const taking = inside.as('sim')(takeHold, { params: { reservationId: 'res_twice' }, body: { items } });
    await expect(taking).rejects.toMatchObject({ context: { skus: [{ sku: 'desk-two-nodes', requested: 4, available: 3 }] } });
  });

  test('a refused hold stays refused, so that all callers learn the same', async () => {
    const asSim = inside.as('sim');
    const take = (reservationId: string) =>
      asSim(takeHold, { params: { reservationId }, body: { items: [{ sku: 'desk-two-nodes', qty: 3 }] } });
    await take('res_d1');
    await take('res_d2');
    const refusal = { code: 'insufficient_stock', context: { skus: [{ sku: 'desk-two-nodes', requested: 3, available: 0 }] } };
    await expect(take('res_d3')).rejects.toMatchObject(refusal);
    await asSim(moveHold, { params: { reservationId: 'res_d1' }, body: { reference: 'because', kind: 'release' } });
    await expect(take('res_d3')).rejects.toMatchObject(refusal);
    expect((await take('res_d4')).allocations).toEqual([{ locationId: 'dc-01', sku: 'desk-two-nodes', qty: 3 }]);
  });

  test('the counter refuses the second of two commits that both read the last unit', async () => {
    const sku = 'lamp-desk';
    const { onHand = 0, safetyStock = 0 } = await inside.counters('inventory-service', 'stock', `${sku}|store-03`);
    const qty = onHand - safetyStock;
    const take = async (work: UnitOfWork) => {
      const { held } = await findStock(work, { lines: [{ sku, qty }], nodes: ['store-03'] });
      expect(held).toEqual([{ locationId: 'store-03', sku, qty }]);
      reserveStock(work, held);
    };
    const outcomes = await inside.overlapping('inventory-service', take, take);
    expect(outcomes.toSorted()).toEqual(['Conflict: guard: stock/lamp-desk|store-03', 'committed']);
    expect(await units(sku, 'store-03')).toBe(qty);
  });

  /** The reservation attempt for a number of plates, read once it has begun. */
  const attemptFor = (work: UnitOfWork, qty: number) =>
    eventually('the attempt has set out', async () => {
      const { items } = await work.all(attempts);
      return items.find((attempt) => attempt.items[0]?.sku === 'plate-dinner' && attempt.items[0].qty === qty);
    });

  test('a request whose attempt is abandoned while it waits reserves under another id', async () => {
    await inside.fault('slow', { match: { api: 'take-hold' }, fault: { kind: 'latency', ms: 300 }, times: 1 });
    const replying = inside.call('POST', RESERVATIONS, { items: [{ sku: 'plate-dinner', qty: 6 }] });
    const { id } = await inside.commitAs('sim', async (work) => {
      const attempt = await attemptFor(work, 6);
      await inside.as('sim')(moveHold, { params: { reservationId: attempt.id }, body: { reference: 'given up', kind: 'release' } });
      work.cancel(abortHoldDue, attempt.id);
      return work.put(attempts, { ...attempt, status: 'ended' });
    });
    const { status, body } = await replying;
    expect([status, body.id === id]).toEqual([201, false]);
    expect(await units('plate-dinner')).toBe(6);
    await inside.noFaults();
  });

  test('abandoning an attempt is committed before the Inventory Service is told', async () => {
    await inside.fault('lost', { match: { api: 'take-hold' }, fault: { kind: 'lost-response', as: 'timeout' }, times: 1 });
    await inside.fault('slow', { match: { api: 'move-hold' }, fault: { kind: 'latency', ms: 300 }, times: 1 });
    const replying = inside.call('POST', RESERVATIONS, { items: [{ sku: 'plate-dinner', qty: 7 }] });
    const found = Promise.withResolvers<string>();
    const looking = inside.commitAs('sim', async (work) => found.resolve((await attemptFor(work, 7)).id));
    const id = await found.promise;
    const becomes = (status: string) =>
      eventually(`the attempt is ${status}`, async () => (await inside.stored('sim', attempts, id)).status === status);
    expect((await replying).status).toBe(504);
    await becomes('aborting');
    expect(await units('plate-dinner')).toBe(13);
    await becomes('ended');
    expect(await units('plate-dinner')).toBe(6);
    await looking;
    await inside.noFaults();
  });

  test('the record of a standalone allocation is written once', async () => {
    const asInventory = inside.as('inventory-service');
    const record = () =>
      asInventory(recordReservation, {
        params: { id: 'res_recorded' },
        body: {
          orderId: 'ord_r',
          orderLineId: 'line_1',
          items: [{ sku: 'teapot-stone', qty: 1 }],
          allocations: [{ orderLineId: 'line_1', locationId: 'dc-01', sku: 'teapot-stone', qty: 1, fulfilledQty: 0, cancelledQty: 0 }],
        },
      });
    expect(await record()).toMatchObject({ id: 'res_recorded', state: 'confirmed', version: 1 });
    expect(await record()).toMatchObject({ id: 'res_recorded', state: 'confirmed', version: 1 });
    const events = await inside.events('reservation/res_recorded');
    expect(events.map(({ type }: { type: string }) => type)).toEqual(['com.unified-commerce.inventory-reserved']);
  });
});
