import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { type Hold, holds, stock, stockKey, unitsMoved } from './collections.ts';
import { chooseNodes, type Demand, type Held, richestFirst } from './node-choice.ts';
import { levelsOf, requireSku } from './stock-levels.ts';

/**
 * Per line the node that it would be held at, on live counters. The counters' guards decide in the commit: if a node was emptied
 * meanwhile, the commit is refused, the handler runs again and finds the next node.
 * @param freed what the same commit gives back
 * @throws Problem `not_found` for an unknown SKU
 */
export async function findStock(
  work: UnitOfWork,
  wanted: {
    readonly lines: readonly Demand[];
    readonly nodes: readonly string[];
    readonly prefer?: 'most-stock' | undefined;
    readonly freed?: readonly Held[];
  },
): Promise<ReturnType<typeof chooseNodes>> {
  const { lines, nodes, prefer, freed = [] } = wanted;
  for (const { sku } of lines) await requireSku(work, sku);
  const levels = await levelsOf(
    work,
    lines.map(({ sku }) => sku),
    nodes,
  );
  const freedAt = (sku: string, locationId: string): number =>
    freed.filter((held) => held.sku === sku && held.locationId === locationId).reduce((sum, { qty }) => sum + qty, 0);
  const free = [...levels].map(
    ([sku, at]) => [sku, at.map(({ locationId, atp }) => ({ locationId, atp: atp + freedAt(sku, locationId) }))] as const,
  );
  return chooseNodes(lines, new Map(prefer === 'most-stock' ? free.map(([sku, at]) => [sku, richestFirst(at)]) : free));
}

export function reserveStock(work: UnitOfWork, held: readonly Held[]): void {
  for (const { sku, locationId, qty } of held) work.move(stock, stockKey(sku, locationId), { reserved: qty });
}

/** Per SKU and location one entry. */
export function mergedByPlace(held: readonly Held[]): Held[] {
  const merged = new Map<string, Held>();
  for (const one of held) {
    const key = stockKey(one.sku, one.locationId);
    merged.set(key, { ...one, qty: one.qty + (merged.get(key)?.qty ?? 0) });
  }
  return [...merged.values()];
}

/** What a hold still has: without the units that left it, or were not there. */
export function restOf({ allocations, moved = [] }: Pick<Hold, 'allocations' | 'moved'>): Held[] {
  const gone = moved.flatMap((movement) => movement.allocations.map((one) => ({ ...one, qty: -one.qty })));
  return mergedByPlace([...allocations, ...gone]).filter(({ qty }) => qty > 0);
}

/** Puts what a hold still has back. The state of the hold makes it happen once. */
export function giveBack(
  work: UnitOfWork,
  hold: Hold,
  to: { readonly state: 'released' | 'given-back'; readonly reference: string },
): void {
  for (const { sku, locationId, qty } of restOf(hold)) work.move(stock, stockKey(sku, locationId), { reserved: -qty });
  work.put(holds, { ...hold, ...to });
}

type Moved = NonNullable<Hold['moved']>[number];

/** Takes units of a hold off the books: they left, or were not there. What may be promised stays as it is. */
export function takeOut(work: UnitOfWork, hold: Hold, movement: Moved): void {
  for (const { sku, locationId, qty } of movement.allocations) {
    const key = stockKey(sku, locationId);
    work.move(stock, key, { onHand: -qty, reserved: -qty });
    work.move(unitsMoved, key, movement.kind === 'consume' ? { shipped: qty } : { writtenOff: qty });
  }
  work.put(holds, { ...hold, moved: [...(hold.moved ?? []), movement] });
}
