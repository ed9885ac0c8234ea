import { progressionOf } from '../../../shared/catalog/control/progression.ts';
import { dispatchFulfillmentOrder } from '../../../shared/catalog/fulfillment/apis.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { handleDue, type Scope } from '../../../shared/work/handler.ts';
import { type PickingOrder, type WarehouseTask, warehouseTasks } from '../collections.ts';
import { warehouseStepDue } from '../due-work.ts';
import { movePickingOrder } from '../picking/move-picking-order.ts';
import { openPickingOrder } from '../picking/open-picking-order.ts';
import { OFFER_AGAIN_MS } from '../timing.ts';
import { closeTask, momentOf, nextStep, pickingOrderOf, scheduleStep } from '../warehouse/warehouse-clock.ts';

/** Takes the next step of an automatic warehouse, as a client would by an API call. */
export const takeWarehouseStep = handleDue(warehouseStepDue)(async ({ key, payload }, scope) => {
  const { work, context } = scope;
  const mode = progressionOf(context).warehouse;
  const task = await work.get(warehouseTasks, key);
  if (!task?.open || mode === 'manual') return;
  const order = await pickingOrderOf(work, key);
  // A caller took the planned step. The next step has its own time.
  if ((await momentOf(work, task, { order, mode })) > work.now) {
    await scheduleStep(work, task, { order, mode });
    return;
  }
  if (nextStep(order) === 'dispatched') return dispatch(task, payload.attempt, scope);
  const moved = await movePicking(key, order, scope);
  if (moved instanceof Problem) return stopAt(moved, task, scope);
  await scheduleStep(work, task, { order: moved, mode });
});

/** Opens a new picking order and starts it in one step, because the warehouse does nothing in between. */
async function movePicking(id: string, order: PickingOrder | undefined, scope: Scope): Promise<PickingOrder | Problem> {
  const opened = order ?? (await openPickingOrder(id, scope));
  if (opened instanceof Problem) return opened;
  const step = nextStep(opened);
  return step === 'dispatched' ? opened : movePickingOrder(opened, { status: step }, scope);
}

async function dispatch(task: WarehouseTask, attempt: number, { work, call, log }: Scope): Promise<void> {
  try {
    await call(dispatchFulfillmentOrder, { params: { id: task.id }, body: {} });
    closeTask(work, task);
  } catch (error) {
    if (!(error instanceof Problem) || error.retryable) throw error;
    const again = error.code === 'payment_incomplete' ? (OFFER_AGAIN_MS[attempt] ?? OFFER_AGAIN_MS.at(-1)) : undefined;
    if (again === undefined) return stopAt(error, task, { work, log });
    log.warn({ fulfillmentOrderId: task.id, code: error.code }, 'dispatch refused until its payment is captured');
    work.schedule(warehouseStepDue, task.id, work.now + again, { attempt: attempt + 1 });
  }
}

/**
 * Stops after a final refusal of the FMS: the order was cancelled, or another picking order works on it. The task stays open until an
 * event ends it, so that a change of the progression resumes it.
 */
function stopAt(problem: Problem, task: WarehouseTask, { work, log }: Pick<Scope, 'work' | 'log'>): void {
  if (problem.retryable) throw problem;
  log.warn({ fulfillmentOrderId: task.id, code: problem.code }, `warehouse step refused: ${problem.message}`);
  const { stepAt: _past, version: _counted, ...kept } = task;
  work.put(warehouseTasks, kept);
}
