import type { z } from 'zod';
import { recordStockMovement as recordStockMovementCall } from '../../shared/catalog/inventory/internal.ts';
import { invalid, Problem } from '../../shared/catalog/problems.ts';
import { again, handle } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { stock, stockKey, stockMovements, unitsMoved } from './collections.ts';
import { listNodes, readLevels, requireSku } from './stock.ts';

type Movement = z.output<typeof recordStockMovementCall.request>;

/** The effect of one unit of each kind: the change of on hand, and the counter of movements. */
const effects = {
  restock: { stock: 1, counted: 'returned' },
  scrap: { stock: 0, counted: 'scrapped' },
  'sent-back': { stock: -1, counted: 'returned' },
  found: { stock: 1, counted: 'found' },
} as const;

export const recordStockMovement = handle(recordStockMovementCall)(async ({ body }, { work }) => {
  const { reference, kind, locationId, sku, qty } = body;
  await requireSku(work, sku);
  await listNodes(work, locationId);
  const known = await work.get(stockMovements, reference);
  if (known) {
    refuseOtherMovement(known, body);
    return again(await readItem(work, known));
  }
  const key = stockKey(sku, locationId);
  if (kind === 'sent-back') await refuseSold(work, body);
  if (kind === 'carried-out') {
    const found = await carryOut(work, body);
    work.put(stockMovements, { id: reference, kind, locationId, sku, qty, found });
    return readItem(work, { sku, found });
  }
  work.put(stockMovements, { id: reference, kind, locationId, sku, qty });
  work.move(stock, key, { onHand: effects[kind].stock * qty });
  work.move(unitsMoved, key, { [effects[kind].counted]: kind === 'sent-back' ? -qty : qty });
  return readItem(work, { sku });
});

/** At the till the customer already has the goods, so safety stock is sold too. @returns units that are missing from the records */
async function carryOut(work: UnitOfWork, { sku, locationId, qty }: Movement): Promise<number> {
  const key = stockKey(sku, locationId);
  const [level] = await work.counters(stock, [key]);
  const { onHand = 0, reserved = 0, safetyStock = 0 } = level ?? {};
  const carriedOut = Math.min(qty, onHand - reserved);
  const soldSafety = Math.max(0, safetyStock - (onHand - reserved - carriedOut));
  work.move(stock, key, { onHand: -carriedOut, safetyStock: -soldSafety, missingSafety: soldSafety });
  work.move(unitsMoved, key, { carriedOut, foundAndSold: qty - carriedOut });
  return qty - carriedOut;
}

/** @throws Problem `insufficient_stock` for units that were reserved in the meantime */
async function refuseSold(work: UnitOfWork, { sku, locationId, qty }: Movement): Promise<void> {
  const [level] = (await readLevels(work, [sku], [locationId])).get(sku) ?? [];
  const available = level?.atp ?? 0;
  if (available >= qty) return;
  throw new Problem('insufficient_stock', `${available} × ${sku} are left at ${locationId}; ${qty} cannot be sent back.`, {
    skus: [{ sku, requested: qty, available }],
  });
}

/** Answering another movement with the first one of its reference would lose units. */
function refuseOtherMovement(known: Omit<Movement, 'reference'>, requested: Movement): void {
  for (const member of ['kind', 'locationId', 'sku', 'qty'] as const) {
    if (known[member] === requested[member]) continue;
    throw invalid(
      `/${member}`,
      'differs_from_reference',
      `"${requested.reference}" was recorded as ${known.kind} of ${known.qty} × ${known.sku} at ${known.locationId}.`,
    );
  }
}

async function readItem(work: UnitOfWork, { sku, found }: { readonly sku: string; readonly found?: number }) {
  const levels = await readLevels(work, [sku], await listNodes(work));
  return { sku, locations: [...(levels.get(sku) ?? [])], found };
}
