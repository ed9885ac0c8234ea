import type { z } from 'zod';
import { checkAvailability as checkAvailabilityApi } from '../../shared/catalog/inventory/apis.ts';
import { countStock as countStockCall, getStock as getStockCall } from '../../shared/catalog/inventory/internal.ts';
import type { StockLevel } from '../../shared/catalog/inventory/objects.ts';
import { notFound, Problem } from '../../shared/catalog/problems.ts';
import { instant } from '../../shared/domain/time.ts';
import { handle } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { counts, locations, skus, stock, stockKey, unitsMoved } from './collections.ts';

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

/** Lists every location, including those without stock. */
export const getStock = handle(getStockCall)(async ({ params: { sku } }, { work }) => {
  await requireSku(work, sku);
  const levels = await readLevels(work, [sku], await listNodes(work));
  return { sku, locations: [...(levels.get(sku) ?? [])] };
});

/** Sets on hand to the counted units. Safety stock is lowered to what is there, and restored by a later count. Repeats change nothing. */
export const countStock = handle(countStockCall)(async ({ params: { sku }, body: { locationId, onHand: counted } }, { work }) => {
  await requireSku(work, sku);
  await listNodes(work, locationId);
  const key = stockKey(sku, locationId);
  work.put(counts, (await work.get(counts, key)) ?? { id: key });
  const [found] = await work.counters(stock, [key]);
  const { onHand = 0, reserved = 0, safetyStock = 0, missingSafety = 0 } = found ?? {};
  if (counted < reserved) throw countBelowReserved({ sku, locationId, reserved }, counted);
  const wanted = safetyStock + missingSafety;
  const kept = Math.min(wanted, counted - reserved);
  work.move(stock, key, { onHand: counted - onHand, safetyStock: kept - safetyStock, missingSafety: wanted - kept - missingSafety });
  work.move(unitsMoved, key, { recounted: counted - onHand });
  const levels = await readLevels(work, [sku], await listNodes(work));
  return { sku, locations: [...(levels.get(sku) ?? [])] };
});

/** 409: reserved stock must be released; a count cannot remove it. */
function countBelowReserved(
  { sku, locationId, reserved }: { sku: string; locationId: string; reserved: number },
  counted: number,
): Problem {
  const sentence = `${reserved} × ${sku} are reserved at ${locationId}; they cannot be counted as ${counted}. Release them, or count at least ${reserved}.`;
  return new Problem('insufficient_stock', sentence, { skus: [{ sku, requested: reserved, available: counted }] });
}

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

/** Live counters by SKU, sorted as the nodes. Moves of this unit of work are included. */
export async function readLevels(
  work: UnitOfWork,
  wanted: readonly string[],
  nodes: readonly string[],
): Promise<ReadonlyMap<string, readonly Level[]>> {
  const counters = await work.counters(
    stock,
    wanted.flatMap((sku) => nodes.map((locationId) => stockKey(sku, locationId))),
  );
  return new Map(
    wanted.map((sku, row) => [
      sku,
      nodes.map((locationId, column) => {
        const { onHand = 0, reserved = 0, safetyStock = 0 } = counters[row * nodes.length + column] ?? {};
        return { locationId, onHand, reserved, safetyStock, atp: atpOf({ onHand, reserved, safetyStock }) };
      }),
    ]),
  );
}
