import { checkAvailability as checkAvailabilityApi } from '../../../shared/catalog/inventory/apis.ts';
import { instant } from '../../../shared/domain/time.ts';
import { handle } from '../../../shared/work/handler.ts';
import { levelsOf, nodesToTry, requireSku } from '../stock-levels.ts';

export const checkAvailability = handle(checkAvailabilityApi)(async ({ params: { sku }, query: { qty, locationId } }, { work }) => {
  await requireSku(work, sku);
  const levels = await levelsOf(work, [sku], await nodesToTry(work, locationId));
  const nodes = (levels.get(sku) ?? []).map((level) => ({ locationId: level.locationId, atp: level.atp }));
  const promised = nodes.map(({ atp }) => Math.max(0, atp));
  // A line is served by one node, so the best one decides, not the sum.
  const maxPerLine = Math.max(0, ...promised);
  return {
    sku,
    atp: promised.reduce((sum, atp) => sum + atp, 0),
    maxPerLine,
    available: maxPerLine >= qty,
    nodes,
    asOf: instant(work.now),
  };
});
