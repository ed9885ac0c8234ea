import { z } from 'zod';
import { Id } from '../../../shared/catalog/shapes.ts';
import type { EventHandler } from '../../../shared/work/handler.ts';
import { customers, notedOrders } from '../collections.ts';
import { acceptsActivity, laterInstant } from '../customer-rules.ts';
import { restartIdleTimer } from '../idle-timer.ts';

const ConfirmedOrder = z.object({ id: Id, customerId: Id.optional() });

/** A confirmed order counts as activity of its customer, once per order. */
export const onOrderConfirmed: EventHandler = async (event, { work, log }) => {
  const { id: orderId, customerId } = ConfirmedOrder.parse(event.data.object);
  if (customerId === undefined || (await work.get(notedOrders, orderId))) return;
  const customer = await work.get(customers, customerId);
  if (!customer) {
    log.warn({ orderId, customerId }, 'a confirmed order names an unknown customer: no activity recorded');
    return;
  }
  if (!acceptsActivity(customer)) return;
  work.put(notedOrders, { id: orderId, customerId });
  const lastActivityAt = laterInstant(event.time, customer.lastActivityAt);
  restartIdleTimer(work, work.transition(customers, customer, 'activity', { lastActivityAt }));
};
