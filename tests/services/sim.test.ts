import { describe, expect } from '@jest/globals';
import * as inventoryService from '../../services/inventory-service/service.ts';
import { attempts, reservations } from '../../services/sim/collections.ts';
import { abortReservationDue } from '../../services/sim/due-work.ts';
import * as sim from '../../services/sim/service.ts';
import { confirmReservation, reserveInventory } from '../../shared/catalog/inventory/apis.ts';
import { moveHold, takeHold } from '../../shared/catalog/inventory/internal.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { newRehearsal } from '../support/estate.ts';
import { eventually } from '../support/eventually.ts';
import { type Inside, startInside } from '../support/inside.ts';
import type { Line } from '../support/steps/order.ts';
import { testIn } from '../support/test-in.ts';

const LAMP = 'lamp-last-one';
const LAST_LAMP: readonly Line[] = [{ sku: LAMP, qty: 1 }];
const mugs = (qty: number): readonly Line[] => [{ sku: 'mug-blue', qty }];

/** A rehearsal with the calls of a client of the SIM. */
async function simRehearsal() {
  const rehearsal = await newRehearsal();
  const { api, call, object } = rehearsal;
  return {
    ...rehearsal,
    reserve: (items: readonly Line[], more: object = {}, headers: Record<string, string> = {}) =>
      call('reserve-inventory-api', { body: { items, ...more }, headers }),
    /** A reservation of these items. */
    reservation: (items: readonly Line[], more: object = {}) => api('reserve-inventory-api', { body: { items: [...items], ...more } }),
    /** Reserves the lines of a basket. */
    reserveBasket: (basketId: string, more: object = {}) => call('reserve-inventory-api', { body: { basketId, ...more } }),
    /** A basket, and the reservation of its lines. */
    reservedBasket: async (lines = LAST_LAMP) => {
      const { id: basketId } = await rehearsal.basket({ lines });
      return { basketId, first: await api('reserve-inventory-api', { body: { basketId } }) };
    },
    confirmReservation: (id: string, body: object = {}, headers: Record<string, string> = {}) =>
      call('confirm-reservation-api', { params: { id }, body, headers }),
    release: (id: string) => call('release-reservation-api', { params: { id } }),
    stateOf: async (id: string): Promise<string> => (await object('reservation', id)).state,
    /** The counters of Get Inventory for a SKU at a location. */
    level: async (sku: string, locationId: string) => {
      const { locations } = await api('get-inventory-api', { params: { sku } });
      return locations.find((one) => one.locationId === locationId);
    },
    /** Type, version and states of each event, as a subscriber sees a reservation. */
    story: async (id: string) =>
      (await rehearsal.events({ subject: `reservation/${id}`, ext: true })).map(
        ({ type, aggregateversion, data }) =>
          `${type.replace('com.unified-commerce.', '')} v${aggregateversion} ${data.previousState ?? '–'} → ${data.object.state}`,
      ),
  };
}
const test = testIn(simRehearsal);

const CREATED = ['inventory-reserved v1 – → requested', 'reservation-created v1 – → requested'];
const changed = (version: number, from: string, to: string) => `ext.reservation-changed v${version} ${from} → ${to}`;

describe('Reserve Inventory', () => {
  test('Reserve Inventory reserves items for 15 minutes at the first location by priority and publishes two events', async (rehearsal) => {
    const { status, body, headers } = await rehearsal.reserve(mugs(2));
    expect([status, headers['etag']]).toEqual([201, '"1"']);
    expect(body).toMatchObject({ state: 'requested', items: mugs(2), allocations: [{ locationId: 'dc-01', sku: 'mug-blue', qty: 2 }] });
    expect(Date.parse(body.expiresAt) - Date.parse(body.createdAt)).toBe(900_000);
    expect(await rehearsal.level('mug-blue', 'dc-01')).toMatchObject({ onHand: 1000, reserved: 2, safetyStock: 0, atp: 998 });
    expect(await rehearsal.story(body.id)).toEqual(CREATED);
    const [event] = await rehearsal.events({ type: 'inventory-reserved' });
    expect(event).toMatchObject({ source: 'urn:uc:app:sim', partitionkey: body.id, classification: 'created', data: { object: body } });
  });

  test('Reserve Inventory takes each whole line from the first node that has all its units', async (rehearsal) => {
    const desks = (qty: number) => ({ sku: 'desk-two-nodes', qty });
    const skus = [{ sku: 'desk-two-nodes', requested: 4, available: 3 }];
    expect(await rehearsal.reserve([desks(4)])).toMatchObject({ status: 409, body: { code: 'insufficient_stock', skus } });
    const first = await rehearsal.reservation([desks(2)]);
    const second = await rehearsal.reservation([...mugs(1), desks(2)]);
    expect([first, second].map(({ allocations }) => allocations.map(({ locationId }) => locationId))).toEqual([
      ['dc-01'],
      ['dc-01', 'dc-02'],
    ]);
  });

  test('Reserve Inventory does not reserve the safety stock of a store', async (rehearsal) => {
    const { onHand = 0, safetyStock = 0, atp = 0 } = (await rehearsal.level('mug-green', 'store-01')) ?? {};
    expect([atp, safetyStock > 0]).toEqual([onHand - safetyStock, true]);
    const reserve = (qty: number) => rehearsal.reserve([{ sku: 'mug-green', qty }], { locationId: 'store-01' });
    expect([(await reserve(atp + 1)).status, (await reserve(atp)).status]).toEqual([409, 201]);
  });

  test('Reserve Inventory adds up a SKU named twice before it checks the stock and the limit of 9,999 units', async (rehearsal) => {
    const skus = [{ sku: LAMP, requested: 2, available: 1 }];
    expect(await rehearsal.reserve([...LAST_LAMP, ...LAST_LAMP])).toMatchObject({ status: 409, body: { skus } });
    const green = { sku: 'mug-green', qty: 1 };
    const { items } = await rehearsal.reservation([...mugs(1), green, ...mugs(2)]);
    expect(items).toEqual([...mugs(3), green]);
    const detail = 'mug-blue adds up to 19999 units; a line has at most 9999.';
    const errors = [{ pointer: '/items/1/qty', code: 'too_big', detail }];
    const many = await rehearsal.reserve([...mugs(9_999), ...mugs(1), green, ...mugs(9_999)]);
    expect([many.status, many.body.errors]).toEqual([422, errors]);
  });

  test('Reserve Inventory takes the items of a basket and refuses an empty basket, and a merged one by its state', async (rehearsal) => {
    const lines = [...mugs(2), { sku: 'mug-green', qty: 1 }];
    const { basketId, first } = await rehearsal.reservedBasket(lines);
    expect(first).toMatchObject({ basketId, items: lines });
    const empty = await rehearsal.basket({ lines: [] });
    expect(await rehearsal.reserveBasket(empty.id)).toMatchObject({ status: 409, body: { code: 'basket_empty' } });
    const { id: guest } = await rehearsal.api('create-basket-api', { body: { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] } });
    await rehearsal.api('create-basket-api', { body: { channel: 'web', mergeBasketIds: [guest] } });
    const merged = { status: 409, body: { code: 'invalid_state_transition', currentState: 'merged' } };
    expect(await rehearsal.reserveBasket(guest)).toMatchObject(merged);
  });

  test('Reserve Inventory with another duration replaces the open reservation of the basket, even of the last unit', async (rehearsal) => {
    const { basketId, first } = await rehearsal.reservedBasket();
    await rehearsal.advance('PT10M');
    const { body: second } = await rehearsal.reserveBasket(basketId, { ttlSeconds: 1_200 });
    expect(second.id).not.toBe(first.id);
    expect(await rehearsal.level(LAMP, 'dc-01')).toMatchObject({ onHand: 1, reserved: 1, atp: 0 });
    expect(await rehearsal.story(first.id)).toEqual([...CREATED, changed(2, 'requested', 'released')]);
    expect(await rehearsal.story(second.id)).toEqual(CREATED);
    await rehearsal.advance('PT10M');
    expect([await rehearsal.stateOf(first.id), await rehearsal.stateOf(second.id)]).toEqual(['released', 'requested']);
  });
});

test.each([
  ['after 15 minutes by default', {}, 'PT14M59S'],
  ['after the requested time', { ttlSeconds: 60 }, 'PT59S'],
])('a reservation expires and returns its stock %s', async (rehearsal, _when, more, before) => {
  await rehearsal.control('set-clock', { body: { flowing: false } });
  const { id } = await rehearsal.reservation(LAST_LAMP, more);
  await rehearsal.advance(before);
  expect(await rehearsal.stateOf(id)).toBe('requested');
  await rehearsal.advance('PT1S');
  expect(await rehearsal.level(LAMP, 'dc-01')).toMatchObject({ reserved: 0, atp: 1 });
  expect(await rehearsal.story(id)).toEqual([...CREATED, changed(2, 'requested', 'expired')]);
});

describe('Confirm Reservation', () => {
  /** A draft order of other goods, and a reservation of two mugs. */
  async function orderAndReservation(rehearsal: Awaited<ReturnType<typeof simRehearsal>>) {
    const { id: orderId } = await rehearsal.draft({ sku: 'mug-green', qty: 1 });
    const { id } = await rehearsal.reservation(mugs(2));
    return { orderId, id };
  }

  test('Confirm Reservation refuses an unknown order that the reservation names, and the reservation expires', async (rehearsal) => {
    const { id } = await rehearsal.reservation(LAST_LAMP, { orderId: 'ord_none' });
    const body = { code: 'not_found', objectType: 'order', id: 'ord_none' };
    expect(await rehearsal.confirmReservation(id)).toMatchObject({ status: 404, body });
    await rehearsal.advance('PT16M');
    expect([await rehearsal.stateOf(id), await rehearsal.reserved(LAMP)]).toEqual(['expired', 0]);
  });

  test('Confirm Reservation removes the time limit and stores the order, and both end together', async (rehearsal) => {
    const { id, orderId } = await orderAndReservation(rehearsal);
    const { status, body } = await rehearsal.confirmReservation(id, { orderId });
    expect([status, body.state, body.orderId, body.version]).toEqual([200, 'confirmed', orderId, 2]);
    expect(body).not.toHaveProperty('expiresAt');
    await rehearsal.advance('PT20H');
    expect(await rehearsal.reserved('mug-blue')).toBe(2);
    expect(await rehearsal.story(id)).toEqual([...CREATED, changed(2, 'requested', 'confirmed')]);
    await rehearsal.api('cancel-order-api', { params: { id: orderId } });
    await rehearsal.settle();
    expect([await rehearsal.stateOf(id), await rehearsal.reserved('mug-blue')]).toEqual(['released', 0]);
  });

  test('Confirm Reservation binds a confirmed reservation to the order, if it has none yet', async (rehearsal) => {
    const { id, orderId } = await orderAndReservation(rehearsal);
    await rehearsal.confirmReservation(id);
    const bound = { state: 'confirmed', orderId, version: 3 };
    expect(await rehearsal.confirmReservation(id, { orderId })).toMatchObject({ status: 200, body: bound });
    const errors = [{ pointer: '/orderId', code: 'other_order' }];
    expect((await rehearsal.confirmReservation(id, { orderId: 'ord_8' })).body).toMatchObject({ errors });
    expect(await rehearsal.reserved('mug-blue')).toBe(2);
  });

  test('Confirm Reservation refuses an expired reservation, and the refusal has the lines', async (rehearsal) => {
    const { id } = await rehearsal.reservation([...mugs(2), ...LAST_LAMP]);
    await rehearsal.advance('PT16M');
    const { status, body } = await rehearsal.confirmReservation(id);
    expect([status, body.code, body.id]).toEqual([409, 'reservation_expired', id]);
    expect(body.skus).toEqual([
      { sku: 'mug-blue', requested: 2 },
      { sku: LAMP, requested: 1 },
    ]);
  });

  test('Confirm Reservation is refused as retryable while another reservation of the basket replaces this one', async (rehearsal) => {
    const { basketId, first } = await rehearsal.reservedBasket();
    await rehearsal.fault('slow', { match: { api: 'take-hold' }, fault: { kind: 'latency', ms: 2_500 }, times: 1 });
    const replacing = rehearsal.reserveBasket(basketId, { ttlSeconds: 60 });
    await eventually('the replacement has begun', async () => (await rehearsal.faults())[0]?.hits === 1);
    const contention = { status: 503, body: { code: 'contention', retryable: true } };
    expect(await rehearsal.confirmReservation(first.id)).toMatchObject(contention);
    expect((await replacing).status).toBe(201);
    expect(await rehearsal.stateOf(first.id)).toBe('released');
  });
});

describe('Release Reservation', () => {
  test.each(['requested', 'confirmed'])(
    'Release Reservation of a %s reservation returns the stock before it answers',
    async (rehearsal, state) => {
      const { id } = await rehearsal.reservation([...mugs(2), ...LAST_LAMP]);
      if (state === 'confirmed') await rehearsal.confirmReservation(id);
      const { status, body } = await rehearsal.release(id);
      expect([status, body.state]).toEqual([200, 'released']);
      expect([await rehearsal.reserved('mug-blue'), await rehearsal.reserved(LAMP)]).toEqual([0, 0]);
      expect((await rehearsal.story(id)).at(-1)).toBe(changed(body.version, state, 'released'));
      await rehearsal.advance('PT1H');
      expect(await rehearsal.stateOf(id)).toBe('released');
    },
  );
});

describe('Reserve Inventory without an answer from another application', () => {
  test.each(['timeout', 'reset'])(
    'Reserve Inventory returns the stock of a lost answer (%s), and a repeat reserves it',
    async (rehearsal, as) => {
      const send = () => rehearsal.reserve(LAST_LAMP, {}, { 'idempotency-key': 'k1' });
      await rehearsal.fault('lost', { match: { api: 'take-hold' }, fault: { kind: 'lost-response', as }, times: 1 });
      expect(await send()).toMatchObject({ status: as === 'timeout' ? 504 : 502, body: { retryable: true } });
      await rehearsal.verify();
      expect(await rehearsal.reserved(LAMP)).toBe(0);
      const repeated = await send();
      expect([repeated.status, await rehearsal.story(repeated.body.id)]).toEqual([201, CREATED]);
      expect(await rehearsal.reserved(LAMP)).toBe(1);
    },
  );

  test('A basket keeps its reservation when the Inventory Service is down during its replacement', async (rehearsal) => {
    const { basketId, first } = await rehearsal.reservedBasket();
    await rehearsal.down('inventory-service');
    expect((await rehearsal.reserveBasket(basketId, { ttlSeconds: 1_200 })).status).toBe(503);
    await rehearsal.noFaults();
    expect(await rehearsal.stateOf(first.id)).toBe('requested');
  });
});

describe('Concurrent reservations', () => {
  const BUYERS = 50;
  const statuses = (replies: readonly { status: number }[]) => {
    const count = (wanted: number) => replies.filter(({ status }) => status === wanted).length;
    return { reserved: count(201), refused: count(409) };
  };
  const all = <T>(count: number, send: () => Promise<T>) => Promise.all(Array.from({ length: count }, send));

  test.each([
    ['as they come', undefined],
    ['parked and released together before the SIM', 'reserve-inventory-api'],
    ['parked and released together before the counter', 'take-hold'],
  ])('the last unit goes to exactly one of 50 buyers, %s', async (rehearsal, _how, api) => {
    if (api) await rehearsal.fault('crowd', { match: { api }, fault: { kind: 'barrier', parties: BUYERS }, times: BUYERS });
    const replies = await all(BUYERS, () => rehearsal.reserve(LAST_LAMP));
    expect(statuses(replies)).toEqual({ reserved: 1, refused: 49 });
    const refused = replies.flatMap(({ status, body }) => (status === 409 ? body.skus : []));
    expect(refused).toEqual(Array(49).fill({ sku: LAMP, requested: 1, available: 0 }));
    expect(await rehearsal.events({ type: 'inventory-reserved' })).toHaveLength(1);
  });

  test('Reserve Inventory uses the next node when a node sells out during the request', async (rehearsal) => {
    await rehearsal.fault('crowd', { match: { api: 'take-hold' }, fault: { kind: 'barrier', parties: 10 }, times: 10 });
    const replies = await all(10, () => rehearsal.reserve([{ sku: 'desk-two-nodes', qty: 1 }]));
    expect(statuses(replies)).toEqual({ reserved: 6, refused: 4 });
    expect(await rehearsal.level('desk-two-nodes', 'dc-02')).toMatchObject({ onHand: 3, reserved: 3 });
  });
});

describe('Calls inside the estate', () => {
  const test = testIn(() => startInside(sim, inventoryService));
  const units = async (inside: Inside, sku: string) => (await inside.counters('inventory-service', 'stock', `${sku}|dc-01`))['reserved'];

  test('Take Hold repeats its refusal, so that all callers get the same answer', async (inside) => {
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

  /** The reservation attempt for a number of plates, once it has begun. */
  const attemptFor = (work: UnitOfWork, qty: number) =>
    eventually('the attempt has begun', async () => {
      const { items } = await work.all(attempts);
      return items.find((attempt) => attempt.items[0]?.sku === 'plate-dinner' && attempt.items[0].qty === qty);
    });

  test('Reserve Inventory whose attempt is abandoned while it waits reserves under a new id', async (inside) => {
    await inside.fault('slow', { match: { api: 'take-hold' }, fault: { kind: 'latency', ms: 300 }, times: 1 });
    const replying = inside.call('POST', '/inventory/reservations', { items: [{ sku: 'plate-dinner', qty: 6 }] });
    const { id } = await inside.commitAs('sim', async (work) => {
      const attempt = await attemptFor(work, 6);
      await inside.as('sim')(moveHold, { params: { reservationId: attempt.id }, body: { reference: 'given up', kind: 'release' } });
      work.cancel(abortReservationDue, attempt.id);
      return work.put(attempts, { ...attempt, status: 'ended' });
    });
    const { status, body } = await replying;
    expect([status, body.id === id]).toEqual([201, false]);
    expect(await units(inside, 'plate-dinner')).toBe(6);
  });

  test('Reserve Inventory commits that its attempt is abandoned before it calls the Inventory Service', async (inside) => {
    await inside.fault('lost', { match: { api: 'take-hold' }, fault: { kind: 'lost-response', as: 'timeout' }, times: 1 });
    await inside.fault('slow', { match: { api: 'move-hold' }, fault: { kind: 'latency', ms: 300 }, times: 1 });
    const replying = inside.call('POST', '/inventory/reservations', { items: [{ sku: 'plate-dinner', qty: 7 }] });
    const found = Promise.withResolvers<string>();
    const looking = inside.commitAs('sim', async (work) => found.resolve((await attemptFor(work, 7)).id));
    const id = await found.promise;
    const becomes = (status: string) =>
      eventually(`the attempt is ${status}`, async () => (await inside.stored('sim', attempts, id)).status === status);
    expect((await replying).status).toBe(504);
    await becomes('aborting');
    expect(await units(inside, 'plate-dinner')).toBe(7);
    await becomes('ended');
    expect(await units(inside, 'plate-dinner')).toBe(0);
    await looking;
  });

  test.each([
    ['a late checkout, once it was confirmed for an order', false, 'ecommerce-platform', {}],
    ['a late checkout, once its order is being sent', true, 'ecommerce-platform', {}],
    ['a late request for its order, once that is being sent', true, 'oms', { orderId: 'ord_1' }],
  ] as const)('Reserve Inventory refuses to replace a reservation by %s', async (inside, _, forFulfilment, caller, more) => {
    const basketId = `bsk_${caller}${forFulfilment}`;
    const body = { basketId, items: [{ sku: 'plate-dinner', qty: 1 }] };
    const before = (await units(inside, 'plate-dinner')) ?? 0;
    const { id } = await inside.as('ecommerce-platform')(reserveInventory, { body });
    await inside.as('oms')(confirmReservation, { params: { id }, body: { orderId: 'ord_1', forFulfilment } });
    const late = inside.as(caller)(reserveInventory, { body: { ...body, ...more } });
    const refused = { code: 'invalid_state_transition', context: { objectType: 'reservation', id, orderId: 'ord_1' } };
    await expect(late).rejects.toMatchObject(refused);
    expect(await inside.stored('sim', reservations, id)).toMatchObject({ state: 'confirmed' });
    expect(await units(inside, 'plate-dinner')).toBe(before + 1);
  });
});
