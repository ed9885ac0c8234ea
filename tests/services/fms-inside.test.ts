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

describe('Create Fulfillment Orders', () => {
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

describe('Cancel Fulfillment', () => {});

describe('Record Picking', () => {
  test('Record Picking answers a second picking order with the first and refuses its statuses', async () => {
    await using estate = await warehouse();
    const id = await estate.picking(1, 'open');
    expect((await estate.pick(id, 'open', undefined, 'pck_2')).pickingOrderId).toBe('pck_1');
    const message = expect.stringContaining('pck_1');
    expect(await refusal(estate.pick(id, 'started', undefined, 'pck_2'))).toMatchObject({ ...invalid, message });
  });
});
