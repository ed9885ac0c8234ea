import { verify as operation } from '../../../shared/catalog/simulation/operations/verification.ts';
import { operate } from '../operate.ts';
import { verifyWorld } from '../verify/verify.ts';

/** Wall time for which the rehearsal may settle before it is verified. */
const SETTLE_MS = 10_000;

export const verify = operate(operation)(async (_input, { world, worlds, driver, objects, gone }) => {
  const { settled, waitingFor } = await driver.settle(world, SETTLE_MS, gone);
  const invariants = await verifyWorld(worlds, world, objects);
  return { holds: invariants.every(({ holds }) => holds), settled, waitingFor: [...waitingFor], invariants };
});
