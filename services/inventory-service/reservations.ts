import type { z } from 'zod';
import { moveHold as moveHoldCall, takeHold as takeHoldCall } from '../../shared/catalog/inventory/internal.ts';
import { refusal } from '../../shared/catalog/life-cycle.ts';
import { notFound, type Problem } from '../../shared/catalog/problems.ts';
import { handle } from '../../shared/work/handler.ts';
import { linesBySku } from '../../shared/work/lines-by-sku.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { type Hold, holds, stockKey } from './collections.ts';
import { findStock, giveBack, type Held, insufficientStock, mergeByPlace, reserveStock, restOf, takeOut } from './reserved-stock.ts';
import { listNodes } from './stock.ts';

/**
 * Decides once per reservation, and stores refusals too. Otherwise one of two requests could get a refusal while the other one reserves
 * stock.
 */
export const takeHold = handle(takeHoldCall)(async ({ params: { reservationId }, body }, { work }) => {
  const known = await work.get(holds, reservationId);
  if (known?.state === 'held') return { allocations: known.allocations };
  if (known) throw known.short ? insufficientStock(known.short) : holdEnded(known);
  const freed = await findHeld(body.replaces ?? [], work);
  const nodes = await listNodes(work, body.locationId);
  const { held, short } = await findStock(work, {
    lines: linesBySku(body.items, '/items'),
    nodes,
    prefer: body.prefer,
    freed: freed.flatMap(restOf),
    allocated: freed.filter(({ line }) => line).flatMap(restOf),
  });
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

/** 409: the SIM has given this reservation up, so no reservation would ever release the stock. */
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
  { reservationId, hold, reference }: { readonly reservationId: string; readonly hold: Hold | undefined; readonly reference: string },
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
