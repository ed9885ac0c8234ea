import { applyWarehouseProgression as applyWarehouseProgressionCall } from '../../../shared/catalog/fulfillment/internal.ts';
import { walkPages } from '../../../shared/work/all-pages.ts';
import { handle } from '../../../shared/work/handler.ts';
import { warehouseTasks } from '../collections.ts';
import { pickingOrderOf, scheduleStep } from '../warehouse/warehouse-clock.ts';

export const applyWarehouseProgression = handle(applyWarehouseProgressionCall)(async ({ body: { warehouse: mode } }, { work }) => {
  let rescheduled = 0;
  for await (const { version: _counted, ...task } of walkPages((cursor) => work.find(warehouseTasks, 'open', 'yes', { cursor }))) {
    if (await scheduleStep(work, task, { order: await pickingOrderOf(work, task.id), mode })) rescheduled += 1;
  }
  return { rescheduled };
});
