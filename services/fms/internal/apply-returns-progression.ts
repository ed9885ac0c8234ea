import { applyReturnsProgression as applyReturnsProgressionCall } from '../../../shared/catalog/fulfillment/internal.ts';
import { walkPages } from '../../../shared/work/all-pages.ts';
import { handle } from '../../../shared/work/handler.ts';
import { returns, returnTasks } from '../returns/collections.ts';
import { planStep } from '../returns/return-clock.ts';

export const applyReturnsProgression = handle(applyReturnsProgressionCall)(async ({ body: { returns: mode } }, { work }) => {
  let rescheduled = 0;
  for await (const { id, since } of walkPages((cursor) => work.find(returnTasks, 'open', 'yes', { cursor }))) {
    const found = await work.get(returns, id);
    if (found && (await planStep(work, found, { mode, since }))) rescheduled += 1;
  }
  return { rescheduled };
});
