import type { z } from 'zod';
import type { StockLevel } from '../../shared/catalog/inventory/objects.ts';
import { notFound } from '../../shared/catalog/problems.ts';
import { type Breathe, inOneSlice } from '../../shared/domain/breathe.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { locations, skus, stock, stockKey } from './collections.ts';

type Level = z.output<typeof StockLevel>;

/** Available to promise. */
const atpOf = (level: { readonly onHand: number; readonly reserved: number; readonly safetyStock: number }): number =>
  level.onHand - level.reserved - level.safetyStock;

/** @throws Problem `not_found` */
export async function requireSku(work: UnitOfWork, sku: string): Promise<void> {
  if (!(await work.get(skus, sku))) throw notFound('product', sku);
}

/** @returns the named location alone, or all locations by priority @throws Problem `not_found` */
export async function listNodes(work: UnitOfWork, locationId?: string): Promise<readonly string[]> {
  if (locationId !== undefined) {
    if (!(await work.get(locations, locationId))) throw notFound('location', locationId);
    return [locationId];
  }
  const { items } = await work.all(locations);
  return items.toSorted((a, b) => a.priority - b.priority).map(({ id }) => id);
}

/**
 * Where the goods of a collection may come from: the shelf of the store first, then the warehouses by priority.
 * @throws Problem `not_found`
 */
export async function listSources(work: UnitOfWork, store: string): Promise<readonly string[]> {
  return [...(await listNodes(work, store)), ...(await listWarehouses(work))];
}

export async function listWarehouses(work: UnitOfWork): Promise<readonly string[]> {
  const { items } = await work.all(locations);
  return items
    .filter(({ type }) => type === 'warehouse')
    .toSorted((a, b) => a.priority - b.priority)
    .map(({ id }) => id);
}

export type LevelsBySku = ReadonlyMap<string, readonly { readonly locationId: string; readonly atp: number }[]>;

/** The nodes that have all units, in their sequence. @param levels at these nodes */
export function nodesWithAll(
  lines: readonly { readonly sku: string; readonly qty: number }[],
  levels: LevelsBySku,
  nodes: readonly string[],
): ReadonlySet<string> {
  const able = new Set(nodes);
  for (const { sku, qty } of lines) for (const { locationId, atp } of levels.get(sku) ?? []) if (atp < qty) able.delete(locationId);
  return able;
}

export const onlyAt = (node: string | undefined, levels: LevelsBySku): LevelsBySku =>
  new Map([...levels].map(([sku, at]) => [sku, at.filter(({ locationId }) => locationId === node)]));

/** Counters that are read together. A basket of 200 SKUs needs more only with more than ten locations. */
export const READ_TOGETHER = 2_000;

/** Live counters by SKU, in the sequence of the nodes. Moves of this unit of work are included. */
export async function readLevels(
  work: Pick<UnitOfWork, 'counters'>,
  wanted: readonly string[],
  nodes: readonly string[],
  breathe: Breathe = inOneSlice,
): Promise<ReadonlyMap<string, readonly Level[]>> {
  const levels = new Map<string, readonly Level[]>();
  const together = Math.max(1, Math.floor(READ_TOGETHER / Math.max(1, nodes.length)));
  for (let at = 0; at < wanted.length; at += together) {
    const some = wanted.slice(at, at + together);
    const keys = some.flatMap((sku) => nodes.map((locationId) => stockKey(sku, locationId)));
    const counters = await work.counters(stock, keys);
    for (const [row, sku] of some.entries()) {
      const levelAt = (locationId: string, column: number): Level => {
        const { onHand = 0, reserved = 0, safetyStock = 0 } = counters[row * nodes.length + column] ?? {};
        return { locationId, onHand, reserved, safetyStock, atp: atpOf({ onHand, reserved, safetyStock }) };
      };
      levels.set(sku, nodes.map(levelAt));
    }
    await breathe();
  }
  return levels;
}
