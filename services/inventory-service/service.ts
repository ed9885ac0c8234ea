import type { Fixtures } from '../../fixtures/files.ts';
import type { Seed } from '../../shared/store/collections.ts';
import { defineService } from '../../shared/work/handler.ts';
import { allocateInventory } from './apis/allocate-inventory.ts';
import { checkAvailability } from './apis/check-availability.ts';
import { counts, holds, locations, skus, stock, stockKey, stockMovements, unitsMoved } from './collections.ts';
import { finishAllocation } from './due/finish-allocation.ts';
import { countStock } from './internal/count-stock.ts';
import { getStock } from './internal/get-stock.ts';
import { moveHold } from './internal/move-hold.ts';
import { recordStockMovement } from './internal/record-stock-movement.ts';
import { takeHold } from './internal/take-hold.ts';

export const service = defineService({
  application: 'inventory-service',
  collections: [skus, locations, holds, stockMovements, counts],
  counters: [stock, unitsMoved],
  apis: { 'check-availability-api': checkAvailability, 'allocate-inventory-api': allocateInventory },
  internal: {
    'get-stock': getStock,
    'take-hold': takeHold,
    'move-hold': moveHold,
    'record-stock-movement': recordStockMovement,
    'count-stock': countStock,
  },
  events: {},
  due: [finishAllocation],
});

export function seed(fixtures: Fixtures, _now: number): Seed {
  const counters = fixtures.stock.flatMap(({ sku, onHand, safetyStock }) =>
    fixtures.locations.map(({ id }) => [stockKey(sku, id), { onHand: onHand[id] ?? 0, reserved: 0, safetyStock: safetyStock?.[id] ?? 0 }]),
  );
  return {
    objects: [
      { of: skus, rows: fixtures.stock.map(({ sku }) => ({ id: sku, version: 1 })) },
      { of: locations, rows: fixtures.locations.map((location) => ({ ...location, version: 1 })) },
    ],
    counters: [{ of: stock, rows: Object.fromEntries(counters) }],
  };
}
