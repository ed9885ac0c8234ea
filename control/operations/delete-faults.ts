import { deleteFaults as operation } from '../../shared/catalog/control/operations/faults.ts';
import { operate } from '../operate.ts';

export const deleteFaults = operate(operation)(async (_input, { world, worlds }) => {
  await worlds.removeFault(world);
  return null;
});
