import type { z } from 'zod';
import { progressionOf } from '../../../shared/catalog/control/progression.ts';
import type { FulfillmentOrder } from '../../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { recordPicking } from '../../../shared/catalog/fulfillment/internal.ts';
import { refusal } from '../../../shared/catalog/life-cycle.ts';
import { isUnknownOutcome, Problem } from '../../../shared/catalog/problems.ts';
import { instant } from '../../../shared/domain/time.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import { type IntendedMove, intendedMoves, type PickingOrder, type PickingStatus, pickingOrders } from '../collections.ts';
import { finishMoveDue } from '../due-work.ts';
import { TAKE_OVER_MS } from '../timing.ts';
import { allowedFrom, isSamePicking, type PickedReport, pickedLines, refuseMove } from './picking-rules.ts';

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
  refuseMove(order, status, progressionOf(context).warehouse);
  const picked = pickedLines(order, { status, lines });
  const move = { status, since: instant(work.now), lines: picked };
  work.put(intendedMoves, { id: order.id, move });
  work.schedule(finishMoveDue, order.id, work.now + TAKE_OVER_MS, {});
  await work.checkpoint();
  return move;
}

/** Carries out an intended move: reports it to the FMS, and stores the new status unless the FMS refuses. */
export async function carryOutMove(order: PickingOrder, move: IntendedMove, scope: PickingScope): Promise<PickingOrder | Problem> {
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
  return refusal(
    'picking-order',
    { id: order.id, state: order.status },
    asked,
    `The picking order "${order.id}" has been changing to ${status} since ${since}; send this again after that.`,
    { allowedFrom: allowedFrom(asked), retryable: true, retryAfter: 1 },
  );
}

export type PickingScope = Pick<Scope, 'work' | 'call' | 'context'>;

/**
 * Reports a status to the FMS before it is stored here.
 * @returns the fulfillment order, or the refusal of the FMS, which then has not moved it
 * @throws Problem when the outcome is unknown: the intent stays, for a repeat or the due work
 */
export async function reportToFms(
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
