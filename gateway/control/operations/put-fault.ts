import { putFault as operation } from '../../../shared/catalog/simulation/operations/faults.ts';
import { checkFault } from '../faults/check.ts';
import { describeFault } from '../faults/describe.ts';
import { operate } from '../operate.ts';

export const putFault = operate(operation)(async ({ params: { name }, body }, { world, worlds }) => {
  checkFault(name, body);
  const json = JSON.stringify(body);
  await worlds.setFault(world, name, json);
  return describeFault({ name, json, hits: 0 });
});
