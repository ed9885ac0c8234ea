import { takeHold as takeHoldCall } from '../../../shared/catalog/inventory/internal.ts';
import { refusal } from '../../../shared/catalog/life-cycle.ts';
import type { Problem } from '../../../shared/catalog/problems.ts';
import { handle } from '../../../shared/work/handler.ts';
import { linesBySku } from '../../../shared/work/lines-by-sku.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Hold, holds } from '../collections.ts';
import { findStock, giveBack, insufficientStock, reserveStock, restOf } from '../holds.ts';
import { listNodes } from '../stock-levels.ts';

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
