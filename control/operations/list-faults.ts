import { listFaults as operation } from '../../shared/catalog/control/operations/faults.ts';
import { describeFault } from '../faults/describe.ts';
import { operate } from '../operate.ts';

export const listFaults = operate(operation)(async (_input, { world, control }) => {
  const { rules } = await control.faults(world);
  return { items: rules.map(describeFault) };
});
