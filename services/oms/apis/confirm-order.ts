import { isAgain } from '../../../shared/catalog/life-cycle.ts';
import { confirmOrder as confirmOrderApi } from '../../../shared/catalog/order/apis.ts';
import { orderLifeCycle } from '../../../shared/catalog/order/objects.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { again, handle, type Scope } from '../../../shared/work/handler.ts';
import { orderById, type StoredOrder } from '../collections.ts';
import { confirmSale, continueConfirmation, scheduleRedemption } from '../confirmation/confirmation.ts';
import { requestFulfillmentOrRetry, routesByItself } from '../fulfillment/routing.ts';
import { refuseBlocked } from '../order/blocked-customer.ts';
import { actionPending, beginIntent, refuseWhileOtherPending } from '../order/pending-action.ts';
import { isSale } from '../order/sale.ts';
import { fetchView, type OrderView } from '../order-view.ts';
import { type Payment, paymentIncomplete } from '../payment/payments.ts';
import { paymentsToConfirmOn } from '../returns/exchange-credit.ts';

/**
 * Checks customer and payments before anything is written, so that their refusal leaves no trace. Then stores the intent, secures the
 * stock, commits `confirmed`, which is the point of no return, and routes the order; due work may route it later. A sale is
 * never routed, because its customer has the goods.
 */
export const confirmOrder = handle(confirmOrderApi)(async ({ params }, scope) => {
  const { work } = scope;
  const found = await orderById(work, params.id);
  if (isAgain(orderLifeCycle, found, 'confirm')) return again(await routeAndView(found, undefined, scope));
  refuseWhileOtherPending(found, 'confirm');
  const resumed = found.pendingAction !== undefined;
  // The till checked its customer before the sale; a pending confirmation was checked when it began.
  if (found.customerId !== undefined && !resumed && !isSale(found)) await refuseBlocked(found.customerId, scope);
  const payments = await paymentsToConfirmOn(found, scope);
  const incomplete = resumed ? undefined : paymentIncomplete(found, payments);
  if (incomplete) throw incomplete;
  if (isSale(found)) return fetchView(confirmSale(found, scope), scope, { payments });
  const order = await beginIntent(work, found, 'confirm');
  const outcome = await continueConfirmation({ order, payments, resumed }, scope).catch((error: unknown) => {
    // Another request for the same confirmation is running.
    if (error instanceof Problem && error.code === 'idempotency_in_progress' && order.pendingAction) {
      throw actionPending(order, 'confirm', order.pendingAction);
    }
    throw error;
  });
  if (outcome instanceof Problem) return outcome;
  await work.checkpoint();
  return routeAndView(outcome, payments, scope);
});

/** Continues after the confirmation: redeems vouchers and routes, unless that is done or routing is manual. */
async function routeAndView(order: StoredOrder, payments: readonly Payment[] | undefined, scope: Scope): Promise<OrderView> {
  if (order.state !== 'confirmed' || order.pendingAction) return fetchView(order, scope);
  scheduleRedemption(scope.work, order);
  if (!routesByItself(scope.context)) return fetchView(order, scope, { payments });
  return fetchView(await requestFulfillmentOrRetry(order, scope), scope, { payments });
}
