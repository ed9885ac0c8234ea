import { isAgain } from '../../../shared/catalog/life-cycle.ts';
import { cancelOrder as cancelOrderApi } from '../../../shared/catalog/order/apis.ts';
import { orderLifeCycle } from '../../../shared/catalog/order/objects.ts';
import { didNothing, Problem } from '../../../shared/catalog/problems.ts';
import { again, handle, type Scope } from '../../../shared/work/handler.ts';
import { refuseOtherContent } from '../../../shared/work/repeats.ts';
import { markCancelled, stopFulfillment } from '../cancellation/cancellation.ts';
import { endCompensation, undoAtOthers } from '../cancellation/compensation.ts';
import { orderById, type StoredOrder } from '../collections.ts';
import { actionPending, beginIntent, refuseWhileOtherPending, withdrawCancellation } from '../order/pending-action.ts';
import { fetchView, type OrderView } from '../order-view.ts';
import { TAKE_OVER_MS } from '../timing.ts';

/**
 * Stores the intent, has the FMS cancel the fulfillment orders, commits `cancelled`, then undoes the order at other applications.
 * Only the FMS can refuse or delay a cancellation. While another application cannot undo its part, the order has `compensation: 'pending'`, and
 * due work tries again.
 */
export const cancelOrder = handle(cancelOrderApi)(async ({ params, body }, scope) => {
  const { work } = scope;
  const found = await orderById(work, params.id);
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
    withdrawCancellation(work, intended);
    return error;
  }
  const order = await markCancelled(work, intended, { verb: 'cancel', at: work.now + TAKE_OVER_MS, writtenOff });
  await work.checkpoint();
  return undoAndView(order, scope);
});

/** Undoes a cancelled order at other applications, as far as they answer, and shows the result. */
async function undoAndView(order: StoredOrder, scope: Scope): Promise<OrderView> {
  if (!order.undo) return fetchView(order, scope);
  const { failure, payments } = await undoAtOthers(order, order.undo, scope);
  return fetchView(failure ? order : endCompensation(scope.work, order), scope, { payments });
}
