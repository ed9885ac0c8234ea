import { FulfillmentOrder } from '../../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { type EventHandler, unchanged } from '../../../shared/work/handler.ts';
import { fulfillmentRecords, orders } from '../collections.ts';
import { capturePaymentsDue } from '../due-work.ts';
import { applyProgress } from '../fulfillment/apply-progress.ts';
import { freshRecord, hasBegun, progressAfter } from '../fulfillment/progress.ts';

/** Moves the order with its fulfillment orders, from the beginning of the work in the warehouse. */
export const onFulfillmentOrderChanged: EventHandler = async ({ data }, scope) => {
  const { work } = scope;
  const found = FulfillmentOrder.parse(data.object);
  if (found.state === 'created' || found.state === 'allocated') {
    return unchanged(`The fulfillment order is ${found.state}: the order moves when the warehouse begins its work.`);
  }
  const order = await work.get(orders, found.orderId);
  if (!order) return unchanged(`There is no order "${found.orderId}".`);
  const record = (await work.get(fulfillmentRecords, order.id)) ?? freshRecord(order.id);
  const progress = progressAfter(order, record, found);
  if (!progress) return unchanged('A later state of the fulfillment order arrived before.');
  const begins = order.state === 'confirmed' && hasBegun(found);
  if (begins) work.schedule(capturePaymentsDue, order.id, work.now, { attempt: 1 });
  const current = begins ? work.transition(orders, order, 'begin-fulfilment', { routingStatus: undefined }) : order;
  await applyProgress(current, progress, found.id, scope);
  return undefined;
};
