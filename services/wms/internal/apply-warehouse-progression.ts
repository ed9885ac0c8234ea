import { applyWarehouseProgression as applyWarehouseProgressionCall } from '../../../shared/catalog/fulfillment/internal.ts';
import { handle } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type WarehouseTask, warehouseTasks } from '../collections.ts';
import { pickingOrderOf, scheduleStep } from '../warehouse/warehouse-clock.ts';

export const applyWarehouseProgression = handle(applyWarehouseProgressionCall)(async ({ body: { warehouse: mode } }, { work }) => {
  let rescheduled = 0;
  for await (const { version: _counted, ...task } of openTasks(work)) {
    if (await scheduleStep(work, task, { order: await pickingOrderOf(work, task.id), mode })) rescheduled += 1;
  }
  return { rescheduled };
});

async function* openTasks(work: UnitOfWork): AsyncGenerator<WarehouseTask> {
  let cursor: string | undefined;
  do {
    const page = await work.find(warehouseTasks, 'open', 'yes', { cursor });
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}
