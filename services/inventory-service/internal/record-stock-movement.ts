import type { z } from 'zod';
import { recordStockMovement as recordStockMovementCall } from '../../../shared/catalog/inventory/internal.ts';
import { invalid } from '../../../shared/catalog/problems.ts';
import { again, handle } from '../../../shared/contract/handler.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { stock, stockKey, stockMovements, unitsMoved } from '../collections.ts';
import { levelsOf, nodesToTry, requireSku } from '../stock-levels.ts';

type Movement = z.output<typeof recordStockMovementCall.request>;

/** What each kind does to the counters of a unit. */
const effects = {
  restock: { stock: 1, counted: 'returned' },
  scrap: { stock: 0, counted: 'scrapped' },
  found: { stock: 1, counted: 'found' },
} as const;

export const recordStockMovement = handle(recordStockMovementCall)(async ({ body }, { work }) => {
  const { reference, kind, locationId, sku, qty } = body;
  await requireSku(work, sku);
  await nodesToTry(work, locationId);
  const known = await work.get(stockMovements, reference);
  if (known) {
    refuseOtherMovement(known, body);
    return again(await itemOf(work, sku));
  }
  const key = stockKey(sku, locationId);
  work.put(stockMovements, { id: reference, kind, locationId, sku, qty });
  work.move(stock, key, { onHand: effects[kind].stock * qty });
  work.move(unitsMoved, key, { [effects[kind].counted]: qty });
  return itemOf(work, sku);
});

/** One reference is one movement: answering another one with the first would lose units. */
function refuseOtherMovement(known: Omit<Movement, 'reference'>, asked: Movement): void {
  for (const member of ['kind', 'locationId', 'sku', 'qty'] as const) {
    if (known[member] === asked[member]) continue;
    throw invalid(
      `/${member}`,
      'differs_from_reference',
      `"${asked.reference}" was recorded as ${known.kind} of ${known.qty} × ${known.sku} at ${known.locationId}.`,
    );
  }
}

async function itemOf(work: UnitOfWork, sku: string) {
  const levels = await levelsOf(work, [sku], await nodesToTry(work));
  return { sku, locations: [...(levels.get(sku) ?? [])] };
}
