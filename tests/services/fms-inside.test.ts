import { describe, expect, test } from '@jest/globals';
import * as crm from '../../services/crm/service.ts';
import * as ecommercePlatform from '../../services/ecommerce-platform/service.ts';
import { parcels } from '../../services/fms/collections.ts';
import * as fms from '../../services/fms/service.ts';
import * as inventoryService from '../../services/inventory-service/service.ts';
import * as loyaltyPlatform from '../../services/loyalty-platform/service.ts';
import * as oms from '../../services/oms/service.ts';
import * as paymentHub from '../../services/payment-hub/service.ts';
import * as promotionEngine from '../../services/promotion-engine/service.ts';
import * as sim from '../../services/sim/service.ts';
import {
  cancelFulfillment,
  createFulfillmentOrders,
  getShipmentData,
  listFulfillmentOrders,
  recordPicking,
} from '../../shared/catalog/fulfillment/internal.ts';
import { confirmReservation, reserveInventory } from '../../shared/catalog/inventory/apis.ts';
import type { Problem } from '../../shared/catalog/problems.ts';
import { ADDRESS } from '../support/estate.ts';
import { startInside } from '../support/inside.ts';

const MINUTE = 60_000;

const refusal = (promise: Promise<unknown>): Promise<Problem> =>
  promise.then(
    () => Promise.reject(new Error('it was not refused')),
    (problem: Problem) => problem,
  );

type Status = 'open' | 'started' | 'picked' | 'short' | 'packed';

interface Line {
  readonly orderLineId: string;
  readonly pickedQty: number;
}

/** Stock and fulfilment alone: the test plays the routing, and no service consumes the events. */
async function warehouse() {
  const estate = await startInside(fms, sim, inventoryService);
  const asOms = estate.as('oms');
  let orders = 0;
  async function held(qty: number, orderId = `ord_${++orders}`) {
    const { id } = await asOms(reserveInventory, { body: { orderId, items: [{ sku: 'mug-blue', qty }], locationId: 'dc-01' } });
    await asOms(confirmReservation, { params: { id }, body: { orderId } });
    const lines = [{ orderLineId: 'line-1', sku: 'mug-blue', qty }];
    const group = { locationId: 'dc-01', reservationId: id, lines };
    return { orderId, attempt: 1, shippingAddress: ADDRESS, shippingMethod: 'STANDARD' as const, groups: [group] };
  }
  const create = (body: Awaited<ReturnType<typeof held>>) => asOms(createFulfillmentOrders, { body });
  const pick = (id: string, status: Status, lines?: readonly Line[], pickingOrderId = 'pck_1') =>
    estate.as('wms')(recordPicking, { params: { id }, body: { pickingOrderId, status, ...(lines && { lines: [...lines] }) } });
  async function picking(qty: number, ...statuses: readonly Status[]): Promise<string> {
    const { items } = await create(await held(qty));
    const id = items[0]?.id ?? '';
    for (const status of statuses) await pick(id, status);
    return id;
  }
  return {
    estate,
    ...{ held, create, pick, picking },
    list: async (orderId: string) => (await asOms(listFulfillmentOrders, { query: { orderId } })).items,
    cancel: (orderId: string) => asOms(cancelFulfillment, { params: { orderId } }),
    read: async (id: string) => (await estate.call('GET', `/fulfillment/orders/${id}`)).body,
    mugs: () => estate.counters('inventory-service', 'stock', 'mug-blue|dc-01'),
    changes: async (id: string) =>
      (await estate.events(`fulfillment-order/${id}`)).map(
        ({ type, data }) => `${type.replace('com.unified-commerce.', '')} ${data.previousState ?? '–'}→${data.object.state}`,
      ),
    [Symbol.asyncDispose]: () => estate[Symbol.asyncDispose](),
  };
}

describe('Create Fulfillment Orders', () => {
  test('makes one per group, has them allocated before it answers, and moves no stock', async () => {
    await using scene = await warehouse();
    const { held, create, read, list, mugs, changes } = scene;
    const body = await held(2);
    const before = await mugs();
    const { items } = await create({ ...body, groups: [...body.groups, ...body.groups] });
    expect(items).toHaveLength(2);
    const [first, second] = items.map(({ id }) => id);
    expect(first).not.toBe(second);
    expect(await read(first ?? '')).toMatchObject({
      ...{ state: 'allocated', orderId: body.orderId, locationId: 'dc-01', shipments: [] },
      lines: [{ orderLineId: 'line-1', sku: 'mug-blue', qty: 2, pickedQty: 0, shortQty: 0 }],
    });
    expect((await list(body.orderId)).map(({ id }) => id)).toEqual([first, second]);
    expect(await mugs()).toEqual(before);
    expect(await changes(first ?? '')).toEqual(['fulfillment-order-created –→created', 'ext.fulfillment-order-changed created→allocated']);
  });

  test('hides the internal data of the FMS', async () => {
    await using scene = await warehouse();
    const { held, create } = scene;
    const { items } = await create(await held(1));
    const members = ['createdAt', 'id', 'lines', 'locationId', 'orderId', 'shipments', 'state', 'updatedAt', 'version'];
    expect(Object.keys(items[0] ?? {}).toSorted()).toEqual(members);
  });

  test('does so once per order and attempt, also for concurrent requests', async () => {
    await using scene = await warehouse();
    const { held, create, list, changes } = scene;
    const body = await held(3);
    const answers = await Promise.all([create(body), create(body), create(body)]);
    const [id] = answers.map(({ items }) => items.map((one) => one.id).join());
    expect(new Set(answers.flatMap(({ items }) => items.map((one) => one.id)))).toEqual(new Set([id]));
    const { items } = await create({ ...body, attempt: 2 });
    expect(items[0]?.id).not.toBe(id);
    expect((await create({ ...body, attempt: 2 })).items.map((one) => one.id)).toEqual([items[0]?.id]);
    expect((await list(body.orderId)).map((one) => one.id)).toEqual([id, items[0]?.id]);
    expect(await changes(id ?? '')).toHaveLength(2);
  });

  test('leaves them created while the Inventory Service is down and allocates them later', async () => {
    await using scene = await warehouse();
    const { estate, held, create, read, pick } = scene;
    const body = await held(1);
    await estate.down('inventory-service');
    const { items } = await create(body);
    const id = items[0]?.id ?? '';
    expect((await read(id)).state).toBe('created');
    expect(await refusal(pick(id, 'open'))).toMatchObject({
      code: 'invalid_state_transition',
      context: { currentState: 'created', action: 'start-picking', allowedFrom: expect.arrayContaining(['allocated']) },
    });
    await estate.noFaults();
    await estate.advance(MINUTE);
    expect((await read(id)).state).toBe('allocated');
  });

  test('makes none after the fulfilment of the order was cancelled, also when there was none', async () => {
    await using scene = await warehouse();
    const { held, create, cancel, list } = scene;
    const body = await held(1);
    expect(await cancel(body.orderId)).toEqual({ cancelled: true, items: [], writtenOff: true });
    const { code, context } = await refusal(create(body));
    expect([code, context]).toEqual([
      'invalid_state_transition',
      expect.objectContaining({ objectType: 'order', id: body.orderId, currentState: 'cancelled' }),
    ]);
    expect(await list(body.orderId)).toEqual([]);
    const other = await held(1);
    await create(other);
    await cancel(other.orderId);
    expect((await refusal(create(other))).code).toBe('invalid_state_transition');
    expect((await refusal(create({ ...other, attempt: 2 }))).code).toBe('invalid_state_transition');
  });
});

describe('Cancel Fulfillment', () => {
  test('cancels created, allocated, picked and packed fulfillment orders; a repeat changes nothing', async () => {
    await using scene = await warehouse();
    const { estate, held, create, pick, cancel, changes } = scene;
    const body = await held(4);
    const group = (qty: number) => body.groups.map((one) => ({ ...one, lines: one.lines.map((line) => ({ ...line, qty })) }));
    const { items } = await create({ ...body, groups: [...group(1), ...group(1), ...group(1)] });
    const [allocated = '', picked = '', packed = ''] = items.map(({ id }) => id);
    await pick(picked, 'open');
    for (const status of ['open', 'started', 'picked', 'packed'] as const) await pick(packed, status, undefined, 'pck_2');
    await estate.down('inventory-service');
    const { items: late } = await create({ ...body, attempt: 2, groups: group(1) });
    const created = late[0]?.id ?? '';
    const cancelled = await cancel(body.orderId);
    expect(cancelled.items.map(({ id, state }) => [id, state])).toEqual(
      [allocated, picked, packed, created].map((id) => [id, 'cancelled']),
    );
    expect((await cancel(body.orderId)).items).toEqual(cancelled.items);
    await estate.noFaults();
    await estate.advance(10 * MINUTE);
    const last = await Promise.all([allocated, picked, packed, created].map(async (id) => (await changes(id)).at(-1)));
    expect(last).toEqual(['allocated', 'picking', 'packed', 'created'].map((state) => `ext.fulfillment-order-changed ${state}→cancelled`));
  });

  test('stops the picking in the warehouse', async () => {
    await using scene = await warehouse();
    const { picking, read, cancel, pick } = scene;
    const id = await picking(1, 'open', 'started');
    await cancel((await read(id)).orderId);
    for (const status of ['open', 'started', 'picked', 'packed'] as const) {
      const { code, context } = await refusal(pick(id, status));
      expect([code, context['currentState']]).toEqual(['invalid_state_transition', 'cancelled']);
    }
  });
});

describe('Record Picking', () => {
  test('moves the fulfillment order with the picking order; a repeat changes nothing', async () => {
    await using scene = await warehouse();
    const { picking, pick, changes } = scene;
    const id = await picking(2);
    const steps: readonly (readonly [Status, string, number])[] = [
      ['open', 'picking', 0],
      ['started', 'picking', 0],
      ['picked', 'picking', 2],
      ['packed', 'packed', 2],
    ];
    for (const [status, state, pickedQty] of steps) {
      const moved = await pick(id, status);
      expect(moved).toMatchObject({ state, pickingOrderId: 'pck_1', lines: [{ pickedQty, shortQty: 0 }] });
      expect(await pick(id, status)).toEqual(moved);
    }
    const packed = await pick(id, 'packed');
    for (const [status] of steps) expect(await pick(id, status)).toEqual(packed);
    expect((await changes(id)).slice(2)).toEqual(
      ['allocated→picking', 'picking→picking', 'picking→picking', 'picking→packed'].map((move) => `ext.fulfillment-order-changed ${move}`),
    );
  });

  test('answers a second picking order with the first and ignores its statuses', async () => {
    await using scene = await warehouse();
    const { picking, pick } = scene;
    const id = await picking(1, 'open');
    expect((await pick(id, 'open', undefined, 'pck_2')).pickingOrderId).toBe('pck_1');
    const { code, message } = await refusal(pick(id, 'started', undefined, 'pck_2'));
    expect([code, message]).toEqual(['invalid_state_transition', expect.stringContaining('pck_1')]);
  });

  test.each([
    [['open'], 'picked', 'next is started'],
    [['open'], 'packed', 'next is started'],
    [['open', 'started'], 'packed', 'next is picked or short'],
    [['open', 'started', 'picked'], 'short', 'next is packed'],
  ] as const)('refuses a status that does not follow: after %j not %s', async (before, status, sentence) => {
    await using scene = await warehouse();
    const { picking, pick } = scene;
    const id = await picking(1, ...before);
    const { code, message } = await refusal(pick(id, status, status === 'short' ? [{ orderLineId: 'line-1', pickedQty: 0 }] : undefined));
    expect([code, message]).toEqual(['invalid_state_transition', expect.stringContaining(sentence)]);
  });

  test('refuses unknown lines, more units than requested, and fewer units that are not marked short', async () => {
    await using scene = await warehouse();
    const { picking, pick, read } = scene;
    const id = await picking(2, 'open', 'started');
    const lines: readonly (readonly [Status, readonly Line[]])[] = [
      ['picked', [{ orderLineId: 'line-9', pickedQty: 2 }]],
      ['picked', [{ orderLineId: 'line-1', pickedQty: 3 }]],
      ['picked', [{ orderLineId: 'line-1', pickedQty: 1 }]],
      [
        'short',
        [
          { orderLineId: 'line-1', pickedQty: 1 },
          { orderLineId: 'line-1', pickedQty: 1 },
        ],
      ],
    ];
    for (const [status, said] of lines) expect((await refusal(pick(id, status, said))).message).toContain('422');
    expect(await read(id)).toMatchObject({ state: 'picking', lines: [{ pickedQty: 0, shortQty: 0 }] });
  });

  test('with a short line continues with the picked units and writes the missing ones off', async () => {
    await using scene = await warehouse();
    const { estate, picking, pick, mugs, read } = scene;
    const id = await picking(3, 'open', 'started');
    const before = await mugs();
    const short = await pick(id, 'short', [{ orderLineId: 'line-1', pickedQty: 1 }]);
    expect(short).toMatchObject({ state: 'picking', lines: [{ qty: 3, pickedQty: 1, shortQty: 2 }] });
    expect(await mugs()).toMatchObject({ onHand: (before['onHand'] ?? 0) - 2, reserved: (before['reserved'] ?? 0) - 2 });
    expect(await pick(id, 'short', [{ orderLineId: 'line-1', pickedQty: 1 }])).toEqual(short);
    expect((await pick(id, 'packed')).state).toBe('packed');
    await estate.advance(10 * MINUTE);
    expect(await mugs()).toMatchObject({ onHand: (before['onHand'] ?? 0) - 2, reserved: (before['reserved'] ?? 0) - 2 });
    expect((await read(id)).failureReason).toBeUndefined();
  });

  test('with no units picked cancels the fulfillment order, and a repeat answers the same', async () => {
    await using scene = await warehouse();
    const { picking, pick, mugs, changes } = scene;
    const id = await picking(2, 'open', 'started');
    const before = await mugs();
    const nothing = [{ orderLineId: 'line-1', pickedQty: 0 }];
    const ended = await pick(id, 'short', nothing);
    expect(ended).toMatchObject({ state: 'cancelled', failureReason: 'short', lines: [{ pickedQty: 0, shortQty: 2 }] });
    expect(await pick(id, 'short', nothing)).toEqual(ended);
    expect((await refusal(pick(id, 'packed'))).code).toBe('invalid_state_transition');
    expect(await mugs()).toMatchObject({ onHand: (before['onHand'] ?? 0) - 2, reserved: (before['reserved'] ?? 0) - 2 });
    expect((await changes(id)).at(-1)).toBe('ext.fulfillment-order-changed picking→cancelled');
  });

  test.each(['outage', 'lost-response'] as const)('with a short line writes off once when the SIM fails (%s)', async (kind) => {
    await using scene = await warehouse();
    const { estate, picking, pick, mugs } = scene;
    const id = await picking(2, 'open', 'started');
    const before = await mugs();
    const fault = kind === 'outage' ? { kind } : { kind, as: 'reset' as const };
    await estate.fault('gone', { match: { api: 'move-reservation' }, fault, times: 2 });
    expect((await pick(id, 'short', [{ orderLineId: 'line-1', pickedQty: 1 }])).state).toBe('picking');
    await estate.advance(MINUTE);
    expect(await mugs()).toMatchObject({ onHand: (before['onHand'] ?? 0) - 1, reserved: (before['reserved'] ?? 0) - 1 });
  });
});

/** From a basket to a packed fulfillment order, without a carrier. */
async function shop() {
  const estate = await startInside(fms, sim, inventoryService, oms, paymentHub, ecommercePlatform, promotionEngine, loyaltyPlatform, crm);
  async function ok(method: string, path: string, body?: unknown) {
    const reply = await estate.call(method, path, body);
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body;
  }
  async function confirmed(lines: readonly { sku: string; qty: number }[] = [{ sku: 'mug-blue', qty: 2 }], shippingMethod = 'STANDARD') {
    const basket = await ok('POST', '/baskets', { channel: 'web', customerId: 'cus_ada', lines });
    await ok('POST', `/baskets/${basket.id}/checkout`, { shippingAddress: ADDRESS, shippingMethod });
    const order = await ok('POST', '/orders', { basketId: basket.id });
    await ok('POST', '/payments/authorizations', { orderId: order.id, tender: { type: 'card', token: 'tok_visa' } });
    await ok('POST', `/orders/${order.id}/confirm`);
    const { items } = await estate.as('oms')(listFulfillmentOrders, { query: { orderId: order.id } });
    return { orderId: order.id as string, ids: items.map(({ id }) => id), locationIds: items.map(({ locationId }) => locationId) };
  }
  async function packed(id: string, short?: readonly Line[]): Promise<string> {
    for (const status of ['open', 'started', short ? 'short' : 'picked', 'packed'] as const) {
      const body = { pickingOrderId: `pck_${id}`, status, ...(status === 'short' && short && { lines: [...short] }) };
      await estate.as('wms')(recordPicking, { params: { id }, body });
    }
    return id;
  }
  return {
    estate,
    ...{ ok, confirmed, packed },
    aPacked: async () => packed((await confirmed()).ids[0] ?? ''),
    dispatch: (id: string, body?: unknown) => estate.call('POST', `/fulfillment/orders/${id}/dispatch`, body ?? {}),
    read: async (id: string) => (await estate.call('GET', `/fulfillment/orders/${id}`)).body,
    mugs: () => estate.counters('inventory-service', 'stock', 'mug-blue|dc-01'),
    [Symbol.asyncDispose]: () => estate[Symbol.asyncDispose](),
  };
}

describe('Dispatch without a carrier', () => {
  test('succeeds without a label: the picked units leave, and the FMS knows the parcel', async () => {
    await using scene = await shop();
    const { estate, confirmed, packed, dispatch, mugs } = scene;
    const { ids } = await confirmed([{ sku: 'mug-blue', qty: 2 }], 'EXPRESS');
    const id = await packed(ids[0] ?? '');
    const before = await mugs();
    const { status, body } = await dispatch(id);
    expect([status, body.state]).toEqual([200, 'dispatched']);
    expect(body.shipments).toEqual([{ id: expect.stringMatching(/^shp_/), state: 'pending', labelStatus: 'failed' }]);
    expect(await mugs()).toMatchObject({ onHand: (before['onHand'] ?? 0) - 2, reserved: (before['reserved'] ?? 0) - 2 });
    const shipmentId = body.shipments[0].id;
    const data = await estate.as('carrier-platform')(getShipmentData, { params: { id: shipmentId } });
    expect(data).toEqual({
      ...{ id: shipmentId, fulfillmentOrderId: id, carrier: 'demo-carrier', service: 'EXPRESS' },
      ...{ from: estate.fixtures.locations.find((location) => location.id === 'dc-01')?.address, to: ADDRESS },
    });
    const repeated = await dispatch(id);
    expect([repeated.status, repeated.body]).toEqual([200, body]);
    expect(await mugs()).toMatchObject({ onHand: (before['onHand'] ?? 0) - 2 });
  });

  test('uses carrier and service of the request', async () => {
    await using scene = await shop();
    const { estate, aPacked, dispatch } = scene;
    const { body } = await dispatch(await aPacked(), { carrier: 'other', service: 'RTS' });
    const data = await estate.as('carrier-platform')(getShipmentData, { params: { id: body.shipments[0].id } });
    expect(data).toMatchObject({ carrier: 'other', service: 'RTS' });
  });

  test('sends only picked units', async () => {
    await using scene = await shop();
    const { estate, confirmed, packed, dispatch } = scene;
    const mugs = async () => (await estate.counters('inventory-service', 'stock', 'mug-blue|dc-01'))['onHand'] ?? 0;
    const before = await mugs();
    const { orderId, ids } = await confirmed([{ sku: 'mug-blue', qty: 3 }]);
    const { lines } = (await estate.call('GET', `/orders/${orderId}`)).body;
    await packed(ids[0] ?? '', [{ orderLineId: lines[0].lineId, pickedQty: 2 }]);
    expect((await dispatch(ids[0] ?? '')).body).toMatchObject({ state: 'dispatched', lines: [{ pickedQty: 2, shortQty: 1 }] });
    // Two left and one was written off.
    expect(await mugs()).toBe(before - 3);
  });

  test.each(['outage', 'lost-response'] as const)(
    'succeeds also while the SIM is away (%s): the stock is deducted once, later',
    async (kind) => {
      await using scene = await shop();
      const { estate, aPacked, dispatch, mugs } = scene;
      const id = await aPacked();
      const before = await mugs();
      const fault = kind === 'outage' ? { kind } : { kind, as: 'timeout' as const };
      await estate.fault('gone', { match: { api: 'move-reservation' }, fault, times: 2 });
      const { status, body } = await dispatch(id);
      expect([status, body.state]).toEqual([200, 'dispatched']);
      const shipmentId = body.shipments[0].id;
      expect((await estate.stored('fms', parcels, shipmentId)).stockTaken).toBe(false);
      await estate.advance(2 * MINUTE);
      expect(await mugs()).toMatchObject({ onHand: (before['onHand'] ?? 0) - 2, reserved: (before['reserved'] ?? 0) - 2 });
      expect((await estate.stored('fms', parcels, shipmentId)).stockTaken).toBe(true);
    },
  );

  test('is refused before packing and for an unknown fulfillment order', async () => {
    await using scene = await shop();
    const { estate, confirmed, dispatch, read } = scene;
    const { ids } = await confirmed();
    const id = ids[0] ?? '';
    const early = await dispatch(id);
    expect([early.status, early.body]).toEqual([
      409,
      expect.objectContaining({ code: 'invalid_state_transition', currentState: 'allocated', action: 'dispatch' }),
    ]);
    await estate.as('wms')(recordPicking, { params: { id }, body: { pickingOrderId: 'pck_1', status: 'open' } });
    expect((await dispatch(id)).body.currentState).toBe('picking');
    expect((await read(id)).shipments).toEqual([]);
    expect((await dispatch('ful_unknown')).status).toBe(404);
    expect((await estate.call('GET', '/fulfillment/orders/ful_unknown')).status).toBe(404);
  });

  test.each([
    ['payment_incomplete', { kind: 'status', status: 409, code: 'payment_incomplete' }, 409],
    ['dependency_unavailable', { kind: 'outage' }, 503],
    ['dependency_timeout', { kind: 'lost-response', as: 'timeout' }, 504],
    ['dependency_error', { kind: 'lost-response', as: 'reset' }, 502],
  ] as const)('is refused while the OMS does not confirm the payment: %s', async (code, fault, expected) => {
    await using scene = await shop();
    const { estate, aPacked, dispatch, read, mugs } = scene;
    const id = await aPacked();
    const before = await mugs();
    await estate.fault('unpaid', { match: { api: 'ensure-captured' }, fault, times: 1 });
    const refused = await dispatch(id);
    expect([refused.status, refused.body.code]).toEqual([expected, code]);
    expect(await read(id)).toMatchObject({ state: 'packed', shipments: [] });
    expect(await mugs()).toEqual(before);
    expect((await dispatch(id)).status).toBe(200);
  });

  test('sent concurrently dispatches once', async () => {
    await using scene = await shop();
    const { estate, aPacked, dispatch, mugs } = scene;
    const id = await aPacked();
    const before = await mugs();
    const answers = await Promise.all([1, 2, 3, 4].map(() => dispatch(id)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.shipments[0].id)).size).toBe(1);
    await estate.advance(MINUTE);
    expect(await mugs()).toMatchObject({ onHand: (before['onHand'] ?? 0) - 2, reserved: (before['reserved'] ?? 0) - 2 });
    const dispatches = (await estate.events(`fulfillment-order/${id}`)).filter(
      ({ data }) => data.previousState === 'packed' && data.object.state === 'dispatched',
    );
    expect(dispatches).toHaveLength(1);
  });
});

describe('Cancel Fulfillment beside Dispatch', () => {
  test('cancels none of several once one has left, and the refusal names it', async () => {
    await using scene = await shop();
    const { estate, confirmed, packed, dispatch, read } = scene;
    const { orderId, ids } = await confirmed();
    const asOms = estate.as('oms');
    const { lines } = (await estate.call('GET', `/orders/${orderId}`)).body;
    const [{ lineId: orderLineId, sku, qty, reservationId }] = lines;
    const group = { locationId: 'dc-01', reservationId, lines: [{ orderLineId, sku, qty }] };
    const more = { orderId, attempt: 7, shippingAddress: ADDRESS, shippingMethod: 'STANDARD' as const, groups: [group] };
    await asOms(createFulfillmentOrders, { body: more });
    expect((await dispatch(await packed(ids[0] ?? ''))).status).toBe(200);
    const all = (await asOms(listFulfillmentOrders, { query: { orderId } })).items;
    expect(all.map(({ state }) => state)).toEqual(['dispatched', 'allocated']);
    const { code, context } = await refusal(asOms(cancelFulfillment, { params: { orderId } }));
    expect([code, context]).toEqual([
      'invalid_state_transition',
      expect.objectContaining({ objectType: 'fulfillment-order', id: ids[0], currentState: 'dispatched', action: 'cancel' }),
    ]);
    expect((await read(all[1]?.id ?? '')).state).toBe('allocated');
  });

  test('keeps the goods when it arrives while the payment is being checked', async () => {
    await using scene = await shop();
    const { estate, aPacked, dispatch, read, mugs } = scene;
    const id = await aPacked();
    const before = await mugs();
    const { orderId } = await read(id);
    await estate.fault('slow', { match: { api: 'ensure-captured' }, fault: { kind: 'latency', ms: 400 }, times: 1 });
    const dispatching = dispatch(id);
    const { items } = await estate.as('oms')(cancelFulfillment, { params: { orderId } });
    expect(items.map(({ state }) => state)).toEqual(['cancelled']);
    const { status, body } = await dispatching;
    expect([status, body.code, body.currentState]).toEqual([409, 'invalid_state_transition', 'cancelled']);
    await estate.advance(MINUTE);
    expect(await mugs()).toMatchObject({ onHand: before['onHand'] });
    expect(await read(id)).toMatchObject({ state: 'cancelled', shipments: [] });
  });
});
