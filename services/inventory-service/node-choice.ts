import { invalid, Problem } from '../../shared/catalog/problems.ts';

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
  /** What the best single node could serve. */
  readonly available: number;
}

const MOST_PER_LINE = 9_999;

/**
 * One line per SKU, in the order of first mention. Looking at each mention by itself would promise the same unit twice.
 * @throws Problem `validation_failed` when a line becomes longer than any line may be
 */
export function mergedBySku(items: readonly Demand[]): readonly Demand[] {
  const merged = new Map<string, number>();
  for (const { sku, qty } of items) merged.set(sku, (merged.get(sku) ?? 0) + qty);
  for (const [sku, qty] of merged) {
    if (qty > MOST_PER_LINE) throw invalid('/items', 'too_big', `${qty} × ${sku} together; a line has at most ${MOST_PER_LINE} units.`);
  }
  return [...merged].map(([sku, qty]) => ({ sku, qty }));
}

/** Nodes that can promise the same stay in their order. */
export const richestFirst = <Node extends { readonly atp: number }>(nodes: readonly Node[]): Node[] =>
  nodes.toSorted((a, b) => b.atp - a.atp);

/**
 * Per line the first node whose ATP covers all of it; a line is never split. All lines, or every SKU that is short.
 * @param levels by SKU, in the order in which nodes are tried
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

/** 409 that names every SKU that is short, not only the first. */
export function insufficientStock(short: readonly Shortage[]): Problem {
  const named = short.map(({ sku, requested, available }) => `${sku} (${requested} wanted, ${available} at the best node)`).join(', ');
  return new Problem('insufficient_stock', `Not enough stock of ${named}; nothing was held.`, { skus: short });
}
