import { Problem } from '../../shared/catalog/problems.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { type Hold, holds, stock, stockKey, unitsMoved } from './collections.ts';
import { readLevels, requireSku } from './stock.ts';

/**
 * Chooses a node for each line by the live counters. The guards of the counters decide in the commit: if a node was emptied in the
 * meantime, the handler runs again and finds the next node. `freed` is stock that the same commit releases. Its part `allocated` was reserved
 * for these order lines by Allocate Inventory: its nodes come first.
 * @throws Problem `not_found` for an unknown SKU
 */
export async function findStock(
  work: UnitOfWork,
  wanted: {
    readonly lines: readonly Demand[];
    readonly nodes: readonly string[];
    readonly prefer?: 'most-stock';
    readonly freed?: readonly Held[];
    readonly allocated?: readonly Held[];
  },
): Promise<ReturnType<typeof chooseNodes>> {
  const { lines, nodes, prefer, freed = [], allocated = [] } = wanted;
  for (const { sku } of lines) await requireSku(work, sku);
  const levels = await readLevels(
    work,
    lines.map(({ sku }) => sku),
    nodes,
  );
  const freedAt = (sku: string, locationId: string): number =>
    freed.filter((held) => held.sku === sku && held.locationId === locationId).reduce((sum, { qty }) => sum + qty, 0);
  const free = [...levels].map(
    ([sku, at]) => [sku, at.map(({ locationId, atp }) => ({ locationId, atp: atp + freedAt(sku, locationId) }))] as const,
  );
  const isAllocated = (sku: string, locationId: string): boolean =>
    allocated.some((held) => held.sku === sku && held.locationId === locationId);
  const inOrder = free.map(([sku, at]) => {
    const sorted = prefer === 'most-stock' ? sortByAtp(at) : at;
    const first = sorted.filter(({ locationId }) => isAllocated(sku, locationId));
    return [sku, [...first, ...sorted.filter(({ locationId }) => !isAllocated(sku, locationId))]] as const;
  });
  return chooseNodes(lines, new Map(inOrder));
}

export function reserveStock(work: UnitOfWork, held: readonly Held[]): void {
  for (const { sku, locationId, qty } of held) work.move(stock, stockKey(sku, locationId), { reserved: qty });
}

/** Merges the units of each SKU and location into one entry. */
export function mergeByPlace(held: readonly Held[]): Held[] {
  const merged = new Map<string, Held>();
  for (const one of held) {
    const key = stockKey(one.sku, one.locationId);
    merged.set(key, { ...one, qty: one.qty + (merged.get(key)?.qty ?? 0) });
  }
  return [...merged.values()];
}

/** The allocations, less the units that left the reservation or were missing. */
export function restOf({ allocations, moved = [] }: Pick<Hold, 'allocations' | 'moved'>): Held[] {
  const gone = moved.flatMap((movement) => movement.allocations.map((one) => ({ ...one, qty: -one.qty })));
  return mergeByPlace([...allocations, ...gone]).filter(({ qty }) => qty > 0);
}

/** Gives the rest of a reservation back. Its state ensures that this happens once. */
export function giveBack(
  work: UnitOfWork,
  hold: Hold,
  to: { readonly state: 'released' | 'given-back'; readonly reference: string },
): void {
  for (const { sku, locationId, qty } of restOf(hold)) work.move(stock, stockKey(sku, locationId), { reserved: -qty });
  work.put(holds, { ...hold, ...to });
}

type Moved = NonNullable<Hold['moved']>[number];

/** Subtracts units that left or were missing from the counters. ATP stays the same. */
export function takeOut(work: UnitOfWork, hold: Hold, movement: Moved): void {
  for (const { sku, locationId, qty } of movement.allocations) {
    const key = stockKey(sku, locationId);
    work.move(stock, key, { onHand: -qty, reserved: -qty });
    work.move(unitsMoved, key, movement.kind === 'consume' ? { shipped: qty } : { writtenOff: qty });
  }
  work.put(holds, { ...hold, moved: [...(hold.moved ?? []), movement] });
}

interface Demand {
  readonly sku: string;
  readonly qty: number;
}

export interface Held extends Demand {
  readonly locationId: string;
}

interface Shortage {
  readonly sku: string;
  readonly requested: number;
  /** Units that the best single node can promise. */
  readonly available: number;
}

/** Highest ATP first. Nodes with the same ATP stay in their order. */
const sortByAtp = <Node extends { readonly atp: number }>(nodes: readonly Node[]): Node[] => nodes.toSorted((a, b) => b.atp - a.atp);

/**
 * Chooses for each line the first node whose ATP covers it; a line is never split.
 * @param levels by SKU; nodes are tried in this order
 * @returns the lines with their nodes, and the lines that no node covers
 */
function chooseNodes(
  lines: readonly Demand[],
  levels: ReadonlyMap<string, readonly { readonly locationId: string; readonly atp: number }[]>,
): { readonly held: Held[]; readonly short: Shortage[] } {
  const held: Held[] = [];
  const short: Shortage[] = [];
  for (const { sku, qty } of lines) {
    const nodes = levels.get(sku) ?? [];
    const node = nodes.find(({ atp }) => atp >= qty);
    if (node) held.push({ locationId: node.locationId, sku, qty });
    else short.push({ sku, requested: qty, available: Math.max(0, ...nodes.map(({ atp }) => atp)) });
  }
  return { held, short };
}

/** 409 that names every SKU that is short. */
export function insufficientStock(short: readonly Shortage[]): Problem {
  const named = short.map(({ sku, requested, available }) => `${sku} (${requested} wanted, ${available} at the best node)`).join(', ');
  return new Problem('insufficient_stock', `Not enough stock of ${named}; nothing was held.`, { skus: short });
}
