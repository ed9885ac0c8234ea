import { listFaults as operation } from '../../../shared/catalog/simulation/operations/faults.ts';
import { describeFault } from '../faults/describe.ts';
import { operate } from '../operate.ts';

export const listFaults = operate(operation)(async (_input, { world, simulation }) => {
  const { rules } = await simulation.faults(world);
  return { items: rules.map(describeFault) };
});
