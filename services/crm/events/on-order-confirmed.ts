import { z } from 'zod';
import { Id } from '../../../shared/catalog/shapes.ts';
import { type EventHandler, unchanged } from '../../../shared/work/handler.ts';
import { customers, notedOrders } from '../collections.ts';
import { acceptsActivity, laterInstant } from '../customer-rules.ts';
import { restartIdleTimer } from '../idle-timer.ts';

const ConfirmedOrder = z.object({ id: Id, customerId: Id.optional() });

/** A confirmed order counts as activity of its customer, once per order. */
export const onOrderConfirmed: EventHandler = async (event, { work, log }) => {
  const { id: orderId, customerId } = ConfirmedOrder.parse(event.data.object);
  if (customerId === undefined) return unchanged('The order names no customer.');
  if (await work.get(notedOrders, orderId)) return unchanged('The order was noted before.');
  const customer = await work.get(customers, customerId);
  if (!customer) {
    log.warn({ orderId, customerId }, 'a confirmed order names an unknown customer: no activity recorded');
    return unchanged(`There is no customer "${customerId}".`);
  }
  if (!acceptsActivity(customer)) return unchanged(`The customer is ${customer.state}, which no activity changes.`);
  work.put(notedOrders, { id: orderId, customerId });
  const lastActivityAt = laterInstant(event.time, customer.lastActivityAt);
  restartIdleTimer(work, work.transition(customers, customer, 'activity', { lastActivityAt }));
  return undefined;
};
