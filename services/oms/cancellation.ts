import { cancelFulfillment } from '../../shared/catalog/fulfillment/internal.ts';
import { isAgain, refusal } from '../../shared/catalog/life-cycle.ts';
import { cancelOrder as cancelOrderApi } from '../../shared/catalog/order/apis.ts';
import { orderLifeCycle } from '../../shared/catalog/order/objects.ts';
import { didNothing, isProblem, Problem } from '../../shared/catalog/problems.ts';
import { refuseOtherContent } from '../../shared/handlers/repeats.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { again, handle, handleDue, type Scope } from '../../shared/work/handler.ts';
import type { Patch, UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { isSale } from './baskets.ts';
import { type FulfillmentRecord, fulfillmentRecords, orders, type StoredOrder } from './collections.ts';
import { knownReservations, undoNow, withUndo } from './compensation.ts';
import {
  compensateDue,
  DECIDE_TIMEOUT_MS,
  expireDraftDue,
  finishCancellationDue,
  OBSOLETE_WORK,
  RECHECK_MS,
  TAKE_OVER_MS,
} from './due-work.ts';
import { fetchView, type OrderView } from './order-view.ts';
import { paymentIncomplete, paymentsToDecideOn } from './payments.ts';
import { actionPending, beginIntent, refuseWhileOtherPending, withdraw } from './pending-action.ts';

/**
 * Stores the intent, has the FMS cancel the fulfillment orders, commits `cancelled`, then undoes the order at other applications.
 * Only the FMS can refuse or delay a cancellation. While another application cannot undo its part, the order has `compensation: 'pending'`, and
 * due work tries again.
 */
export const cancelOrder = handle(cancelOrderApi)(async ({ params, body }, scope) => {
  const { work } = scope;
  const found = await requireObject(work, orders, params.id);
  const { id, cancelReason: reason } = found;
  if (isAgain(orderLifeCycle, found, 'cancel')) {
    refuseOtherContent({ reason: body.reason }, { reason }, { objectType: 'order', id, what: 'was cancelled' });
    return again(await undoAndView(found, scope));
  }
  refuseWhileOtherPending(found, 'cancel');
  // The pending cancellation has another reason and may still be withdrawn.
  if (found.pendingAction && body.reason !== undefined && body.reason !== reason) throw actionPending(found, 'cancel', found.pendingAction);
  const resumed = found.pendingAction !== undefined;
  const intended = await beginIntent(work, found, 'cancel', body.reason === undefined ? {} : { cancelReason: body.reason });
  let writtenOff: boolean;
  try {
    writtenOff = await stopFulfillment(intended, scope);
  } catch (error) {
    // If goods are dispatched or the FMS did nothing, nothing has changed. After any other failure, the outcome is unknown.
    if (!(error instanceof Problem)) throw error;
    const isRefused = error.code === 'invalid_state_transition';
    const isUntouched = didNothing(error) && !resumed;
    if (!isRefused && !isUntouched) throw error;
    withdraw(work, intended, 'cancel', { cancelReason: undefined });
    return error;
  }
  const order = await markCancelled(work, intended, { verb: 'cancel', at: work.now + TAKE_OVER_MS, writtenOff });
  await work.checkpoint();
  return undoAndView(order, scope);
});

/** Undoes a cancelled order at other applications, as far as they answer, and shows the result. */
async function undoAndView(order: StoredOrder, scope: Scope): Promise<OrderView> {
  const undone = await undoNow(order, scope);
  return fetchView(undone.order, scope, { payments: undone.payments });
}

/**
 * Finishes a cancellation after its intent: Cancel Order was interrupted, or the OMS cancels the order. While the FMS does not
 * answer, the call is retried. If goods are dispatched, the intent is withdrawn. Undoing at other applications follows as due work.
 */
export const finishCancellation = handleDue(finishCancellationDue)(async ({ key }, scope) => {
  const { work, log } = scope;
  const order = await work.get(orders, key);
  if (order?.pendingAction?.action !== 'cancel') return;
  let writtenOff: boolean;
  try {
    writtenOff = await stopFulfillment(order, scope);
  } catch (error) {
    if (!isProblem(error, 'invalid_state_transition')) throw error;
    log.warn({ orderId: key }, error.message);
    withdraw(work, order, 'cancel', { cancelReason: undefined });
    return;
  }
  await markCancelled(work, order, { verb: 'cancel', at: work.now, writtenOff });
});

/** Cancels a draft that was not confirmed within a day. A pending action goes first. */
export const expireDraft = handleDue(expireDraftDue)(async ({ key }, scope) => {
  const { work } = scope;
  const order = await work.get(orders, key);
  if (order?.state !== 'draft') return;
  const later = order.pendingAction ? RECHECK_MS : isSale(order) ? await untilTillConfirms(order, scope) : 0;
  if (later > 0) work.schedule(expireDraftDue, key, work.now + later, {});
  else await markCancelled(work, order, { verb: 'expire', cancelReason: 'expired', at: work.now });
});

/** @returns milliseconds to wait for the till to confirm a paid sale, whose goods are gone; 0 for an unpaid sale */
async function untilTillConfirms(order: StoredOrder, scope: Scope): Promise<number> {
  return paymentIncomplete(order, await paymentsToDecideOn(order, scope)) ? 0 : scope.work.figures.windowMs.draftOrder;
}

/**
 * Calls the FMS to cancel all fulfillment orders of the order, or none. Afterwards the FMS creates none for this order. Without a fulfillment
 * record there is nothing to cancel at the FMS.
 * @returns whether all short units are written off
 * @throws Problem `invalid_state_transition` when goods are dispatched, or `dependency_*`
 */
async function stopFulfillment(order: StoredOrder, { work, call }: Scope): Promise<boolean> {
  if (order.state === 'draft' || !(await work.get(fulfillmentRecords, order.id))) return true;
  try {
    const { writtenOff } = await call(cancelFulfillment, { params: { orderId: order.id } }, { timeoutMs: DECIDE_TIMEOUT_MS });
    return writtenOff;
  } catch (error) {
    if (!isProblem(error, 'invalid_state_transition') || error.retryable) throw error;
    throw goodsHaveLeft(order, error);
  }
}

const goodsHaveLeft = (order: StoredOrder, { message, context }: Problem): Problem =>
  refusal(orderLifeCycle, order, 'cancel', `The order "${order.id}" cannot be cancelled: some of its goods are dispatched. ${message}`, {
    ...(typeof context['id'] === 'string' && { fulfillmentOrderId: context['id'] }),
  });

interface Cancellation {
  readonly verb: 'cancel' | 'expire' | 'abandon-fulfilment';
  readonly cancelReason?: string;
  /** Epoch milliseconds when due work undoes the order at other applications, unless the request has done so. */
  readonly at: number;
  readonly patch?: Patch<StoredOrder>;
  /** Whether all short units are written off. */
  readonly writtenOff?: boolean;
}

/** Moves the order to `cancelled` and stores what others have to undo, in the next commit. Due work undoes it if needed. */
export async function markCancelled(work: UnitOfWork, order: StoredOrder, cancellation: Cancellation): Promise<StoredOrder> {
  const { verb, cancelReason, at, patch, writtenOff = true } = cancellation;
  for (const obsolete of OBSOLETE_WORK) work.cancel(obsolete, order.id);
  work.schedule(compensateDue, order.id, at, {});
  const record = await work.get(fulfillmentRecords, order.id);
  // The FMS consumes the reservations of fulfillment orders that it finished, perhaps late, so these are not released.
  // The goods of a collection that are back on the shelf were never consumed.
  const isPutBack = (seen: FulfillmentRecord['seen'][number]) => seen.wasReady === true && seen.state === 'returned-to-sender';
  const isConsumedByFms =
    verb === 'abandon-fulfilment' && record !== undefined && !record.seen.some((seen) => isWithdrawn(seen) || isPutBack(seen));
  const spare = isConsumedByFms ? knownReservations(order, record) : [];
  return work.transition(orders, order, verb, {
    ...patch,
    pendingAction: undefined,
    routingStatus: undefined,
    captureStatus: undefined,
    ...(cancelReason !== undefined && { cancelReason }),
    ...withUndo(order, {
      payments: 'all',
      holds: { spare },
      vouchers: order.voucherCodes.length > 0,
      ...(!writtenOff && { writeOff: true }),
    }),
  });
}

/** Whether it was cancelled with units that were not short: their stock is still reserved. */
const isWithdrawn = ({ state, lines }: FulfillmentRecord['seen'][number]): boolean =>
  state === 'cancelled' && lines.some(({ qty, shortQty }) => shortQty < qty);
