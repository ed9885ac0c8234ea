import { expect } from '@jest/globals';
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
import { ADDRESS } from '../support/estate.ts';
import { startInside } from '../support/inside.ts';
import { testIn } from '../support/test-in.ts';

const invalid = { code: 'invalid_state_transition' };

/** Stock and fulfilment alone: the test routes the orders, and no service consumes the events. */
async function warehouse() {
  const inside = await startInside(fms, sim, inventoryService);
  const asOms = inside.as('oms');
  let orders = 0;
  /** The request for a fulfillment order of a reserved mug. */
  async function held() {
    const orderId = `ord_${++orders}`;
    const lines = [{ sku: 'mug-blue', qty: 1 }];
    const { id } = await asOms(reserveInventory, { body: { orderId, items: lines, locationId: 'dc-01' } });
    await asOms(confirmReservation, { params: { id }, body: { orderId } });
    const group = { locationId: 'dc-01', reservationId: id, lines: lines.map((line) => ({ orderLineId: 'line-1', ...line })) };
    return { orderId, attempt: 1, shippingAddress: ADDRESS, shippingMethod: 'STANDARD' as const, groups: [group] };
  }
  return {
    held,
    create: async (body: Awaited<ReturnType<typeof held>>) => (await asOms(createFulfillmentOrders, { body })).items.map(({ id }) => id),
    pick: (id: string, status: 'open' | 'started', pickingOrderId: string) =>
      inside.as('wms')(recordPicking, { params: { id }, body: { pickingOrderId, status } }),
    listed: async (orderId: string) => (await asOms(listFulfillmentOrders, { query: { orderId } })).items.map(({ id }) => id),
    cancel: (orderId: string) => asOms(cancelFulfillment, { params: { orderId } }),
    events: (id: string) => inside.events(`fulfillment-order/${id}`),
    [Symbol.asyncDispose]: () => inside[Symbol.asyncDispose](),
  };
}
const test = testIn(warehouse);

test('Concurrent Create Fulfillment Orders requests create them once per order and attempt', async (estate) => {
  const body = await estate.held();
  const idOf = async (attempt: number) => (await estate.create({ ...body, attempt })).join();
  const first = await Promise.all([idOf(1), idOf(1), idOf(1)]);
  const second = [await idOf(2), await idOf(2)];
  expect([new Set(first).size, new Set(second).size]).toEqual([1, 1]);
  expect(await estate.listed(body.orderId)).toEqual([first[0], second[0]]);
  expect(await estate.events(first[0] ?? '')).toHaveLength(2);
});

test('Create Fulfillment Orders is refused after the fulfilment was cancelled, even when there was no fulfillment order', async (estate) => {
  const { held, create, cancel } = estate;
  const body = await held();
  expect(await cancel(body.orderId)).toEqual({ cancelled: true, items: [], writtenOff: true });
  const context = { objectType: 'order', id: body.orderId, currentState: 'cancelled' };
  await expect(create(body)).rejects.toMatchObject({ ...invalid, context });
  expect(await estate.listed(body.orderId)).toEqual([]);
  const other = await held();
  await create(other);
  await cancel(other.orderId);
  for (const attempt of [1, 2]) await expect(create({ ...other, attempt })).rejects.toMatchObject(invalid);
});

test('Record Picking answers a second picking order with the first and refuses its statuses', async (estate) => {
  const [id = ''] = await estate.create(await estate.held());
  await estate.pick(id, 'open', 'pck_1');
  expect((await estate.pick(id, 'open', 'pck_2')).pickingOrderId).toBe('pck_1');
  await expect(estate.pick(id, 'started', 'pck_2')).rejects.toMatchObject({ ...invalid, message: expect.stringContaining('pck_1') });
});
