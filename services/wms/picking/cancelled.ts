import { fulfillmentOrderLifeCycle } from '../../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { allowedFrom, refusal } from '../../../shared/catalog/life-cycle.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { warehouseTasks } from '../collections.ts';

/** Refuses to pick a cancelled fulfillment order, even if it has a picking order. @throws Problem `invalid_state_transition` */
export async function refuseCancelled(work: UnitOfWork, fulfillmentOrderId: string): Promise<void> {
  const task = await work.get(warehouseTasks, fulfillmentOrderId);
  if (!task?.cancelled) return;
  throw refusal(
    'fulfillment-order',
    { id: fulfillmentOrderId, state: 'cancelled' },
    'start-picking',
    `The fulfillment order "${fulfillmentOrderId}" is cancelled: its goods go back.`,
    { allowedFrom: allowedFrom(fulfillmentOrderLifeCycle, 'start-picking') },
  );
}
