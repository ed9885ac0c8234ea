import { countStock as countStockCall } from '../../../shared/catalog/inventory/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { handle } from '../../../shared/work/handler.ts';
import { counts, stock, stockKey, unitsMoved } from '../collections.ts';
import { listNodes, readLevels, requireSku } from '../stock-levels.ts';

/** Sets on hand to the counted units. Safety stock is lowered to what is there, and restored by a later count. Repeats change nothing. */
export const countStock = handle(countStockCall)(async ({ params: { sku }, body: { locationId, onHand: counted } }, { work }) => {
  await requireSku(work, sku);
  await listNodes(work, locationId);
  const key = stockKey(sku, locationId);
  work.put(counts, (await work.get(counts, key)) ?? { id: key });
  const [found] = await work.counters(stock, [key]);
  const { onHand = 0, reserved = 0, safetyStock = 0, missingSafety = 0 } = found ?? {};
  if (counted < reserved) throw countBelowReserved({ sku, locationId, reserved }, counted);
  const wanted = safetyStock + missingSafety;
  const kept = Math.min(wanted, counted - reserved);
  work.move(stock, key, { onHand: counted - onHand, safetyStock: kept - safetyStock, missingSafety: wanted - kept - missingSafety });
  work.move(unitsMoved, key, { recounted: counted - onHand });
  const levels = await readLevels(work, [sku], await listNodes(work));
  return { sku, locations: [...(levels.get(sku) ?? [])] };
});

/** 409: reserved stock must be released; a count cannot remove it. */
function countBelowReserved(
  { sku, locationId, reserved }: { sku: string; locationId: string; reserved: number },
  counted: number,
): Problem {
  const sentence = `${reserved} × ${sku} are reserved at ${locationId}; they cannot be counted as ${counted}. Release them, or count at least ${reserved}.`;
  return new Problem('insufficient_stock', sentence, { skus: [{ sku, requested: reserved, available: counted }] });
}
