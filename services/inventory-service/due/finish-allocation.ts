import { Problem } from '../../../shared/catalog/problems.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { holds } from '../collections.ts';
import { finishAllocationDue } from '../due-work.ts';
import { isFinalRefusal, recordAtSim, repeatRecording, withdraw } from '../recording-at-sim.ts';

/** Finishes an interrupted Allocate Inventory. For an order that has ended, the stock is released. */
export const finishAllocation = handleDue(finishAllocationDue)(async ({ key }, { work, call }) => {
  const hold = await work.get(holds, key);
  if (hold?.state !== 'held' || !hold.line || hold.line.recorded) return;
  const next = await repeatRecording(work, hold);
  try {
    await recordAtSim(next, { work, call });
  } catch (error) {
    if (!(error instanceof Problem) || !isFinalRefusal(error)) throw error;
    withdraw(work, next);
  }
});
