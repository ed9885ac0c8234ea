import { describe, expect, test } from '@jest/globals';
import * as fms from '../../services/fms/service.ts';
import * as inventoryService from '../../services/inventory-service/service.ts';
import * as sim from '../../services/sim/service.ts';
import {
  cancelFulfillment,
  createFulfillmentOrders,
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
    () => Promise.reject(new Error('not refused')),
    (problem: Problem) => problem,
  );

type Status = 'open' | 'started' | 'picked' | 'short' | 'packed';

interface Line {
  readonly orderLineId: string;
  readonly pickedQty: number;
}

/** Stock and fulfilment alone: the test routes the orders, and no service consumes the events. */
async function warehouse() {
  const inside = await startInside(fms, sim, inventoryService);
  const asOms = inside.as('oms');
  let orders = 0;
  /** The request for a fulfillment order of reserved mugs. */
  async function held(qty: number, orderId = `ord_${++orders}`) {
    const { id } = await asOms(reserveInventory, { body: { orderId, items: [{ sku: 'mug-blue', qty }], locationId: 'dc-01' } });
    await asOms(confirmReservation, { params: { id }, body: { orderId } });
    const lines = [{ orderLineId: 'line-1', sku: 'mug-blue', qty }];
    const group = { locationId: 'dc-01', reservationId: id, lines };
    return { orderId, attempt: 1, shippingAddress: ADDRESS, shippingMethod: 'STANDARD' as const, groups: [group] };
  }
  const create = (body: Awaited<ReturnType<typeof held>>) => asOms(createFulfillmentOrders, { body });
  const pick = (id: string, status: Status, lines?: readonly Line[], pickingOrderId = 'pck_1') =>
    inside.as('wms')(recordPicking, { params: { id }, body: { pickingOrderId, status, ...(lines && { lines: [...lines] }) } });
  /** A fulfillment order whose picking order has been in these statuses. */
  async function picking(qty: number, ...statuses: readonly Status[]): Promise<string> {
    const { items } = await create(await held(qty));
    const id = items[0]?.id ?? '';
    for (const status of statuses) await pick(id, status);
    return id;
  }
  return {
    inside,
    held,
    create,
    pick,
    picking,
    list: async (orderId: string) => (await asOms(listFulfillmentOrders, { query: { orderId } })).items,
    cancel: (orderId: string) => asOms(cancelFulfillment, { params: { orderId } }),
    read: async (id: string) => (await inside.call('GET', `/fulfillment/orders/${id}`)).body,
    mugs: () => inside.counters('inventory-service', 'stock', 'mug-blue|dc-01'),
    changes: async (id: string) =>
      (await inside.events(`fulfillment-order/${id}`)).map(
        ({ type, data }) => `${type.replace('com.unified-commerce.', '')} ${data.previousState ?? '–'}→${data.object.state}`,
      ),
    [Symbol.asyncDispose]: () => inside[Symbol.asyncDispose](),
  };
}

const invalid = { code: 'invalid_state_transition' };
const changed = (move: string) => `ext.fulfillment-order-changed ${move}`;
const line1 = (pickedQty: number) => [{ orderLineId: 'line-1', pickedQty }];

describe('Create Fulfillment Orders', () => {
  test('Create Fulfillment Orders creates one per group and allocates it before the answer, without moving stock', async () => {
    await using estate = await warehouse();
    const { held, create, read, list, mugs, changes } = estate;
    const body = await held(2);
    const before = await mugs();
    const { items } = await create({ ...body, groups: [...body.groups, ...body.groups] });
    const [first = '', second = ''] = items.map(({ id }) => id);
    expect([items.length, first === second]).toEqual([2, false]);
    const members = ['createdAt', 'id', 'lines', 'locationId', 'orderId', 'shipments', 'state', 'updatedAt', 'version'];
    expect(Object.keys(items[0] ?? {}).toSorted()).toEqual(members);
    expect(await read(first)).toMatchObject({
      state: 'allocated',
      orderId: body.orderId,
      locationId: 'dc-01',
      shipments: [],
      lines: [{ orderLineId: 'line-1', sku: 'mug-blue', qty: 2, pickedQty: 0, shortQty: 0 }],
    });
    expect((await list(body.orderId)).map(({ id }) => id)).toEqual([first, second]);
    expect(await mugs()).toEqual(before);
    expect(await changes(first)).toEqual(['fulfillment-order-created –→created', changed('created→allocated')]);
  });

  test('Concurrent Create Fulfillment Orders requests create them once per order and attempt', async () => {
    await using estate = await warehouse();
    const { held, create, list, changes } = estate;
    const body = await held(3);
    const idOf = async (attempt: number) => (await create({ ...body, attempt })).items.map(({ id }) => id).join();
    const first = await Promise.all([idOf(1), idOf(1), idOf(1)]);
    const second = [await idOf(2), await idOf(2)];
    expect([new Set(first).size, new Set(second).size]).toEqual([1, 1]);
    expect((await list(body.orderId)).map(({ id }) => id)).toEqual([first[0], second[0]]);
    expect(await changes(first[0] ?? '')).toHaveLength(2);
  });

  test('Create Fulfillment Orders is refused after the fulfilment was cancelled, even when there was no fulfillment order', async () => {
    await using estate = await warehouse();
    const { held, create, cancel, list } = estate;
    const body = await held(1);
    expect(await cancel(body.orderId)).toEqual({ cancelled: true, items: [], writtenOff: true });
    const context = { objectType: 'order', id: body.orderId, currentState: 'cancelled' };
    expect(await refusal(create(body))).toMatchObject({ ...invalid, context });
    expect(await list(body.orderId)).toEqual([]);
    const other = await held(1);
    await create(other);
    await cancel(other.orderId);
    for (const attempt of [1, 2]) expect(await refusal(create({ ...other, attempt }))).toMatchObject(invalid);
  });
});

describe('Cancel Fulfillment', () => {
  test('Cancel Fulfillment cancels created, allocated, picked and packed fulfillment orders; a repeat changes nothing', async () => {
    await using estate = await warehouse();
    const { inside, held, create, pick, cancel, changes } = estate;
    const body = await held(4);
    const group = (qty: number) => body.groups.map((one) => ({ ...one, lines: one.lines.map((line) => ({ ...line, qty })) }));
    const { items } = await create({ ...body, groups: [...group(1), ...group(1), ...group(1)] });
    const [allocated = '', picked = '', packed = ''] = items.map(({ id }) => id);
    await pick(picked, 'open');
    for (const status of ['open', 'started', 'picked', 'packed'] as const) await pick(packed, status, undefined, 'pck_2');
    await inside.down('inventory-service');
    const { items: late } = await create({ ...body, attempt: 2, groups: group(1) });
    const all = [allocated, picked, packed, late[0]?.id ?? ''];
    const cancelled = await cancel(body.orderId);
    expect(cancelled.items.map(({ id, state }) => `${id} ${state}`)).toEqual(all.map((id) => `${id} cancelled`));
    expect((await cancel(body.orderId)).items).toEqual(cancelled.items);
    await inside.noFaults();
    await inside.advance(10 * MINUTE);
    const last = await Promise.all(all.map(async (id) => (await changes(id)).at(-1)));
    expect(last).toEqual(['allocated', 'picking', 'packed', 'created'].map((state) => changed(`${state}→cancelled`)));
    const refused = { ...invalid, context: { currentState: 'cancelled' } };
    for (const status of ['open', 'started', 'picked', 'packed'] as const) {
      expect(await refusal(pick(picked, status))).toMatchObject(refused);
    }
  });
});

describe('Record Picking', () => {
  test('Record Picking answers a second picking order with the first and refuses its statuses', async () => {
    await using estate = await warehouse();
    const id = await estate.picking(1, 'open');
    expect((await estate.pick(id, 'open', undefined, 'pck_2')).pickingOrderId).toBe('pck_1');
    const message = expect.stringContaining('pck_1');
    expect(await refusal(estate.pick(id, 'started', undefined, 'pck_2'))).toMatchObject({ ...invalid, message });
  });

  test.each([
    [['open'], 'picked', 'next is started'],
    [['open'], 'packed', 'next is started'],
    [['open', 'started'], 'packed', 'next is picked or short'],
    [['open', 'started', 'picked'], 'short', 'next is packed'],
  ] as const)('Record Picking refuses a status that does not follow: after %j not %s', async (before, status, sentence) => {
    await using estate = await warehouse();
    const id = await estate.picking(1, ...before);
    const message = expect.stringContaining(sentence);
    expect(await refusal(estate.pick(id, status, status === 'short' ? line1(0) : undefined))).toMatchObject({ ...invalid, message });
  });

  test('Record Picking with a short line continues with the picked units and writes the missing ones off', async () => {
    await using estate = await warehouse();
    const { picking, pick, mugs, read } = estate;
    const id = await picking(3, 'open', 'started');
    const { onHand = 0, reserved = 0 } = await mugs();
    const short = await pick(id, 'short', line1(1));
    expect(short).toMatchObject({ state: 'picking', lines: [{ qty: 3, pickedQty: 1, shortQty: 2 }] });
    expect(await mugs()).toMatchObject({ onHand: onHand - 2, reserved: reserved - 2 });
    expect(await pick(id, 'short', line1(1))).toEqual(short);
    expect((await pick(id, 'packed')).state).toBe('packed');
    await estate.inside.advance(10 * MINUTE);
    expect(await mugs()).toMatchObject({ onHand: onHand - 2, reserved: reserved - 2 });
    expect((await read(id)).failureReason).toBeUndefined();
  });

  test.each(['outage', 'lost-response'] as const)('Record Picking writes short units off once when the SIM fails (%s)', async (kind) => {
    await using estate = await warehouse();
    const id = await estate.picking(2, 'open', 'started');
    const { onHand = 0, reserved = 0 } = await estate.mugs();
    const fault = kind === 'outage' ? { kind } : { kind, as: 'reset' as const };
    await estate.inside.fault('gone', { match: { api: 'move-reservation' }, fault, times: 2 });
    expect((await estate.pick(id, 'short', line1(1))).state).toBe('picking');
    await estate.inside.advance(MINUTE);
    expect(await estate.mugs()).toMatchObject({ onHand: onHand - 1, reserved: reserved - 1 });
  });
});
