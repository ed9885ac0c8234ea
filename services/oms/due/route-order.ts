import { Problem } from '../../../shared/catalog/problems.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { fulfillmentRecords, orders } from '../collections.ts';
import { routeOrderDue } from '../due-work.ts';
import { requestFulfillment, routesByItself } from '../fulfillment/routing.ts';
import { RECHECK_MS } from '../timing.ts';

/** Routes a confirmed order that the FMS has not accepted yet. A pending action goes first. */
export const routeOrder = handleDue(routeOrderDue)(async ({ key, payload }, scope) => {
  const { work, context } = scope;
  const order = await work.get(orders, key);
  const record = await work.get(fulfillmentRecords, key);
  if (!order || !record || record.routed || order.state === 'cancelled') return;
  if (order.pendingAction) {
    work.schedule(routeOrderDue, key, work.now + RECHECK_MS, payload);
    return;
  }
  const { asked } = payload;
  if (!asked && !routesByItself(context)) {
    if (order.routingStatus !== 'manual') work.transition(orders, order, 'note', { routingStatus: 'manual' });
    return;
  }
  try {
    await requestFulfillment(order, record, scope);
  } catch (error) {
    if (error instanceof Problem && order.routingStatus !== 'retrying') {
      work.transition(orders, order, 'note', { routingStatus: 'retrying' });
      await work.checkpoint();
    }
    throw error;
  }
});
