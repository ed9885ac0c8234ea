import type { z } from 'zod';
import { moveHold as moveHoldCall, takeHold as takeHoldCall } from '../../shared/catalog/inventory/internal.ts';
import { refusal } from '../../shared/catalog/life-cycle.ts';
import { MOST_LOCATIONS_PER_LINE } from '../../shared/catalog/limits.ts';
import { linesBySku } from '../../shared/catalog/lines-by-sku.ts';
import { notFound, Problem } from '../../shared/catalog/problems.ts';
import type { Figures } from '../../shared/catalog/retailer.ts';
import { type Breathe, eachBreathing, inOneSlice } from '../../shared/domain/breathe.ts';
import { handle } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { chooseNodes, type Demand, type Held, type Shortage, sortByAtp } from './choose-nodes.ts';
import { type Hold, holds, stock, stockKey, unitsMoved } from './collections.ts';
import { listNodes, listSources, nodesWithAll, onlyAt, readLevels, requireSku } from './levels.ts';

/** Decides once per reservation, and stores refusals too: of two equal requests, one must not reserve while the other is refused. */
export const takeHold = handle(takeHoldCall)(async ({ params: { reservationId }, body }, { work, breathe }) => {
  const known = await work.get(holds, reservationId);
  if (known?.state === 'held') return { allocations: known.allocations };
  // A named store and the place of a collection serve whole lines.
  const splitLines = work.figures.splitLines && body.locationId === undefined && body.collectAt === undefined;
  if (known) throw known.short ? insufficientStock(known.short, { splitLines }) : holdEnded(known);
  const freed = await findHeld(body.replaces ?? [], work);
  const nodes = body.collectAt === undefined ? await listNodes(work, body.locationId) : await listSources(work, body.collectAt);
  const wanted = {
    lines: linesBySku(body.items, '/items'),
    nodes,
    prefer: body.prefer,
    together: body.collectAt !== undefined,
    freed: freed.flatMap(restOf),
    allocated: freed.filter(({ line }) => line).flatMap(restOf),
  };
  const { held, short } = await findStock(work, wanted, breathe);
  if (short.length > 0) {
    work.put(holds, { id: reservationId, state: 'refused', allocations: [], short });
    return insufficientStock(short, { splitLines });
  }
  // Both change in one commit: the new reservation may need a unit of the replaced one, which keeps its units if the new one is refused.
  for (const one of freed) giveBack(work, one, { state: 'released', reference: `replaced by ${reservationId}` });
  reserveStock(work, held);
  work.put(holds, { id: reservationId, state: 'held', allocations: held });
  return { allocations: held };
});

async function findHeld(ids: readonly string[], work: UnitOfWork): Promise<Hold[]> {
  const found: Hold[] = [];
  for (const id of ids) {
    const hold = await work.get(holds, id);
    if (hold?.state === 'held') found.push(hold);
  }
  return found;
}

/** 409: the SIM has given this reservation up, so nobody would release the stock again. */
const holdEnded = ({ id, state }: Hold): Problem =>
  refusal('hold', { id, state }, 'take', `The reservation "${id}" has ended; its stock can no longer be taken.`);

type Movement = z.output<typeof moveHoldCall.request>;

export const moveHold = handle(moveHoldCall)(async ({ params: { reservationId }, body }, { work }) => {
  const hold = await work.get(holds, reservationId);
  if (body.kind === 'release') return { allocations: release(work, { reservationId, hold, reference: body.reference }) };
  if (!hold) throw notFound('hold', reservationId);
  const before = hold.moved?.find(({ reference }) => reference === body.reference);
  if (before) return { allocations: before.allocations };
  const allocations = mergeByPlace(body.allocations ?? []);
  refuseUnheld(hold, body.kind, allocations);
  moveUnits(work, hold, { reference: body.reference, kind: body.kind, allocations });
  return { allocations };
});

function release(
  work: UnitOfWork,
  { reservationId, hold, reference }: { reservationId: string; hold: Hold | undefined; reference: string },
): Held[] {
  if (!hold) {
    // The stock was never taken. This record refuses a `take-hold` that arrives later.
    work.put(holds, { id: reservationId, state: 'released', allocations: [], reference });
    return [];
  }
  if (hold.state === 'held') giveBack(work, hold, { state: 'released', reference });
  return restOf(hold);
}

/** @throws Problem `invalid_state_transition` when the reservation does not have these units */
function refuseUnheld(hold: Hold, kind: Movement['kind'], requested: readonly Held[]): void {
  const isSent = kind === 'receive' || kind === 'not-received';
  const units = isSent ? unitsOnTheWay(hold) : restOf(hold);
  // Units on their way have no location.
  const placeOf = ({ sku, locationId }: Held): string => (isSent ? sku : stockKey(sku, locationId));
  const has = sumBy(units, placeOf);
  const refuse = (detail: string): Problem => refusal('hold', hold, kind, detail, { allowedFrom: hold.state === 'held' ? [] : ['held'] });
  if (hold.state !== 'held') throw refuse(`The reservation "${hold.id}" is ${hold.state}; none of its stock can be moved.`);
  for (const one of requested) {
    const held = has.get(placeOf(one)) ?? 0;
    const place = isSent ? 'on the way' : `at ${one.locationId}`;
    if (held < one.qty) throw refuse(`The reservation "${hold.id}" has ${held} × ${one.sku} ${place}, not ${one.qty}.`);
  }
}

function sumBy(units: readonly Held[], keyOf: (one: Held) => string): Map<string, number> {
  const found = new Map<string, number>();
  for (const one of units) found.set(keyOf(one), (found.get(keyOf(one)) ?? 0) + one.qty);
  return found;
}

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
    /** Whether one node must have all lines, as for a collection. */
    readonly together?: boolean;
    readonly freed?: readonly Held[];
    readonly allocated?: readonly Held[];
  },
  breathe: Breathe = inOneSlice,
): Promise<ReturnType<typeof chooseNodes>> {
  const { lines, nodes, prefer, together = false, freed = [], allocated = [] } = wanted;
  const skus = lines.map(({ sku }) => sku);
  for (const sku of skus) await requireSku(work, sku);
  const levels = await readLevels(work, skus, nodes, breathe);
  const freedAt = new Map(mergeByPlace(freed).map(({ sku, locationId, qty }) => [stockKey(sku, locationId), qty]));
  const allocatedAt = new Set(allocated.map(({ sku, locationId }) => stockKey(sku, locationId)));
  const isAllocated = (sku: string, locationId: string): boolean => allocatedAt.has(stockKey(sku, locationId));
  const inOrder = await eachBreathing(levels, breathe, ([sku, at]) => {
    const free = at.map(({ locationId, atp }) => ({ locationId, atp: atp + (freedAt.get(stockKey(sku, locationId)) ?? 0) }));
    const sorted = prefer === 'most-stock' ? sortByAtp(free) : free;
    const first = sorted.filter(({ locationId }) => isAllocated(sku, locationId));
    return [sku, [...first, ...sorted.filter(({ locationId }) => !isAllocated(sku, locationId))]] as const;
  });
  const byPriority = new Map(inOrder);
  if (!together) return chooseNodes(lines, byPriority, work.figures.splitLines);
  const [place] = nodesWithAll(lines, byPriority, nodes);
  const { held, short } = chooseNodes(lines, place === undefined ? byPriority : onlyAt(place, byPriority), false);
  // Each line is at some node, but all of them are at none.
  return place === undefined && short.length === 0 ? chooseNodes(lines, onlyAt(nodes[0], byPriority), false) : { held, short };
}

export function reserveStock(work: UnitOfWork, held: readonly Held[]): void {
  for (const { sku, locationId, qty } of held) work.move(stock, stockKey(sku, locationId), { reserved: qty });
}

/** Merges the units of each SKU and location into one entry. */
function mergeByPlace(held: readonly Held[]): Held[] {
  const merged = new Map<string, Held>();
  for (const one of held) {
    const key = stockKey(one.sku, one.locationId);
    merged.set(key, { ...one, qty: one.qty + (merged.get(key)?.qty ?? 0) });
  }
  return [...merged.values()];
}

/** The effect of each kind of movement on the units that a reservation has in stock, and on its units on the way to a store. */
const EFFECTS = {
  'give-back': { stock: -1, onTheWay: 0 },
  consume: { stock: -1, onTheWay: 0 },
  'write-off': { stock: -1, onTheWay: 0 },
  send: { stock: -1, onTheWay: 1 },
  receive: { stock: 1, onTheWay: -1 },
  'not-received': { stock: 0, onTheWay: -1 },
} as const satisfies Record<Moved['kind'], object>;

const movedUnits = ({ moved = [] }: Pick<Hold, 'moved'>, effect: 'stock' | 'onTheWay'): Held[] =>
  moved.flatMap(({ kind, allocations }) => allocations.map((one) => ({ ...one, qty: EFFECTS[kind][effect] * one.qty })));

/** The units of a reservation that are in stock: the allocations, less the units that left or were missing. */
const restOf = (hold: Pick<Hold, 'allocations' | 'moved'>): Held[] =>
  mergeByPlace([...hold.allocations, ...movedUnits(hold, 'stock')]).filter(({ qty }) => qty > 0);

const unitsOnTheWay = (hold: Pick<Hold, 'moved'>): Held[] => movedUnits(hold, 'onTheWay');

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

/** Moves units of a reservation on the counters. Unless they are given back, ATP stays the same: they are promised wherever they are. */
function moveUnits(work: UnitOfWork, hold: Hold, movement: Moved): void {
  for (const { sku, locationId, qty } of movement.allocations) {
    const key = stockKey(sku, locationId);
    const change = EFFECTS[movement.kind].stock * qty;
    // Units that are given back stay on hand, and can be promised to others.
    if (change !== 0) work.move(stock, key, { onHand: movement.kind === 'give-back' ? 0 : change, reserved: change });
    if (movement.kind !== 'give-back') work.move(unitsMoved, key, countOf(movement.kind, qty));
  }
  work.put(holds, { ...hold, moved: [...(hold.moved ?? []), movement] });
}

function countOf(kind: Exclude<Moved['kind'], 'give-back'>, qty: number) {
  switch (kind) {
    case 'consume':
      return { shipped: qty };
    case 'write-off':
      return { writtenOff: qty };
    case 'send':
      return { sent: qty };
    case 'receive':
      return { received: qty };
    case 'not-received':
      return { sent: -qty, shipped: qty };
  }
}

/** 409 that names every SKU that is short. */
export function insufficientStock(
  short: readonly Shortage[],
  { splitLines }: Pick<Figures, 'splitLines'> = { splitLines: false },
): Problem {
  const where = splitLines ? `at the best ${MOST_LOCATIONS_PER_LINE} locations` : 'at the best location';
  const named = short.map(({ sku, requested, available }) => `${sku} (${requested} requested, ${available} ${where})`).join(', ');
  return new Problem('insufficient_stock', `Not enough stock of ${named}; nothing was reserved.`, { skus: short });
}
