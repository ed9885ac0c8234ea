import type { Fixtures } from '../../fixtures/files.ts';
import { durationMs } from '../../shared/domain/duration.ts';
import type { Seed } from '../../shared/store/collections.ts';
import { defineService } from '../../shared/work/handler.ts';
import { createPickingOrder } from './apis/create-picking-order.ts';
import { getStockLocations } from './apis/get-stock-locations.ts';
import { updatePickingStatus } from './apis/update-picking-status.ts';
import { intendedMoves, pickingOrders, warehouseSteps, warehouses, warehouseTasks } from './collections.ts';
import { finishMove } from './due/finish-move.ts';
import { finishOpening } from './due/finish-opening.ts';
import { takeWarehouseStep } from './due/warehouse-step.ts';
import { onFulfillmentOrderChanged } from './events/on-fulfillment-order-changed.ts';
import { applyWarehouseProgression } from './internal/apply-warehouse-progression.ts';

export const service = defineService({
  application: 'wms',
  collections: [pickingOrders, intendedMoves, warehouseTasks, warehouseSteps, warehouses],
  counters: [],
  apis: {
    'create-picking-order-api': createPickingOrder,
    'update-picking-status-api': updatePickingStatus,
    'get-stock-locations-api': getStockLocations,
  },
  internal: { 'apply-warehouse-progression': applyWarehouseProgression },
  events: { 'ext.fulfillment-order-changed': onFulfillmentOrderChanged },
  due: [finishOpening, finishMove, takeWarehouseStep],
});

/** Seeds the warehouses, and the delays of their automatic steps. */
export function seed({ locations, warehouseSteps: steps }: Fixtures, _now: number): Seed {
  return {
    objects: [
      { of: warehouses, rows: locations.filter(({ type }) => type === 'warehouse').map(({ id }) => ({ id, version: 1 })) },
      { of: warehouseSteps, rows: steps.map(({ step, after }) => ({ id: step, version: 1, afterMs: durationMs(after) })) },
    ],
  };
}
