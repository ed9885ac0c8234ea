import { getStock as getStockCall } from '../../../shared/catalog/inventory/internal.ts';
import { handle } from '../../../shared/work/handler.ts';
import { levelsOf, nodesToTry, requireSku } from '../stock-levels.ts';

/** Every location is listed, also those with nothing: a sold-out SKU is one with zeros. */
export const getStock = handle(getStockCall)(async ({ params: { sku } }, { work }) => {
  await requireSku(work, sku);
  const levels = await levelsOf(work, [sku], await nodesToTry(work));
  return { sku, locations: [...(levels.get(sku) ?? [])] };
});
