import { resetRehearsal as operation } from '../../shared/catalog/control/operations/rehearsals.ts';
import { operate } from '../operate.ts';
import { describeNewWorld } from '../rehearsals/describe.ts';

export const resetRehearsal = operate(operation)(async (_input, { rehearsal, rehearsals, worlds }) => {
  await rehearsals.reset(rehearsal);
  return describeNewWorld(rehearsal, worlds);
});
