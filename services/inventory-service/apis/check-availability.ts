import { checkAvailability as checkAvailabilityApi } from '../../../shared/catalog/inventory/apis.ts';
import { instant } from '../../../shared/domain/time.ts';
import { handle } from '../../../shared/work/handler.ts';
import { listNodes, readLevels, requireSku } from '../stock-levels.ts';

export const checkAvailability = handle(checkAvailabilityApi)(async ({ params: { sku }, query: { qty, locationId } }, { work }) => {
  await requireSku(work, sku);
  const levels = await readLevels(work, [sku], await listNodes(work, locationId));
  const nodes = (levels.get(sku) ?? []).map((level) => ({ locationId: level.locationId, atp: level.atp }));
  const promised = nodes.map(({ atp }) => Math.max(0, atp));
  // One node serves the whole line, so the best node decides, not the sum.
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
