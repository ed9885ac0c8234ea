import { deleteFault as operation } from '../../shared/catalog/control/operations/faults.ts';
import { notFound } from '../../shared/catalog/problems.ts';
import { operate } from '../operate.ts';

export const deleteFault = operate(operation)(async ({ params }, { world, worlds }) => {
  if (!(await worlds.removeFault(world, params.name))) throw notFound('fault', params.name);
  return null;
});
