import { isAgain } from '../../../shared/catalog/life-cycle.ts';
import { routeOrder as routeOrderApi } from '../../../shared/catalog/order/apis.ts';
import { orderLifeCycle } from '../../../shared/catalog/order/objects.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { again, handle } from '../../../shared/work/handler.ts';
import { refuseOtherContent } from '../../../shared/work/repeats.ts';
import { fulfillmentRecords, orders, type StoredOrder } from '../collections.ts';
import { fulfillmentOrdersOf } from '../fulfillment/fulfillment-orders.ts';
import { beginRouting, isRoutable, requestFulfillment } from '../fulfillment/routing.ts';
import { ensureHeldForRouting, NEAREST } from '../fulfillment/routing-holds.ts';
import { orderById } from '../order/by-id.ts';
import { underWay } from '../order/pending-action.ts';
import { isSale } from '../order/sale.ts';
import { DECIDE_TIMEOUT_MS } from '../timing.ts';

/**
 * Routes an order that Confirm Order did not route, or could not. One that is routed answers the fulfillment orders that it has. What
 * is about to be asked of the FMS is committed first, so that a cancellation knows whom to ask.
 */
export const routeOrder = handle(routeOrderApi)(async ({ params, body }, scope) => {
  const { work } = scope;
  const found = await orderById(work, params.id);
  if (isSale(found)) throw notRoutable(found, 'is of the till: its goods are taken along');
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
  if (found.pendingAction) throw underWay(found, 'route', found.pendingAction);
  if (!isRoutable(found)) throw notRoutable(found, 'has no shipping address');
  const { strategy = known?.strategy ?? NEAREST } = body;
  const order = await ensureHeldForRouting(found, strategy, scope);
  if (!(await work.get(fulfillmentRecords, order.id))) {
    work.expect(orders, order);
    beginRouting(work, order.id, { asked: true, strategy });
    await work.checkpoint();
  }
  const record = await work.get(fulfillmentRecords, order.id);
  if (!record) throw new Error(`The record of ${order.id} was just written.`);
  await requestFulfillment(order, { ...record, strategy }, scope);
  // Asked anew: the FMS has allocated them meanwhile.
  return { items: [...(await fulfillmentOrdersOf(order.id, scope, DECIDE_TIMEOUT_MS))] };
});

const notRoutable = ({ id, state }: StoredOrder, why: string): Problem =>
  new Problem('invalid_state_transition', `The order "${id}" ${why}; it is not sent anywhere.`, {
    objectType: 'order',
    id,
    currentState: state,
    action: 'route',
    allowedFrom: [],
  });
