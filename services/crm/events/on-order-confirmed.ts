import { z } from 'zod';
import { Id } from '../../../shared/catalog/shapes.ts';
import type { EventHandler } from '../../../shared/work/handler.ts';
import { customers, notedOrders } from '../collections.ts';
import { countsActivity, newerOf } from '../customer-rules.ts';
import { restartIdleTimer } from '../idle-timer.ts';

const ConfirmedOrder = z.object({ id: Id, customerId: Id.optional() });

/** A confirmed order is the customer's activity: once per order, however often it is heard of. */
export const onOrderConfirmed: EventHandler = async (event, { work, log }) => {
  const { id: orderId, customerId } = ConfirmedOrder.parse(event.data.object);
  if (customerId === undefined || (await work.get(notedOrders, orderId))) return;
  const customer = await work.get(customers, customerId);
  if (!customer) {
    log.warn({ orderId, customerId }, 'an order was confirmed for a customer whom nobody knows');
    return;
  }
  if (!countsActivity(customer)) return;
  work.put(notedOrders, { id: orderId, customerId });
  const lastActivityAt = newerOf(event.time, customer.lastActivityAt);
  restartIdleTimer(work, work.transition(customers, customer, 'activity', { lastActivityAt }));
};
