import { z } from 'zod';
import { progressionOf } from '../../shared/catalog/control/progression.ts';
import type { InputOf } from '../../shared/catalog/define.ts';
import {
  createPickingOrder as createPickingOrderApi,
  updatePickingStatus as updatePickingStatusApi,
} from '../../shared/catalog/fulfillment/apis.ts';
import { type FulfillmentOrder, fulfillmentOrderLifeCycle } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { recordPicking } from '../../shared/catalog/fulfillment/internal.ts';
import { pickingMoves } from '../../shared/catalog/fulfillment/picking-orders.ts';
import { allowedFrom, refusal } from '../../shared/catalog/life-cycle.ts';
import { conflictingRepeat, invalid, isUnknownOutcome, Problem } from '../../shared/catalog/problems.ts';
import { Id } from '../../shared/catalog/shapes.ts';
import { instant } from '../../shared/domain/time.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { defineDueWork } from '../../shared/work/due-work.ts';
import { again, handle, handleDue, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import {
  type IntendedMove,
  intendedMoves,
  modeOf,
  type PickedLines,
  type PickingOrder,
  type PickingStatus,
  pickingOrderIdOf,
  pickingOrders,
  warehouseTasks,
} from './collections.ts';

/** Finishes the opening of a picking order that a request began; the key is the picking order's id. */
const finishOpeningDue = defineDueWork('finish-opening', z.object({ fulfillmentOrderId: Id }));

/** Finishes the move of a picking order that a request began; the key is the picking order's id. */
const finishMoveDue = defineDueWork('finish-move');

/** Rehearsal time after which due work takes over a request: longer than a request may take. */
const TAKE_OVER_MS = 30_000;

export const createPickingOrder = handle(createPickingOrderApi)(async ({ body: { fulfillmentOrderId } }, scope) => {
  const existing = await scope.work.findUnique(pickingOrders, 'fulfillmentOrder', fulfillmentOrderId);
  if (!existing) return openPickingOrder(fulfillmentOrderId, scope);
  await refuseCancelled(scope.work, fulfillmentOrderId);
  return again(existing);
});

/**
 * Opens a picking order. The FMS comes first: it has the lines, and decides whether the fulfillment order may still be picked. Due work
 * finishes an interrupted request.
 * @returns the picking order, or the refusal of the FMS
 */
export async function openPickingOrder(fulfillmentOrderId: string, scope: PickingScope): Promise<PickingOrder | Problem> {
  const { work } = scope;
  const id = pickingOrderIdOf(fulfillmentOrderId);
  work.schedule(finishOpeningDue, id, work.now + TAKE_OVER_MS, { fulfillmentOrderId });
  await work.checkpoint();
  return carryOutOpening(fulfillmentOrderId, scope);
}

/** Carries out an intended opening: reports it to the FMS, and stores the picking order unless the FMS refuses. */
async function carryOutOpening(fulfillmentOrderId: string, scope: PickingScope): Promise<PickingOrder | Problem> {
  const { work } = scope;
  const id = pickingOrderIdOf(fulfillmentOrderId);
  const answered = await reportToFms(scope, { id, fulfillmentOrderId }, { status: 'open' });
  work.cancel(finishOpeningDue, id);
  if (answered instanceof Problem) return answered;
  const at = instant(work.now);
  return work.put(pickingOrders, {
    id,
    fulfillmentOrderId,
    status: 'open',
    lines: answered.lines.map(({ orderLineId, sku, qty }) => ({ orderLineId, sku, qty, pickedQty: 0 })),
    createdAt: at,
    updatedAt: at,
  });
}

/** The FMS may have a picking order that is not stored here, so it is reported again. */
export const finishOpening = handleDue(finishOpeningDue)(async ({ key, payload: { fulfillmentOrderId } }, scope) => {
  if (await scope.work.get(pickingOrders, key)) return;
  const opened = await carryOutOpening(fulfillmentOrderId, scope);
  if (opened instanceof Problem && opened.retryable) throw opened;
});

export const updatePickingStatus = handle(updatePickingStatusApi)(async ({ params: { id }, body }, scope) => {
  const order = await requireObject(scope.work, pickingOrders, id, 'picking-order');
  const isRepeat = order.status === body.status;
  if (!isRepeat || !foundNothing(order)) await refuseCancelled(scope.work, order.fulfillmentOrderId);
  if (!isRepeat) return movePickingOrder(order, body, scope);
  refuseOtherPicking(order, body);
  return again(order);
});

/** Whether the picking ended its fulfillment order, which is cancelled when no unit is found. */
const foundNothing = ({ status, lines }: PickingOrder): boolean => status === 'short' && lines.every(({ pickedQty }) => pickedQty === 0);

/**
 * Moves a picking order: the intent is committed, then reported to the FMS, then the new status is stored. A request that finds the same
 * intent continues it.
 * @returns the picking order, or the refusal of the FMS
 * @throws Problem for an impossible status, for a status while another one is intended, or when the outcome at the FMS is unknown
 */
export async function movePickingOrder(order: PickingOrder, report: PickedReport, scope: PickingScope): Promise<PickingOrder | Problem> {
  const { work } = scope;
  const intended = (await work.get(intendedMoves, order.id))?.move;
  const isOther = intended && (intended.status !== report.status || !isSamePicking(pickedLines(order, report), intended.lines));
  if (isOther) throw moveInProgress(order, intended, report.status);
  return carryOutMove(order, intended ?? (await intend(order, report, scope)), scope);
}

async function intend(order: PickingOrder, { status, lines }: PickedReport, { work, context }: PickingScope): Promise<IntendedMove> {
  if (!moves[order.status].includes(status)) throw await refusedMove(order, status, { work, context });
  const picked = pickedLines(order, { status, lines });
  const move = { status, since: instant(work.now), lines: picked };
  work.put(intendedMoves, { id: order.id, move });
  work.schedule(finishMoveDue, order.id, work.now + TAKE_OVER_MS, {});
  await work.checkpoint();
  return move;
}

/** Carries out an intended move: reports it to the FMS, and stores the new status unless the FMS refuses. */
async function carryOutMove(order: PickingOrder, move: IntendedMove, scope: PickingScope): Promise<PickingOrder | Problem> {
  const { work } = scope;
  const answered = await reportToFms(scope, order, move);
  work.put(intendedMoves, { id: order.id });
  work.cancel(finishMoveDue, order.id);
  if (answered instanceof Problem) return answered;
  const { version: _counted, ...before } = order;
  const picked = new Map(move.lines?.map(({ orderLineId, pickedQty }) => [orderLineId, pickedQty]));
  return work.put(pickingOrders, {
    ...before,
    status: move.status,
    lines: order.lines.map((line) => ({ ...line, pickedQty: picked.get(line.orderLineId) ?? line.pickedQty })),
    updatedAt: instant(work.now),
  });
}

/** 409 with `retryable: true`: of two concurrent statuses, the one that began first wins. */
function moveInProgress(order: PickingOrder, { status, since }: IntendedMove, asked: PickingStatus): Problem {
  const detail = `The picking order "${order.id}" has been changing to ${status} since ${since}; repeat the request after that.`;
  const about = { allowedFrom: statusesBefore(asked), retryable: true, retryAfter: 1 } as const;
  return refusal('picking-order', { id: order.id, state: order.status }, asked, detail, about);
}

type PickedReport = InputOf<typeof updatePickingStatusApi>['body'];
type PickingScope = Pick<Scope, 'work' | 'call' | 'context'>;

/**
 * Reports a status to the FMS before it is stored here.
 * @returns the fulfillment order, or the refusal of the FMS, which then has not moved it
 * @throws Problem when the outcome is unknown: the intent stays, for a repeat or the due work
 */
async function reportToFms(
  { call }: PickingScope,
  { id, fulfillmentOrderId }: Pick<PickingOrder, 'id' | 'fulfillmentOrderId'>,
  { status, lines }: Pick<IntendedMove, 'status' | 'lines'>,
): Promise<z.output<typeof FulfillmentOrder> | Problem> {
  try {
    return await call(recordPicking, { params: { id: fulfillmentOrderId }, body: { pickingOrderId: id, status, lines } }, { step: status });
  } catch (error) {
    if (!(error instanceof Problem) || isUnknownOutcome(error) || error.code === 'idempotency_in_progress') throw error;
    return error;
  }
}

/** The FMS may have a status that is not stored here, so it is reported again. */
export const finishMove = handleDue(finishMoveDue)(async ({ key }, scope) => {
  const order = await scope.work.get(pickingOrders, key);
  const move = (await scope.work.get(intendedMoves, key))?.move;
  if (!order || !move) return;
  const moved = await carryOutMove(order, move, scope);
  if (moved instanceof Problem && moved.retryable) throw moved;
});

/** Refuses to pick a cancelled fulfillment order, even if it has a picking order. @throws Problem `invalid_state_transition` */
async function refuseCancelled(work: UnitOfWork, fulfillmentOrderId: string): Promise<void> {
  const task = await work.get(warehouseTasks, fulfillmentOrderId);
  if (!task?.cancelled) return;
  const detail = `The fulfillment order "${fulfillmentOrderId}" is cancelled: its goods go back.`;
  const about = { allowedFrom: allowedFrom(fulfillmentOrderLifeCycle, 'start-picking') };
  throw refusal('fulfillment-order', { id: fulfillmentOrderId, state: 'cancelled' }, 'start-picking', detail, about);
}

const moves: Readonly<Record<PickingStatus, readonly PickingStatus[]>> = pickingMoves;

/** The statuses that allow a move to `status`. */
const statusesBefore = (status: PickingStatus): readonly PickingStatus[] =>
  (Object.keys(moves) as PickingStatus[]).filter((from) => moves[from].includes(status));

/** The caller may be late because the warehouse, or the staff of the store, took the step automatically. */
async function refusedMove(
  { id, fulfillmentOrderId, status: now }: PickingOrder,
  status: PickingStatus,
  { work, context }: Pick<Scope, 'work' | 'context'>,
): Promise<Problem> {
  const { store } = (await work.get(warehouseTasks, fulfillmentOrderId)) ?? {};
  const mode = modeOf({ store }, progressionOf(context));
  const [who, name] = store === undefined ? ['warehouse', 'warehouse'] : ['staff of the stores', 'store'];
  const remedy =
    mode === 'manual'
      ? ''
      : ` The ${who} of this rehearsal works automatically (${mode}); set the progression ${name} to manual to work by hand.`;
  const detail = `The picking order "${id}" is ${now}; it becomes ${status} from ${statusesBefore(status).join(', ')}.${remedy}`;
  return refusal('picking-order', { id, state: now }, status, detail, { allowedFrom: statusesBefore(status) });
}

/**
 * The picked quantities of all lines. A line that the report does not name was picked in full.
 * @returns undefined for a status that picks nothing
 * @throws Problem `validation_failed` at the line that does not fit the picking order, or the status
 */
function pickedLines(order: Pick<PickingOrder, 'lines'>, { status, lines: reported = [] }: PickedReport): PickedLines | undefined {
  if (status !== 'picked' && status !== 'short') {
    if (reported.length === 0) return undefined;
    throw invalid('/lines', 'unexpected_lines', `The status ${status} takes no lines; leave them out, or send picked or short.`);
  }
  reported.forEach((line, position) => {
    checkLine(order, { line, position, status });
  });
  const repeated = reported.findIndex(
    ({ orderLineId }, position) => reported.findIndex((line) => line.orderLineId === orderLineId) < position,
  );
  if (repeated >= 0) throw invalid(`/lines/${repeated}/orderLineId`, 'repeated_line', 'The line is named twice; name it once.');
  const picked = order.lines.map(({ orderLineId, qty }) => ({
    orderLineId,
    pickedQty: reported.find((line) => line.orderLineId === orderLineId)?.pickedQty ?? qty,
  }));
  if (status === 'short' && picked.every(({ pickedQty }, position) => pickedQty === order.lines[position]?.qty)) {
    throw invalid('/lines', 'nothing_short', 'No unit is missing: send the status picked.');
  }
  return picked;
}

/** @throws Problem `conflicting_repeat` for a repeated status with other quantities */
function refuseOtherPicking(order: Pick<PickingOrder, 'id' | 'status' | 'lines'>, report: PickedReport): void {
  const standing = order.lines.map(({ orderLineId, pickedQty }) => ({ orderLineId, pickedQty }));
  if (isSamePicking(pickedLines(order, report), standing)) return;
  const detail = `The picking order "${order.id}" is ${order.status} already, with other quantities; a repeat does not change them.`;
  throw conflictingRepeat(detail, { lines: standing }, { objectType: 'picking-order', id: order.id });
}

/** Whether the report names the same quantities; a report without lines names no others. */
const isSamePicking = (reported: PickedLines | undefined, known: PickedLines | undefined): boolean =>
  reported === undefined ||
  reported.every(({ orderLineId, pickedQty }) => known?.find((line) => line.orderLineId === orderLineId)?.pickedQty === pickedQty);

function checkLine(
  order: Pick<PickingOrder, 'lines'>,
  {
    line,
    position,
    status,
  }: { readonly line: NonNullable<PickedReport['lines']>[number]; readonly position: number; readonly status: PickingStatus },
): void {
  const at = `/lines/${position}`;
  const known = order.lines.find(({ orderLineId }) => orderLineId === line.orderLineId);
  if (!known) throw invalid(`${at}/orderLineId`, 'unknown_line', `This picking order has no line "${line.orderLineId}".`);
  if (line.sku !== undefined && line.sku !== known.sku) {
    throw invalid(`${at}/sku`, 'other_sku', `The line "${line.orderLineId}" has the SKU ${known.sku}, not ${line.sku}.`);
  }
  if (line.pickedQty > known.qty) {
    throw invalid(`${at}/pickedQty`, 'too_many', `At most ${known.qty} of ${known.sku} can be picked, not ${line.pickedQty}.`);
  }
  if (status === 'picked' && line.pickedQty < known.qty) {
    const detail = `${line.pickedQty} of ${known.qty} is short: send status short, so that the rest is served from elsewhere.`;
    throw invalid(`${at}/pickedQty`, 'too_few', detail);
  }
}
