import type { z } from 'zod';
import { moveHold as moveHoldCall, takeHold as takeHoldCall } from '../../shared/catalog/inventory/internal.ts';
import { refusal } from '../../shared/catalog/life-cycle.ts';
import { linesBySku } from '../../shared/catalog/lines-by-sku.ts';
import { notFound, Problem } from '../../shared/catalog/problems.ts';
import { type Breathe, eachBreathing, inOneSlice } from '../../shared/domain/breathe.ts';
import { handle } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { type Hold, holds, stock, stockKey, unitsMoved } from './collections.ts';
import { listNodes, readLevels, requireSku } from './levels.ts';

/** Decides once per reservation, and stores refusals too: of two equal requests, one must not reserve while the other is refused. */
export const takeHold = handle(takeHoldCall)(async ({ params: { reservationId }, body }, { work, breathe }) => {
  const known = await work.get(holds, reservationId);
  if (known?.state === 'held') return { allocations: known.allocations };
  if (known) throw known.short ? insufficientStock(known.short) : holdEnded(known);
  const freed = await findHeld(body.replaces ?? [], work);
  const nodes = await listNodes(work, body.locationId);
  const wanted = {
    lines: linesBySku(body.items, '/items'),
    nodes,
    prefer: body.prefer,
    freed: freed.flatMap(restOf),
    allocated: freed.filter(({ line }) => line).flatMap(restOf),
  };
  const { held, short } = await findStock(work, wanted, breathe);
  if (short.length > 0) {
    work.put(holds, { id: reservationId, state: 'refused', allocations: [], short });
    return insufficientStock(short);
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
  takeOut(work, hold, { reference: body.reference, kind: body.kind, allocations });
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
  const has = new Map(restOf(hold).map(({ sku, locationId, qty }) => [stockKey(sku, locationId), qty]));
  const refuse = (detail: string): Problem => refusal('hold', hold, kind, detail, { allowedFrom: hold.state === 'held' ? [] : ['held'] });
  if (hold.state !== 'held') throw refuse(`The reservation "${hold.id}" is ${hold.state}; none of its stock can be moved.`);
  for (const { sku, locationId, qty } of requested) {
    const held = has.get(stockKey(sku, locationId)) ?? 0;
    if (held < qty) throw refuse(`The reservation "${hold.id}" has ${held} × ${sku} at ${locationId}, not ${qty}.`);
  }
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
    readonly freed?: readonly Held[];
    readonly allocated?: readonly Held[];
  },
  breathe: Breathe = inOneSlice,
): Promise<ReturnType<typeof chooseNodes>> {
  const { lines, nodes, prefer, freed = [], allocated = [] } = wanted;
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
  return chooseNodes(lines, new Map(inOrder));
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

/** The allocations, less the units that left the reservation or were missing. */
function restOf({ allocations, moved = [] }: Pick<Hold, 'allocations' | 'moved'>): Held[] {
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
function takeOut(work: UnitOfWork, hold: Hold, movement: Moved): void {
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

interface Held extends Demand {
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
  const named = short
    .map(({ sku, requested, available }) => `${sku} (${requested} requested, ${available} at the best location)`)
    .join(', ');
  return new Problem('insufficient_stock', `Not enough stock of ${named}; nothing was reserved.`, { skus: short });
}
