import type { Application } from '../../shared/catalog/applications.ts';
import * as declared from '../../shared/catalog/control/operations/progression.ts';
import { progressionOf } from '../../shared/catalog/control/progression.ts';
import { applyCarrierProgression, applyReturnsProgression, applyWarehouseProgression } from '../../shared/catalog/fulfillment/internal.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { operate } from '../operate.ts';
import { swappedIn } from '../swaps/swaps.ts';

export const readProgression = operate(declared.readProgression)(async (_input, { view }) => progressionOf(view));

/** The estate does not control the pace of a real system. @throws Problem swapped */
function refuseSwapped(swapped: readonly string[], application: Application): void {
  if (!swapped.includes(application)) return;
  const detail = `The real ${application} replaces ours, and its steps have no mode: leave the member out.`;
  throw new Problem('swapped', detail, { application });
}

/** Applications receive an unchanged mode, too: an earlier request may have failed before it reached them. */
export const setProgression = operate(declared.setProgression)(
  async ({ body }, { world, view, correlationId, worlds, callFromOutside }) => {
    const { carrier, warehouse, store, returns } = body;
    const pick = warehouse !== undefined || store !== undefined;
    const swapped = carrier === undefined && !pick ? [] : await swappedIn(worlds, world);
    if (carrier !== undefined) refuseSwapped(swapped, applyCarrierProgression.application);
    if (pick) refuseSwapped(swapped, applyWarehouseProgression.application);
    const progression = await worlds.setProgression(world, body);
    const changed = { view: { ...view, progression }, correlationId };
    if (carrier !== undefined) await callFromOutside(changed, applyCarrierProgression, { body: { carrier } });
    if (pick) await callFromOutside(changed, applyWarehouseProgression, { body: { warehouse, store } });
    if (returns !== undefined) await callFromOutside(changed, applyReturnsProgression, { body: { returns } });
    return progression;
  },
);
