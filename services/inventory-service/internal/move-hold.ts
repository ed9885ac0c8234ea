import { moveHold as moveHoldCall } from '../../../shared/catalog/inventory/internal.ts';
import { handle } from '../../../shared/contract/handler.ts';
import { holds } from '../collections.ts';
import { giveBack } from '../holds.ts';

export const moveHold = handle(moveHoldCall)(async ({ params: { reservationId }, body: { reference } }, { work }) => {
  const hold = await work.get(holds, reservationId);
  if (!hold) {
    // Never taken: from now on it cannot be, so that a call that is still on its way comes too late.
    work.put(holds, { id: reservationId, state: 'released', allocations: [], reference });
    return { allocations: [] };
  }
  if (hold.state === 'held') giveBack(work, hold, { state: 'released', reference });
  return { allocations: hold.allocations };
});
