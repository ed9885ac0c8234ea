import { fulfillmentOrderLifeCycle } from '../../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { allowedFrom } from '../../../shared/catalog/life-cycle.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { warehouseTasks } from '../collections.ts';

/** Nobody is sent to pick what was cancelled, though a picking order exists. @throws Problem `invalid_state_transition` */
export async function refuseCancelled(work: UnitOfWork, fulfillmentOrderId: string): Promise<void> {
  const task = await work.get(warehouseTasks, fulfillmentOrderId);
  if (!task?.cancelled) return;
  throw new Problem('invalid_state_transition', `The fulfillment order "${fulfillmentOrderId}" is cancelled: its goods go back.`, {
    objectType: 'fulfillment-order',
    id: fulfillmentOrderId,
    currentState: 'cancelled',
    action: 'start-picking',
    allowedFrom: allowedFrom(fulfillmentOrderLifeCycle, 'start-picking'),
  });
}
