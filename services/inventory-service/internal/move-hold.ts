import type { z } from 'zod';
import { moveHold as moveHoldCall } from '../../../shared/catalog/inventory/internal.ts';
import { refusal } from '../../../shared/catalog/life-cycle.ts';
import { notFound, type Problem } from '../../../shared/catalog/problems.ts';
import { handle } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Hold, holds, stockKey } from '../collections.ts';
import { giveBack, type Held, mergeByPlace, restOf, takeOut } from '../holds.ts';

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
