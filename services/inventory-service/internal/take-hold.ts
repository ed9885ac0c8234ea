import { takeHold as takeHoldCall } from '../../../shared/catalog/inventory/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { handle } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Hold, holds } from '../collections.ts';
import { findStock, giveBack, reserveStock, restOf } from '../holds.ts';
import { insufficientStock, mergedBySku } from '../node-choice.ts';
import { nodesToTry } from '../stock-levels.ts';

/**
 * Decides once per reservation. A refusal is kept as well: several may ask for the same hold, and all must learn the same, or one
 * would record nothing while another holds stock.
 */
export const takeHold = handle(takeHoldCall)(async ({ params: { reservationId }, body }, { work }) => {
  const known = await work.get(holds, reservationId);
  if (known?.state === 'held') return { allocations: known.allocations };
  if (known) throw known.short ? insufficientStock(known.short) : tooLate(known);
  const freed = await withheldBy(body.replaces ?? [], work);
  const nodes = await nodesToTry(work, body.locationId);
  const { held, short } = await findStock(work, {
    lines: mergedBySku(body.items),
    nodes,
    prefer: body.prefer,
    freed: freed.flatMap(restOf),
  });
  if (short.length > 0) {
    work.put(holds, { id: reservationId, state: 'refused', allocations: [], short });
    return insufficientStock(short);
  }
  // Back and taken in one commit: whoever reserves again may need the very unit that he holds, and keeps it when the rest is short.
  for (const one of freed) giveBack(work, one, { state: 'released', reference: `replaced by ${reservationId}` });
  reserveStock(work, held);
  work.put(holds, { id: reservationId, state: 'held', allocations: held });
  return { allocations: held };
});

async function withheldBy(ids: readonly string[], work: UnitOfWork): Promise<Hold[]> {
  const found: Hold[] = [];
  for (const id of ids) {
    const hold = await work.get(holds, id);
    if (hold?.state === 'held') found.push(hold);
  }
  return found;
}

/** The SIM has given this reservation up: taking stock now would hold it for nobody. */
const tooLate = ({ id, state }: Hold): Problem =>
  new Problem('invalid_state_transition', `The hold "${id}" has ended; it cannot be taken any more.`, {
    objectType: 'hold',
    id,
    currentState: state,
    action: 'take',
    allowedFrom: [],
  });
