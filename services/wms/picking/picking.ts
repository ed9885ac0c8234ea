import type { z } from 'zod';
import { recordPicking } from '../../../shared/catalog/fulfillment/internal.ts';
import type { FulfillmentOrder } from '../../../shared/catalog/fulfillment/objects.ts';
import { isUnknownOutcome, notFound, Problem } from '../../../shared/catalog/problems.ts';
import { instant } from '../../../shared/domain/time.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import { type IntendedMove, intendedMoves, type PickingOrder, type PickingStatus, pickingOrders } from '../collections.ts';
import { finishMoveDue, finishOpeningDue } from '../due-work.ts';
import { allowedFrom, isSamePicking, pickedLines, refuseMove, type SaidLine } from './picking-rules.ts';
import { TAKE_OVER_MS } from '../timing.ts';

type Fulfillment = z.output<typeof FulfillmentOrder>;
type PickingScope = Pick<Scope, 'work' | 'call'>;

const FULFILLMENT_ID = /^ful_(.+)$/;

/**
 * The picking order of a fulfillment order, whoever asks for it and however often: the FMS is told this id before anything is
 * stored here, and a request that takes over after a crash must not name another.
 * @throws Problem not_found for what cannot be the id of a fulfillment order
 */
export function pickingOrderIdOf(fulfillmentOrderId: string): string {
  const [, tail] = FULFILLMENT_ID.exec(fulfillmentOrderId) ?? [];
  if (tail === undefined) throw notFound('fulfillment-order', fulfillmentOrderId);
  return `pck_${tail}`;
}

/**
 * Begins to pick: the FMS first, since it knows the lines and whether the order may still be picked. A request that breaks off in
 * between is finished by due work.
 * @returns the picking order, or the FMS's refusal
 */
export async function openPickingOrder(fulfillmentOrderId: string, scope: PickingScope): Promise<PickingOrder | Problem> {
  const { work } = scope;
  const id = pickingOrderIdOf(fulfillmentOrderId);
  work.schedule(finishOpeningDue, id, work.now + TAKE_OVER_MS, { fulfillmentOrderId });
  await work.checkpoint();
  return carryOutOpening(fulfillmentOrderId, scope);
}

/** Asks the FMS to begin, and stores what it answers; what was intended is over either way. */
export async function carryOutOpening(fulfillmentOrderId: string, scope: PickingScope): Promise<PickingOrder | Problem> {
  const { work } = scope;
  const id = pickingOrderIdOf(fulfillmentOrderId);
  const answered = await tellFms(scope, { id, fulfillmentOrderId }, { status: 'open' });
  work.cancel(finishOpeningDue, id);
  if (answered instanceof Problem) return answered;
  const at = instant(work.now);
  return work.put(pickingOrders, {
    ...{ id, fulfillmentOrderId, status: 'open' },
    lines: answered.lines.map(({ orderLineId, sku, qty }) => ({ orderLineId, sku, qty, pickedQty: 0 })),
    createdAt: at,
    updatedAt: at,
  });
}

/**
 * Moves a picking order: what it is to become is committed, then the FMS is told, then it is stored. Whoever finds the same status
 * intended already goes on with that.
 * @returns the picking order, or the FMS's refusal
 * @throws Problem when it cannot become that, when another status is under way, or when nobody knows whether the FMS heard of it
 */
export async function movePickingOrder(
  order: PickingOrder,
  said: { readonly status: PickingStatus; readonly lines?: readonly SaidLine[] | undefined },
  scope: PickingScope,
): Promise<PickingOrder | Problem> {
  const { work } = scope;
  const under = (await work.get(intendedMoves, order.id))?.move;
  const isOther = under && (under.status !== said.status || !isSamePicking(pickedLines(order, said), under.lines));
  if (isOther) throw underWay(order, under, said.status);
  return carryOut(order, under ?? (await intend(order, said, work)), scope);
}

async function intend(
  order: PickingOrder,
  { status, lines }: { readonly status: PickingStatus; readonly lines?: readonly SaidLine[] | undefined },
  work: Scope['work'],
): Promise<IntendedMove> {
  refuseMove(order, status);
  const picked = pickedLines(order, { status, lines });
  const move = { status, since: instant(work.now), ...(picked && { lines: picked }) };
  work.put(intendedMoves, { id: order.id, move });
  work.schedule(finishMoveDue, order.id, work.now + TAKE_OVER_MS, {});
  await work.checkpoint();
  return move;
}

/** Tells the FMS what is intended, and stores it. */
export async function carryOut(order: PickingOrder, move: IntendedMove, scope: PickingScope): Promise<PickingOrder | Problem> {
  const { work } = scope;
  const answered = await tellFms(scope, order, move);
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

/**
 * @returns the fulfillment order, or why the FMS certainly did not move it
 * @throws Problem when it may have: what is intended stays, for a repeat or the due work
 */
async function tellFms(
  { call }: PickingScope,
  { id, fulfillmentOrderId }: Pick<PickingOrder, 'id' | 'fulfillmentOrderId'>,
  { status, lines }: Pick<IntendedMove, 'status' | 'lines'>,
): Promise<Fulfillment | Problem> {
  try {
    return await call(
      recordPicking,
      { params: { id: fulfillmentOrderId }, body: { pickingOrderId: id, status, ...(lines && { lines }) } },
      { step: status },
    );
  } catch (error) {
    if (!(error instanceof Problem) || isUnknownOutcome(error) || error.code === 'idempotency_in_progress') throw error;
    return error;
  }
}

/** 409, to be repeated: which of two statuses wins is decided by the one that began first. */
function underWay(order: PickingOrder, { status, since }: IntendedMove, asked: PickingStatus): Problem {
  return new Problem(
    'invalid_state_transition',
    `The picking order "${order.id}" is becoming ${status} since ${since}; send this again when that has ended.`,
    {
      objectType: 'picking-order',
      id: order.id,
      currentState: order.status,
      action: asked,
      allowedFrom: allowedFrom(asked),
      retryable: true,
      retryAfter: 1,
    },
  );
}
