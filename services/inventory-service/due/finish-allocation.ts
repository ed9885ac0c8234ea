import { Problem } from '../../../shared/catalog/problems.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { holds } from '../collections.ts';
import { finishAllocation as finishAllocationWork } from '../due-work.ts';
import { isRefused, recordAtSim, setOutAgain, withdraw } from '../recording-at-sim.ts';

/** Hands the SIM the record of stock that an interrupted Allocate Inventory holds; for an order that has ended the stock goes back. */
export const finishAllocation = handleDue(finishAllocationWork)(async ({ key }, { work, call }) => {
  const hold = await work.get(holds, key);
  if (hold?.state !== 'held' || !hold.line || hold.line.recorded) return;
  const next = await setOutAgain(work, hold);
  try {
    await recordAtSim(next, { work, call });
  } catch (error) {
    if (!(error instanceof Problem) || !isRefused(error)) throw error;
    withdraw(work, next);
  }
});
