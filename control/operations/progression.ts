import * as declared from '../../shared/catalog/control/operations/progression.ts';
import { progressionOf } from '../../shared/catalog/control/progression.ts';
import { applyCarrierProgression, applyReturnsProgression, applyWarehouseProgression } from '../../shared/catalog/fulfillment/internal.ts';
import { operate } from '../operate.ts';

export const readProgression = operate(declared.readProgression)(async (_input, { view }) => progressionOf(view));

/** Applications receive an unchanged mode, too: an earlier request may have failed before it reached them. */
export const setProgression = operate(declared.setProgression)(
  async ({ body }, { world, view, correlationId, worlds, callFromOutside }) => {
    const progression = await worlds.setProgression(world, body);
    const changed = { view: { ...view, progression }, correlationId };
    const { carrier, warehouse, returns } = body;
    if (carrier !== undefined) await callFromOutside(changed, applyCarrierProgression, { body: { carrier } });
    if (warehouse !== undefined) await callFromOutside(changed, applyWarehouseProgression, { body: { warehouse } });
    if (returns !== undefined) await callFromOutside(changed, applyReturnsProgression, { body: { returns } });
    return progression;
  },
);
