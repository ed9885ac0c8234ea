import { expect, test } from '@jest/globals';
import * as fms from '../../services/fms/service.ts';
import * as inventoryService from '../../services/inventory-service/service.ts';
import * as sim from '../../services/sim/service.ts';
import { createFulfillmentOrders, recordPicking } from '../../shared/catalog/fulfillment/internal.ts';
import { confirmReservation, reserveInventory } from '../../shared/catalog/inventory/apis.ts';
import { ADDRESS } from '../support/estate.ts';
import { startInside } from '../support/inside.ts';

test('Record Picking answers a second picking order with the first and refuses its statuses', async () => {
  await using inside = await startInside(fms, sim, inventoryService);
  const asOms = inside.as('oms');
  const orderId = 'ord_1';
  const line = { sku: 'mug-blue', qty: 1 };
  const { id: reservationId } = await asOms(reserveInventory, { body: { orderId, items: [line], locationId: 'dc-01' } });
  await asOms(confirmReservation, { params: { id: reservationId }, body: { orderId } });
  const groups = [{ locationId: 'dc-01', reservationId, lines: [{ orderLineId: 'line-1', ...line }] }];
  const body = { orderId, attempt: 1, shippingAddress: ADDRESS, shippingMethod: 'STANDARD' as const, groups };
  const [{ id = '' } = {}] = (await asOms(createFulfillmentOrders, { body })).items;
  const pick = (status: 'open' | 'started', pickingOrderId: string) =>
    inside.as('wms')(recordPicking, { params: { id }, body: { pickingOrderId, status } });
  await pick('open', 'pck_1');
  expect((await pick('open', 'pck_2')).pickingOrderId).toBe('pck_1');
  const refused = { code: 'invalid_state_transition', message: expect.stringContaining('pck_1') };
  await expect(pick('started', 'pck_2')).rejects.toMatchObject(refused);
});
