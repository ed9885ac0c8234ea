import { applyReturnsProgression as applyReturnsProgressionCall } from '../../../shared/catalog/fulfillment/internal.ts';
import { handle } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type ReturnTask, returns, returnTasks } from '../returns/collections.ts';
import { planStep } from '../returns/return-clock.ts';

export const applyReturnsProgression = handle(applyReturnsProgressionCall)(async ({ body: { returns: mode } }, { work }) => {
  let rescheduled = 0;
  for await (const { id, since } of openTasks(work)) {
    const found = await work.get(returns, id);
    if (found && (await planStep(work, found, { mode, since }))) rescheduled += 1;
  }
  return { rescheduled };
});

async function* openTasks(work: UnitOfWork): AsyncGenerator<ReturnTask> {
  let cursor: string | undefined;
  do {
    const page = await work.find(returnTasks, 'open', 'yes', { cursor });
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}
