import * as declared from '../../shared/catalog/control/operations/verification.ts';
import { operate } from '../operate.ts';
import { requireCurrent } from '../rehearsals/current.ts';
import { swappedIn } from '../swaps/swaps.ts';

/** Wall time limit for settling before the verification. */
const SETTLE_MS = 10_000;

export const verify = operate(declared.verify)(async (_input, { world, worlds, driver, verified, gone }) => {
  const { settled, waitingFor } = await driver.settle(world, SETTLE_MS, gone);
  const invariants = await verified(world, gone);
  const complete = (await swappedIn(worlds, world)).length === 0;
  await requireCurrent(worlds, world);
  return { holds: invariants.every(({ holds }) => holds), settled, waitingFor: [...waitingFor], complete, invariants };
});
