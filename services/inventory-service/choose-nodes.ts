import { MOST_LOCATIONS_PER_LINE } from '../../shared/catalog/limits.ts';

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
  /** Units that the best single node can promise; with split lines, the best nodes together. */
  readonly available: number;
}

export interface Node {
  readonly locationId: string;
  readonly atp: number;
}

/** Highest ATP first. Nodes with the same ATP stay in their order. */
export const sortByAtp = <One extends Pick<Node, 'atp'>>(nodes: readonly One[]): One[] => nodes.toSorted((a, b) => b.atp - a.atp);

/** The most units of one line that these nodes can promise. @param split whether several nodes may serve a line */
export const mostUnits = (nodes: readonly Pick<Node, 'atp'>[], split: boolean): number =>
  sortByAtp(nodes)
    .slice(0, split ? MOST_LOCATIONS_PER_LINE : 1)
    .reduce((sum, { atp }) => sum + Math.max(0, atp), 0);

/**
 * Chooses for each line the first node whose ATP covers it. If there is none, several nodes may serve the line.
 * @param levels by SKU; nodes are tried in this order
 * @returns the units of the lines at their nodes, and the lines that are short
 */
export function chooseNodes(
  lines: readonly Demand[],
  levels: ReadonlyMap<string, readonly Node[]>,
  split: boolean,
): { readonly held: Held[]; readonly short: Shortage[] } {
  const held: Held[] = [];
  const short: Shortage[] = [];
  for (const { sku, qty } of lines) {
    const nodes = levels.get(sku) ?? [];
    const node = nodes.find(({ atp }) => atp >= qty);
    const parts = node ? [{ locationId: node.locationId, qty }] : split ? partsOf(qty, nodes) : undefined;
    if (parts) held.push(...parts.map((part) => ({ ...part, sku })));
    else short.push({ sku, requested: qty, available: mostUnits(nodes, split) });
  }
  return { held, short };
}

/**
 * The fewest nodes that serve a line together. Of several such choices, the one with the earliest nodes. Each node but the last one gives
 * all that it can promise.
 * @returns undefined if they have too few units
 */
function partsOf(qty: number, nodes: readonly Node[]): { readonly locationId: string; readonly qty: number }[] | undefined {
  if (mostUnits(nodes, true) < qty) return undefined;
  const parts: { locationId: string; qty: number }[] = [];
  let left = qty;
  let rest = nodes.filter(({ atp }) => atp > 0);
  for (let count = fewestFor(left, rest); count > 0; count--) {
    const richest = sortByAtp(rest).slice(0, count);
    const most = sumOf(richest);
    const others = most - (richest.at(-1)?.atp ?? 0);
    const next = rest.find((node) => (richest.includes(node) ? most : others + node.atp) >= left);
    if (!next) throw new Error(`${qty} units are at no ${count} nodes.`);
    const units = Math.min(next.atp, left);
    parts.push({ locationId: next.locationId, qty: units });
    left -= units;
    rest = rest.filter((node) => node !== next);
  }
  return parts;
}

const sumOf = (nodes: readonly Node[]): number => nodes.reduce((sum, { atp }) => sum + atp, 0);

function fewestFor(qty: number, nodes: readonly Node[]): number {
  const richest = sortByAtp(nodes);
  return richest.findIndex((_node, index) => sumOf(richest.slice(0, index + 1)) >= qty) + 1;
}
