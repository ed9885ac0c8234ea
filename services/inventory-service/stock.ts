import type { z } from 'zod';
import { checkAvailability as checkAvailabilityApi } from '../../shared/catalog/inventory/apis.ts';
import {
  countStock as countStockCall,
  getStock as getStockCall,
  recordStockMovement as recordStockMovementCall,
} from '../../shared/catalog/inventory/internal.ts';
import { invalid, Problem } from '../../shared/catalog/problems.ts';
import { instant } from '../../shared/domain/time.ts';
import { again, handle } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { mostUnits } from './choose-nodes.ts';
import { collectableAt, requireCollectionPoint } from './collection-points.ts';
import { counts, stock, stockKey, stockMovements, unitsMoved } from './collections.ts';
import { listNodes, readLevels, requireSku } from './levels.ts';

export const checkAvailability = handle(checkAvailabilityApi)(async ({ params: { sku }, query }, { work }) => {
  const { qty, locationId, collectAt } = query;
  await requireSku(work, sku);
  const point = collectAt === undefined ? undefined : await requireCollectionPoint(work, collectAt);
  if (point && locationId !== undefined && locationId !== point.id) {
    throw invalid('?collectAt', 'other_location', `It differs from locationId, which is "${locationId}"; give one of the two.`);
  }
  const levels = await readLevels(work, [sku], await listNodes(work, collectAt ?? locationId));
  const nodes = (levels.get(sku) ?? []).map((level) => ({ locationId: level.locationId, atp: level.atp }));
  const promised = nodes.map(({ atp }) => Math.max(0, atp));
  const maxPerLine = mostUnits(nodes, work.figures.splitLines);
  return {
    sku,
    atp: promised.reduce((sum, atp) => sum + atp, 0),
    maxPerLine,
    available: maxPerLine >= qty,
    nodes,
    asOf: instant(work.now),
    collection: point && (await collectableAt(work, point, [{ sku, qty }])).get(sku),
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

type Movement = z.output<typeof recordStockMovementCall.request>;

/** The effect of one unit of each kind: the change of on hand, and the counter of movements. */
const effects = {
  restock: { stock: 1, counted: 'returned' },
  scrap: { stock: 0, counted: 'scrapped' },
  'sent-back': { stock: -1, counted: 'returned' },
  found: { stock: 1, counted: 'found' },
} as const;

export const recordStockMovement = handle(recordStockMovementCall)(async ({ body }, { work }) => {
  const { reference, kind, locationId, sku, qty } = body;
  await requireSku(work, sku);
  await listNodes(work, locationId);
  const known = await work.get(stockMovements, reference);
  if (known) {
    refuseOtherMovement(known, body);
    return again(await readItem(work, known));
  }
  const key = stockKey(sku, locationId);
  if (kind === 'sent-back') await refuseSold(work, body);
  if (kind === 'carried-out') {
    const found = await carryOut(work, body);
    work.put(stockMovements, { id: reference, kind, locationId, sku, qty, found });
    return readItem(work, { sku, found });
  }
  work.put(stockMovements, { id: reference, kind, locationId, sku, qty });
  work.move(stock, key, { onHand: effects[kind].stock * qty });
  work.move(unitsMoved, key, { [effects[kind].counted]: kind === 'sent-back' ? -qty : qty });
  return readItem(work, { sku });
});

/** At the till the customer already has the goods, so safety stock is sold too. @returns units that are missing from the records */
async function carryOut(work: UnitOfWork, { sku, locationId, qty }: Movement): Promise<number> {
  const key = stockKey(sku, locationId);
  const [level] = await work.counters(stock, [key]);
  const { onHand = 0, reserved = 0, safetyStock = 0 } = level ?? {};
  const carriedOut = Math.min(qty, onHand - reserved);
  const soldSafety = Math.max(0, safetyStock - (onHand - reserved - carriedOut));
  work.move(stock, key, { onHand: -carriedOut, safetyStock: -soldSafety, missingSafety: soldSafety });
  work.move(unitsMoved, key, { carriedOut, foundAndSold: qty - carriedOut });
  return qty - carriedOut;
}

/** @throws Problem `insufficient_stock` for units that were reserved in the meantime */
async function refuseSold(work: UnitOfWork, { sku, locationId, qty }: Movement): Promise<void> {
  const [level] = (await readLevels(work, [sku], [locationId])).get(sku) ?? [];
  const available = level?.atp ?? 0;
  if (available >= qty) return;
  const detail = `${available} × ${sku} are left at ${locationId}; ${qty} cannot be sent back.`;
  throw new Problem('insufficient_stock', detail, { skus: [{ sku, requested: qty, available }] });
}

/** Answering another movement with the first one of its reference would lose units. */
function refuseOtherMovement(known: Omit<Movement, 'reference'>, requested: Movement): void {
  for (const member of ['kind', 'locationId', 'sku', 'qty'] as const) {
    if (known[member] === requested[member]) continue;
    const detail = `"${requested.reference}" was recorded as ${known.kind} of ${known.qty} × ${known.sku} at ${known.locationId}.`;
    throw invalid(`/${member}`, 'differs_from_reference', detail);
  }
}

async function readItem(work: UnitOfWork, { sku, found }: { sku: string; found?: number }) {
  const levels = await readLevels(work, [sku], await listNodes(work));
  return { sku, locations: [...(levels.get(sku) ?? [])], found };
}
