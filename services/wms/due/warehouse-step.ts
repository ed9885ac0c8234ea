import { dispatchFulfillmentOrder } from '../../../shared/catalog/fulfillment/apis.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { progressionOf } from '../../../shared/catalog/simulation/progression.ts';
import { handleDue, type Scope } from '../../../shared/work/handler.ts';
import { type PickingOrder, type WarehouseTask, warehouseTasks } from '../collections.ts';
import { warehouseStepDue } from '../due-work.ts';
import { movePickingOrder, openPickingOrder } from '../picking/picking.ts';
import { OFFER_AGAIN_MS } from '../timing.ts';
import { closeTask, nextStep, pickingOrderOf, scheduleStep } from '../warehouse/warehouse-clock.ts';

/** A warehouse that works by itself takes the next step with a fulfillment order: what a person would do by an API call. */
export const warehouseStep = handleDue(warehouseStepDue)(async ({ key, payload }, scope) => {
  const { work, context } = scope;
  const mode = progressionOf(context).warehouse;
  const task = await work.get(warehouseTasks, key);
  if (!task?.open || mode === 'manual') return;
  const order = await pickingOrderOf(work, key);
  if (nextStep(order) === 'dispatched') return handOver(task, payload.attempt, scope);
  const moved = await take(key, order, scope);
  if (moved instanceof Problem) return stopAt(moved, task, scope);
  await scheduleStep(work, task, { order: moved, mode });
});

/** A new picking order is begun and started in one go: in between lies nothing that a warehouse does. */
async function take(id: string, order: PickingOrder | undefined, scope: Scope): Promise<PickingOrder | Problem> {
  const opened = order ?? (await openPickingOrder(id, scope));
  if (opened instanceof Problem) return opened;
  const step = nextStep(opened);
  return step === 'dispatched' ? opened : movePickingOrder(opened, { status: step }, scope);
}

async function handOver(task: WarehouseTask, attempt: number, { work, call, log }: Scope): Promise<void> {
  try {
    await call(dispatchFulfillmentOrder, { params: { id: task.id }, body: {} });
    closeTask(work, task);
  } catch (error) {
    if (!(error instanceof Problem) || error.retryable) throw error;
    const again = error.code === 'payment_incomplete' ? (OFFER_AGAIN_MS[attempt] ?? OFFER_AGAIN_MS.at(-1)) : undefined;
    if (again === undefined) return stopAt(error, task, { work, log });
    log.warn({ fulfillmentOrderId: task.id, code: error.code }, 'not dispatched yet');
    work.schedule(warehouseStepDue, task.id, work.now + again, { attempt: attempt + 1 });
  }
}

/**
 * What the FMS refuses for good is nothing to repeat: the order was cancelled, or somebody else works on it. It stays on the list of
 * open ones until an event says that it ended, so that another progression takes it up again.
 */
function stopAt(problem: Problem, task: WarehouseTask, { work, log }: Pick<Scope, 'work' | 'log'>): void {
  if (problem.retryable) throw problem;
  log.warn({ fulfillmentOrderId: task.id, code: problem.code }, `the warehouse stops here: ${problem.message}`);
  const { stepAt: _taken, version: _counted, ...kept } = task;
  work.put(warehouseTasks, kept);
}
