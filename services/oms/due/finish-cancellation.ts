import { Problem } from '../../../shared/catalog/problems.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { markCancelled, stopFulfillment } from '../cancellation/cancellation.ts';
import { orders } from '../collections.ts';
import { finishCancellationDue } from '../due-work.ts';
import { withdrawCancellation } from '../order/pending-action.ts';

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
    if (!(error instanceof Problem) || error.code !== 'invalid_state_transition') throw error;
    log.warn({ orderId: key }, error.message);
    withdrawCancellation(work, order);
    return;
  }
  await markCancelled(work, order, { verb: 'cancel', at: work.now, writtenOff });
});
