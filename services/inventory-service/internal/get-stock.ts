import { getStock as getStockCall } from '../../../shared/catalog/inventory/internal.ts';
import { handle } from '../../../shared/work/handler.ts';
import { listNodes, readLevels, requireSku } from '../stock-levels.ts';

/** Lists every location, including those without stock. */
export const getStock = handle(getStockCall)(async ({ params: { sku } }, { work }) => {
  await requireSku(work, sku);
  const levels = await readLevels(work, [sku], await listNodes(work));
  return { sku, locations: [...(levels.get(sku) ?? [])] };
});
