import { isAgain, refusal } from '../../../shared/catalog/life-cycle.ts';
import { routeOrder as routeOrderApi } from '../../../shared/catalog/order/apis.ts';
import { orderLifeCycle } from '../../../shared/catalog/order/objects.ts';
import type { Problem } from '../../../shared/catalog/problems.ts';
import { again, handle } from '../../../shared/work/handler.ts';
import { refuseOtherContent } from '../../../shared/work/repeats.ts';
import { fulfillmentRecords, orderById, orders, type StoredOrder } from '../collections.ts';
import { beginRouting, isRoutable, requestFulfillment } from '../fulfillment/routing.ts';
import { ensureHolds, NEAREST } from '../fulfillment/routing-holds.ts';
import { actionPending } from '../order/pending-action.ts';
import { isSale } from '../order/sale.ts';
import { fulfillmentOrdersOf } from '../order-view.ts';
import { DECIDE_TIMEOUT_MS } from '../timing.ts';

/**
 * Routes an order that Confirm Order did not route. For a routed order it returns the existing fulfillment orders. The routing is
 * stored before the FMS is called, so that a concurrent cancellation calls the FMS too.
 */
export const routeOrder = handle(routeOrderApi)(async ({ params, body }, scope) => {
  const { work } = scope;
  const found = await orderById(work, params.id);
  if (isSale(found)) throw notRoutable(found, 'was sold at the till, and its goods are carried out');
  const known = await work.get(fulfillmentRecords, found.id);
  if (isAgain(orderLifeCycle, found, 'route') || known?.routed) {
    const { id } = found;
    refuseOtherContent(
      { strategy: body.strategy },
      { strategy: known?.strategy ?? NEAREST },
      { objectType: 'order', id, what: 'was routed' },
    );
    return again({ items: [...(await fulfillmentOrdersOf(found.id, scope, DECIDE_TIMEOUT_MS))] });
  }
  if (found.pendingAction) throw actionPending(found, 'route', found.pendingAction);
  if (!isRoutable(found)) throw notRoutable(found, 'has no shipping address');
  const { strategy = known?.strategy ?? NEAREST } = body;
  const order = await ensureHolds(found, strategy, scope);
  if (!(await work.get(fulfillmentRecords, order.id))) {
    work.expect(orders, order);
    beginRouting(work, order.id, { asked: true, strategy });
    await work.checkpoint();
  }
  const record = await work.get(fulfillmentRecords, order.id);
  if (!record) throw new Error(`The record of ${order.id} was just written.`);
  await requestFulfillment(order, { ...record, strategy }, scope);
  // The fulfillment orders are read again, because the FMS has allocated them by now.
  return { items: [...(await fulfillmentOrdersOf(order.id, scope, DECIDE_TIMEOUT_MS))] };
});

const notRoutable = ({ id, state }: StoredOrder, why: string): Problem =>
  refusal('order', { id, state }, 'route', `The order "${id}" ${why}; it cannot be routed.`);
