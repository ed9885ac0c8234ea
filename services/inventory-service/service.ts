import type { Fixtures } from '../../fixtures/files.ts';
import { durationMs } from '../../shared/domain/duration.ts';
import type { Seed } from '../../shared/store/collections.ts';
import { defineService } from '../../shared/work/handler.ts';
import { allocateInventory, finishAllocation } from './allocation.ts';
import { getCollectionPoint, listCollectable, listCollectionPoints } from './collection-points.ts';
import { counts, holds, locations, skus, stock, stockKey, stockMovements, TRANSFER, transferTimes, unitsMoved } from './collections.ts';
import { moveHold, takeHold } from './reservations.ts';
import { checkAvailability, countStock, getStock, recordStockMovement } from './stock.ts';

export const service = defineService({
  application: 'inventory-service',
  collections: [skus, locations, transferTimes, holds, stockMovements, counts],
  counters: [stock, unitsMoved],
  apis: {
    'check-availability-api': checkAvailability,
    'list-collection-points-api': listCollectionPoints,
    'allocate-inventory-api': allocateInventory,
  },
  internal: {
    'get-stock': getStock,
    'get-collection-point': getCollectionPoint,
    'list-collectable': listCollectable,
    'take-hold': takeHold,
    'move-hold': moveHold,
    'record-stock-movement': recordStockMovement,
    'count-stock': countStock,
  },
  events: {},
  due: [finishAllocation],
});

export function seed(fixtures: Fixtures): Seed {
  const transfer = { id: TRANSFER, version: 1, afterMs: transferMsOf(fixtures) };
  return {
    objects: [
      { of: skus, rows: fixtures.stock.map(({ sku }) => ({ id: sku, version: 1 })) },
      { of: locations, rows: fixtures.locations.map((location) => ({ ...location, version: 1 })) },
      { of: transferTimes, rows: [transfer] },
    ],
    counters: [{ of: stock, rows: stockOf(fixtures) }],
  };
}

/** The time of the warehouse until it dispatches, and the longest time of the carrier. */
function transferMsOf({ warehouseSteps, carrierScans }: Fixtures): number {
  const dispatched = warehouseSteps.find(({ step }) => step === 'dispatched');
  const promise = carrierScans.find(({ service: name }) => name === TRANSFER)?.estimatedDelivery;
  return (dispatched ? durationMs(dispatched.after) : 0) + (promise ? durationMs(promise.to) : 0);
}

/** The stock of each SKU at each location. */
function* stockOf(fixtures: Fixtures) {
  for (const { sku, onHand, safetyStock } of fixtures.stock) {
    for (const { id } of fixtures.locations) yield [stockKey(sku, id), unreserved(onHand[id] ?? 0, safetyStock?.[id] ?? 0)] as const;
  }
}

/** Safety stock is lowered to what is there, as by a count. */
function unreserved(onHand: number, wanted: number) {
  const safetyStock = Math.min(wanted, onHand);
  return { onHand, reserved: 0, safetyStock, missingSafety: wanted - safetyStock };
}
