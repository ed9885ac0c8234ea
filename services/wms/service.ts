import type { Fixtures } from '../../fixtures/files.ts';
import { collectionHoursOf } from '../../shared/catalog/inventory/reference-data.ts';
import { durationMs } from '../../shared/domain/duration.ts';
import type { Seed } from '../../shared/store/collections.ts';
import { defineService } from '../../shared/work/handler.ts';
import { intendedMoves, pickingOrders, stores, warehouseSteps, warehouses, warehouseTasks } from './collections.ts';
import { createPickingOrder, finishMove, finishOpening, updatePickingStatus } from './picking-orders.ts';
import {
  applyWarehouseProgression,
  getStockLocations,
  listPickingOrders,
  onFulfillmentOrderChanged,
  takeWarehouseStep,
} from './warehouse.ts';

export const service = defineService({
  application: 'wms',
  collections: [pickingOrders, intendedMoves, warehouseTasks, warehouseSteps, warehouses, stores],
  counters: [],
  apis: {
    'list-picking-orders-api': listPickingOrders,
    'create-picking-order-api': createPickingOrder,
    'update-picking-status-api': updatePickingStatus,
    'get-stock-locations-api': getStockLocations,
  },
  internal: { 'apply-warehouse-progression': applyWarehouseProgression },
  events: { 'ext.fulfillment-order-changed': onFulfillmentOrderChanged },
  due: [finishOpening, finishMove, takeWarehouseStep],
});

/** Seeds the warehouses, the delays of their automatic steps, and the opening hours of stores with collection. */
export function seed({ locations, warehouseSteps: steps, retailer }: Fixtures): Seed {
  return {
    objects: [
      { of: warehouses, rows: locations.filter(({ type }) => type === 'warehouse').map(({ id }) => ({ id, version: 1 })) },
      {
        of: stores,
        rows: locations.flatMap((location) => {
          const hours = collectionHoursOf(location, retailer);
          return hours ? [{ id: location.id, version: 1, ...hours }] : [];
        }),
      },
      { of: warehouseSteps, rows: steps.map(({ step, after }) => ({ id: step, version: 1, afterMs: durationMs(after) })) },
    ],
  };
}
