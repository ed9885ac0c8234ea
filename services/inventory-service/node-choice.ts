import { Problem } from '../../shared/catalog/problems.ts';

export interface Demand {
  readonly sku: string;
  readonly qty: number;
}

export interface Held extends Demand {
  readonly locationId: string;
}

export interface Shortage {
  readonly sku: string;
  readonly requested: number;
  /** Units that the best single node can promise. */
  readonly available: number;
}

/** Highest ATP first. Nodes with the same ATP stay in their order. */
export const sortByAtp = <Node extends { readonly atp: number }>(nodes: readonly Node[]): Node[] => nodes.toSorted((a, b) => b.atp - a.atp);

/**
 * Chooses for each line the first node whose ATP covers it; a line is never split.
 * @param levels by SKU; nodes are tried in this order
 * @returns the lines with their nodes, and the lines that no node covers
 */
export function chooseNodes(
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
