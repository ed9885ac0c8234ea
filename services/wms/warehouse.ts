import { z } from 'zod';
import { type Progression, progressionOf } from '../../shared/catalog/control/progression.ts';
import { dispatchFulfillmentOrder, listPickingOrders as listPickingOrdersApi } from '../../shared/catalog/fulfillment/apis.ts';
import { FulfillmentOrder } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { applyWarehouseProgression as applyWarehouseProgressionCall } from '../../shared/catalog/fulfillment/internal.ts';
import { getStockLocations as getStockLocationsApi } from '../../shared/catalog/inventory/apis.ts';
import { getStock } from '../../shared/catalog/inventory/internal.ts';
import { afterOpenTimeOfOrder } from '../../shared/catalog/inventory/opening-hours.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { walkPages } from '../../shared/handlers/all-pages.ts';
import { pageOfMatches } from '../../shared/handlers/page-of-matches.ts';
import { defineDueWork } from '../../shared/work/due-work.ts';
import { type EventHandler, handle, handleDue, type Scope, unchanged } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import {
  ANYWHERE,
  modeOf,
  openAt,
  type PickingOrder,
  pickingOrderIdOf,
  pickingOrders,
  stores,
  type WarehouseTask,
  warehouseSteps,
  warehouses,
  warehouseTasks,
} from './collections.ts';
import { movePickingOrder, openPickingOrder } from './picking-orders.ts';

/** Takes the next automatic step; the key is the fulfillment order's id. `attempt` counts refused offers for dispatch. */
const warehouseStepDue = defineDueWork('warehouse-step', z.object({ attempt: z.int().min(0) }));

/** Rehearsal time between offers for dispatch while payment is not captured. The last repeats: a refunded payment may be paid again. */
const OFFER_AGAIN_MS: readonly number[] = [60_000, 300_000, 1_800_000, 7_200_000, 43_200_000];

/** Opens a task for an allocated fulfillment order; closes it when the fulfillment order has left or was cancelled. */
export const onFulfillmentOrderChanged: EventHandler = async ({ data, time, aggregateversion: seen }, { work, context }) => {
  const { id, state, locationId, collection } = FulfillmentOrder.parse(data.object);
  const task = await work.get(warehouseTasks, id);
  if (task && task.seen >= seen) return unchanged('A later state of the fulfillment order has already arrived.');
  switch (state) {
    case 'created':
      return unchanged('The warehouse picks allocated fulfillment orders.');
    case 'allocated':
      {
        const opened = {
          id,
          seen,
          open: true,
          // A change of the fulfillment order restarts nothing.
          allocatedAt: task?.allocatedAt ?? time,
          locationId,
          ...(collection?.locationId === locationId && { store: locationId }),
        };
        await scheduleStep(work, opened, { order: await pickingOrderOf(work, id), mode: modeOf(opened, progressionOf(context)) });
      }
      return undefined;
    case 'picking':
    case 'packed':
      if (!task) return unchanged('The allocation of the fulfillment order has not arrived yet.');
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

/** Open tasks, with the status of their picking orders. */
export const listPickingOrders = handle(listPickingOrdersApi)(async ({ query: { locationId, status, limit, cursor } }, { work }) => {
  const at = locationId === undefined ? ANYWHERE : openAt(locationId);
  const tasksOf = async (page: { readonly limit?: number; readonly cursor?: string }) => {
    const { items, nextCursor } = await work.find(warehouseTasks, 'open', at, page);
    return { items: await Promise.all(items.map((task) => shown(work, task))), nextCursor };
  };
  return pageOfMatches(tasksOf, (task) => status === undefined || task.status === status, { limit, cursor });
});

async function shown(work: UnitOfWork, { id, allocatedAt, locationId = '' }: WarehouseTask) {
  const order = await pickingOrderOf(work, id);
  return {
    fulfillmentOrderId: id,
    locationId,
    status: order?.status ?? ('waiting' as const),
    pickingOrderId: order?.id,
    since: allocatedAt,
  };
}

export const applyWarehouseProgression = handle(applyWarehouseProgressionCall)(async ({ body: { warehouse, store } }, { work }) => {
  let rescheduled = 0;
  for await (const { version: _counted, ...task } of walkPages((cursor) => work.find(warehouseTasks, 'open', ANYWHERE, { cursor }))) {
    const mode = task.store === undefined ? warehouse : store;
    if (mode === undefined) continue;
    if (await scheduleStep(work, task, { order: await pickingOrderOf(work, task.id), mode })) rescheduled += 1;
  }
  return { rescheduled };
});

/** Takes the next step of an automatic warehouse, as a client would by an API call. */
export const takeWarehouseStep = handleDue(warehouseStepDue)(async ({ key, payload }, scope) => {
  const { work, context } = scope;
  const task = await work.get(warehouseTasks, key);
  const mode = task ? modeOf(task, progressionOf(context)) : 'manual';
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

type Step = 'started' | 'picked' | 'packed' | 'dispatched';

/** The next step of a fulfillment order. It follows from the picking order, so that the progression may change midway. */
const nextStep = (order: Pick<PickingOrder, 'status'> | undefined): Step => (order ? stepAfter[order.status] : 'started');

const stepAfter = { open: 'started', started: 'picked', picked: 'packed', short: 'packed', packed: 'dispatched' } as const;

/** When the next step is taken, in epoch milliseconds. */
async function momentOf(
  work: UnitOfWork,
  { allocatedAt, store }: Pick<WarehouseTask, 'allocatedAt' | 'store'>,
  { order, mode }: { order: Pick<PickingOrder, 'status'> | undefined; mode: Exclude<Progression['warehouse'], 'manual'> },
): Promise<number> {
  if (mode === 'immediate') return work.now;
  if (store !== undefined) return momentAtStore(work, { store, allocatedAt, step: nextStep(order) });
  const afterMs = (await work.get(warehouseSteps, nextStep(order)))?.afterMs ?? 0;
  return Math.max(work.now, Date.parse(allocatedAt) + afterMs);
}

/** The steps of a store, as parts of the time that it needs for an order. */
const PREPARED = { started: 0.25, picked: 0.5, packed: 0.75, dispatched: 1 } as const satisfies Record<Step, number>;

/** The staff of a store works while it is open, and has the goods ready at the promised time. */
async function momentAtStore(
  work: UnitOfWork,
  { store, allocatedAt, step }: { store: string; allocatedAt: string; step: Step },
): Promise<number> {
  const hours = await work.get(stores, store);
  const after = work.figures.collection.preparationMs * PREPARED[step];
  const at = hours && afterOpenTimeOfOrder(hours, Date.parse(allocatedAt), Math.round(after));
  return Math.max(work.now, at ?? 0);
}

/** Stores a task with the time of its next step, and the due work that takes it. @returns whether the time has changed */
async function scheduleStep(
  work: UnitOfWork,
  task: Omit<WarehouseTask, 'version'>,
  { order, mode }: { order: Pick<PickingOrder, 'status'> | undefined; mode: Progression['warehouse'] },
): Promise<boolean> {
  const { stepAt: before, ...kept } = task;
  const stepAt = mode === 'manual' ? undefined : await momentOf(work, task, { order, mode });
  work.put(warehouseTasks, { ...kept, stepAt });
  if (stepAt !== undefined) work.schedule(warehouseStepDue, task.id, stepAt, { attempt: 0 });
  else if (before !== undefined) work.cancel(warehouseStepDue, task.id);
  return stepAt !== before;
}

/** Ends the work of the warehouse on a fulfillment order. */
function closeTask(work: UnitOfWork, task: WarehouseTask, seen = task.seen): void {
  if (task.stepAt !== undefined) work.cancel(warehouseStepDue, task.id);
  const { stepAt: _past, ...kept } = task;
  work.put(warehouseTasks, { ...kept, seen, open: false });
}

const pickingOrderOf = (work: UnitOfWork, fulfillmentOrderId: string): Promise<PickingOrder | undefined> =>
  work.get(pickingOrders, pickingOrderIdOf(fulfillmentOrderId));

/** The Inventory Service counts the stock; the WMS stores which locations are warehouses. */
export const getStockLocations = handle(getStockLocationsApi)(async ({ params }, { work, call }) => {
  const { items } = await work.all(warehouses);
  const ours = new Set(items.map(({ id }) => id));
  const { sku, locations } = await call(getStock, { params });
  return { sku, locations: locations.filter(({ locationId, onHand }) => ours.has(locationId) && onHand > 0) };
});
