import type { z } from 'zod';
import { recordStockMovement as recordStockMovementCall } from '../../../shared/catalog/inventory/internal.ts';
import { invalid, Problem } from '../../../shared/catalog/problems.ts';
import { again, handle } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { stock, stockKey, stockMovements, unitsMoved } from '../collections.ts';
import { levelsOf, nodesToTry, requireSku } from '../stock-levels.ts';

type Movement = z.output<typeof recordStockMovementCall.request>;

/** What each kind does to the counters of a unit. */
const effects = {
  restock: { stock: 1, counted: 'returned' },
  scrap: { stock: 0, counted: 'scrapped' },
  'sent-back': { stock: -1, counted: 'returned' },
  found: { stock: 1, counted: 'found' },
  'found-and-sold': { stock: 0, counted: 'foundAndSold' },
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
  if (kind === 'sent-back') await refuseSold(work, body);
  work.put(stockMovements, { id: reference, kind, locationId, sku, qty });
  work.move(stock, key, { onHand: effects[kind].stock * qty });
  work.move(unitsMoved, key, { [effects[kind].counted]: kind === 'sent-back' ? -qty : qty });
  return itemOf(work, sku);
});

/** @throws Problem `insufficient_stock` for units that were sold meanwhile */
async function refuseSold(work: UnitOfWork, { sku, locationId, qty }: Movement): Promise<void> {
  const [level] = (await levelsOf(work, [sku], [locationId])).get(sku) ?? [];
  const available = level?.atp ?? 0;
  if (available >= qty) return;
  throw new Problem('insufficient_stock', `${available} × ${sku} are left at ${locationId}; ${qty} cannot be sent back.`, {
    skus: [{ sku, requested: qty, available }],
  });
}

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
