import { countStock as countStockCall } from '../../../shared/catalog/inventory/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { handle } from '../../../shared/work/handler.ts';
import { stock, stockKey, unitsMoved } from '../collections.ts';
import { levelsOf, nodesToTry, requireSku } from '../stock-levels.ts';

/**
 * What somebody counted is what is there. Of the safety stock as much is kept back as is there, and all of it again once it has been
 * counted again. Counted once more, nothing changes.
 */
export const countStock = handle(countStockCall)(async ({ params: { sku }, body: { locationId, onHand: counted } }, { work }) => {
  await requireSku(work, sku);
  await nodesToTry(work, locationId);
  const key = stockKey(sku, locationId);
  const [found] = await work.counters(stock, [key]);
  const { onHand = 0, reserved = 0, safetyStock = 0, missingSafety = 0 } = found ?? {};
  if (counted < reserved) throw promised({ sku, locationId, reserved }, counted);
  const wanted = safetyStock + missingSafety;
  const kept = Math.min(wanted, counted - reserved);
  work.move(stock, key, { onHand: counted - onHand, safetyStock: kept - safetyStock, missingSafety: wanted - kept - missingSafety });
  work.move(unitsMoved, key, { recounted: counted - onHand });
  const levels = await levelsOf(work, [sku], await nodesToTry(work));
  return { sku, locations: [...(levels.get(sku) ?? [])] };
});

/** Units that are held for somebody are there: releasing them is another matter than counting. */
function promised({ sku, locationId, reserved }: { sku: string; locationId: string; reserved: number }, counted: number): Problem {
  const sentence = `${reserved} × ${sku} are reserved at ${locationId}; they cannot be counted as ${counted}. Release them, or count at least ${reserved}.`;
  return new Problem('insufficient_stock', sentence, { skus: [{ sku, requested: reserved, available: counted }] });
}
