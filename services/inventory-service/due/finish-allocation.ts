import type { DueHandler } from '../../../shared/contract/handler.ts';
import { holds } from '../collections.ts';
import { recordAtSim, setOutAgain } from '../recording.ts';

/** Hands the SIM the record of stock that an interrupted Allocate Inventory holds. */
export const finishAllocation: DueHandler = async ({ key }, { work, call }) => {
  const hold = await work.get(holds, key);
  if (hold?.state !== 'held' || !hold.line || hold.line.recorded) return;
  await recordAtSim(await setOutAgain(work, hold), { work, call });
};
