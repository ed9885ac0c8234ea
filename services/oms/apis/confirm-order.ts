import { isAgain } from '../../../shared/catalog/life-cycle.ts';
import { confirmOrder as confirmOrderApi } from '../../../shared/catalog/order/apis.ts';
import { orderLifeCycle } from '../../../shared/catalog/order/objects.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { again, handle, type Scope } from '../../../shared/work/handler.ts';
import type { StoredOrder } from '../collections.ts';
import { confirmSale, continueConfirmation, scheduleRedemption } from '../confirmation/confirmation.ts';
import { requestFulfillmentOrRetry, routesByItself } from '../fulfillment/routing.ts';
import { refuseBlocked } from '../order/blocked-customer.ts';
import { orderById } from '../order/by-id.ts';
import { beginIntent, refuseWhileOther, underWay } from '../order/pending-action.ts';
import { isSale } from '../order/sale.ts';
import { fetchView, type OrderView } from '../order-view.ts';
import { type Payment, paymentIncomplete } from '../payment/payments.ts';
import { paymentsToConfirmOn } from '../returns/exchange-credit.ts';

/**
 * Customer and payments are looked at before anything is written: an order that is refused for them leaves no trace. Then comes the intent, then the
 * stock, then the commit of `confirmed`, which is the point of no return, then the routing, which may as well follow later. A sale of
 * the till has its goods and is never routed.
 */
export const confirmOrder = handle(confirmOrderApi)(async ({ params }, scope) => {
  const { work } = scope;
  const found = await orderById(work, params.id);
  if (isAgain(orderLifeCycle, found, 'confirm')) return again(await routeAndView(found, undefined, scope));
  refuseWhileOther(found, 'confirm');
  const resumed = found.pendingAction !== undefined;
  // The till looked at its customer before the sale; a confirmation that is under way was allowed when it began.
  if (found.customerId !== undefined && !resumed && !isSale(found)) await refuseBlocked(found.customerId, scope);
  const payments = await paymentsToConfirmOn(found, scope);
  const incomplete = resumed ? undefined : paymentIncomplete(found, payments);
  if (incomplete) throw incomplete;
  if (isSale(found)) return fetchView(confirmSale(found, scope), scope, { payments });
  const order = await beginIntent(work, found, 'confirm');
  const outcome = await continueConfirmation({ order, payments, resumed }, scope).catch((error: unknown) => {
    // Another request for the same confirmation is at it. Due work waits for that one's end; a client is told.
    if (error instanceof Problem && error.code === 'idempotency_in_progress' && order.pendingAction) {
      throw underWay(order, 'confirm', order.pendingAction);
    }
    throw error;
  });
  if (outcome instanceof Problem) return outcome;
  await work.checkpoint();
  return routeAndView(outcome, payments, scope);
});

/** The confirmed order, routed unless that is done, left to a client, or refused for now. A repeat goes on where the first one stopped. */
async function routeAndView(order: StoredOrder, payments: readonly Payment[] | undefined, scope: Scope): Promise<OrderView> {
  if (order.state !== 'confirmed' || order.pendingAction) return fetchView(order, scope);
  scheduleRedemption(scope.work, order);
  if (!routesByItself(scope.context)) return fetchView(order, scope, { payments });
  return fetchView(await requestFulfillmentOrRetry(order, scope), scope, { payments });
}
