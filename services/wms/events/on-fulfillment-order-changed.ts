import { progressionOf } from '../../../shared/catalog/control/progression.ts';
import { FulfillmentOrder } from '../../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { type EventHandler, unchanged } from '../../../shared/work/handler.ts';
import { warehouseTasks } from '../collections.ts';
import { closeTask, pickingOrderOf, scheduleStep } from '../warehouse/warehouse-clock.ts';

/** Opens a task for an allocated fulfillment order; closes it when the fulfillment order has left or was cancelled. */
export const onFulfillmentOrderChanged: EventHandler = async ({ data, time, aggregateversion: seen }, { work, context }) => {
  const { id, state } = FulfillmentOrder.parse(data.object);
  const task = await work.get(warehouseTasks, id);
  if (task && task.seen >= seen) return unchanged('A later state of the fulfillment order arrived before.');
  switch (state) {
    case 'created':
      return unchanged('The warehouse picks allocated fulfillment orders.');
    case 'allocated':
      await scheduleStep(
        work,
        { id, seen, open: true, allocatedAt: time },
        { order: await pickingOrderOf(work, id), mode: progressionOf(context).warehouse },
      );
      return undefined;
    case 'picking':
    case 'packed':
      if (!task) return unchanged('The allocation of the fulfillment order is not known yet.');
      work.put(warehouseTasks, { ...task, seen });
      return undefined;
    case 'dispatched':
    case 'delivered':
    case 'failed-delivery':
    case 'returned-to-sender':
    case 'cancelled': {
      const closing = task ?? { id, version: 0, seen, open: false, allocatedAt: time };
      closeTask(work, { ...closing, ...(state === 'cancelled' && { cancelled: true }) }, seen);
      return undefined;
    }
  }
};
