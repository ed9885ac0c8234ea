import type { Progression } from '../../../shared/catalog/control/progression.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type PickingOrder, pickingOrderIdOf, pickingOrders, type WarehouseTask, warehouseSteps, warehouseTasks } from '../collections.ts';
import { warehouseStepDue } from '../due-work.ts';

export type Step = 'started' | 'picked' | 'packed' | 'dispatched';

/** The next step of a fulfillment order. It follows from the picking order, so that the progression may change midway. */
export const nextStep = (order: Pick<PickingOrder, 'status'> | undefined): Step => {
  switch (order?.status) {
    case undefined:
    case 'open':
      return 'started';
    case 'started':
      return 'picked';
    case 'picked':
    case 'short':
      return 'packed';
    case 'packed':
      return 'dispatched';
  }
};

/** When the next step is taken, in epoch milliseconds. */
export async function momentOf(
  work: UnitOfWork,
  { allocatedAt }: Pick<WarehouseTask, 'allocatedAt'>,
  { order, mode }: { readonly order: Pick<PickingOrder, 'status'> | undefined; readonly mode: Exclude<Progression['warehouse'], 'manual'> },
): Promise<number> {
  if (mode === 'immediate') return work.now;
  const afterMs = (await work.get(warehouseSteps, nextStep(order)))?.afterMs ?? 0;
  return Math.max(work.now, Date.parse(allocatedAt) + afterMs);
}

/** Stores a task with the time of its next step, and the due work that takes it. @returns whether the time has changed */
export async function scheduleStep(
  work: UnitOfWork,
  task: Omit<WarehouseTask, 'version'>,
  { order, mode }: { readonly order: Pick<PickingOrder, 'status'> | undefined; readonly mode: Progression['warehouse'] },
): Promise<boolean> {
  const { stepAt: before, ...kept } = task;
  const stepAt = mode === 'manual' ? undefined : await momentOf(work, task, { order, mode });
  work.put(warehouseTasks, { ...kept, stepAt });
  if (stepAt !== undefined) work.schedule(warehouseStepDue, task.id, stepAt, { attempt: 0 });
  else if (before !== undefined) work.cancel(warehouseStepDue, task.id);
  return stepAt !== before;
}

/** Ends the work of the warehouse on a fulfillment order. */
export function closeTask(work: UnitOfWork, task: WarehouseTask, seen = task.seen): void {
  if (task.stepAt !== undefined) work.cancel(warehouseStepDue, task.id);
  const { stepAt: _past, ...kept } = task;
  work.put(warehouseTasks, { ...kept, seen, open: false });
}

export const pickingOrderOf = (work: UnitOfWork, fulfillmentOrderId: string): Promise<PickingOrder | undefined> =>
  work.get(pickingOrders, pickingOrderIdOf(fulfillmentOrderId));
