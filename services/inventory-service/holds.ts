import type { UnitOfWork } from '../../shared/store/unit-of-work.ts';
import { type Hold, holds, stock, stockKey } from './collections.ts';
import { chooseNodes, type Demand, type Held, insufficientStock } from './node-choice.ts';
import { levelsOf, requireSku } from './stock-levels.ts';

/**
 * Chooses nodes for all lines and reserves there. The counters' guards decide in the commit: if a node was emptied meanwhile, the
 * commit is refused, the handler runs again and finds the next node.
 * @throws Problem `insufficient_stock` with every SKU that is short, or `not_found`; nothing was reserved then
 */
export async function reserveStock(work: UnitOfWork, lines: readonly Demand[], nodes: readonly string[]): Promise<readonly Held[]> {
  for (const { sku } of lines) await requireSku(work, sku);
  const levels = await levelsOf(
    work,
    lines.map(({ sku }) => sku),
    nodes,
  );
  const { held, short } = chooseNodes(lines, levels);
  if (short.length > 0) throw insufficientStock(short);
  for (const { sku, locationId, qty } of held) work.move(stock, stockKey(sku, locationId), { reserved: qty });
  return held;
}

/** Puts the stock of a hold back. The state of the hold makes it happen once. */
export function giveBack(
  work: UnitOfWork,
  hold: Hold,
  to: { readonly state: 'released' | 'given-back'; readonly reference: string },
): void {
  for (const { sku, locationId, qty } of hold.allocations) work.move(stock, stockKey(sku, locationId), { reserved: -qty });
  work.put(holds, { ...hold, ...to });
}
