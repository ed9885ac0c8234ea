import {
  applyCarrierProgression,
  applyReturnsProgression,
  applyWarehouseProgression,
} from '../../../shared/catalog/fulfillment/internal.ts';
import { setProgression as operation } from '../../../shared/catalog/simulation/operations/progression.ts';
import { Progression, progressionOf } from '../../../shared/catalog/simulation/progression.ts';
import { operate } from '../operate.ts';

export const setProgression = operate(operation)(async ({ body }, { world, view, correlationId, worlds, callFromOutside }) => {
  const before = progressionOf(view);
  const after = Progression.parse({ ...before, ...body });
  await worlds.setProgression(world, after);
  const changed = { view: { ...view, progression: after }, correlationId };
  const { carrier, warehouse, returns } = after;
  if (carrier !== before.carrier) await callFromOutside(changed, applyCarrierProgression, { body: { carrier } });
  if (warehouse !== before.warehouse) await callFromOutside(changed, applyWarehouseProgression, { body: { warehouse } });
  if (returns !== before.returns) await callFromOutside(changed, applyReturnsProgression, { body: { returns } });
  return after;
});
