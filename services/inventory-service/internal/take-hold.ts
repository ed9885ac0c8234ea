import { takeHold as takeHoldCall } from '../../../shared/catalog/inventory/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { handle } from '../../../shared/contract/handler.ts';
import { holds } from '../collections.ts';
import { giveBack, reserveStock } from '../holds.ts';
import { mergedBySku } from '../node-choice.ts';
import { nodesToTry } from '../stock-levels.ts';

export const takeHold = handle(takeHoldCall)(async ({ params: { reservationId }, body }, { work }) => {
  const known = await work.get(holds, reservationId);
  if (known?.state === 'held') return { allocations: known.allocations };
  if (known) {
    // A late call after the SIM gave this reservation up: taking stock now would hold it for nobody.
    throw new Problem('invalid_state_transition', `The hold "${reservationId}" has ended; it cannot be taken any more.`, {
      objectType: 'hold',
      id: reservationId,
      currentState: known.state,
      action: 'take',
      allowedFrom: [],
    });
  }
  // First back, then taken, in one commit: whoever reserves again may need the very unit that he holds, and keeps it if the rest is short.
  const replaced = body.replaces === undefined ? undefined : await work.get(holds, body.replaces);
  if (replaced?.state === 'held') giveBack(work, replaced, { state: 'released', reference: `replaced by ${reservationId}` });
  const nodes = await nodesToTry(work, body.locationId);
  const allocations = [...(await reserveStock(work, mergedBySku(body.items), nodes))];
  work.put(holds, { id: reservationId, state: 'held', allocations });
  return { allocations };
});
