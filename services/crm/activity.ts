import { z } from 'zod';
import { getCustomer as getCustomerApi } from '../../shared/catalog/customer/apis.ts';
import {
  logCustomerInteraction as logCustomerInteractionCall,
  moveCustomer as moveCustomerCall,
} from '../../shared/catalog/customer/internal.ts';
import { customerLifeCycle } from '../../shared/catalog/customer/objects.ts';
import { allowedFrom } from '../../shared/catalog/life-cycle.ts';
import type { Figures } from '../../shared/catalog/retailer.ts';
import { Id, Instant } from '../../shared/catalog/shapes.ts';
import { instant } from '../../shared/domain/time.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { defineDueWork } from '../../shared/work/due-work.ts';
import { type EventHandler, handle, handleDue, unchanged } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { customers, notedOrders } from './collections.ts';
import { contactOf } from './contact.ts';
import {
  acceptsActivity,
  addInteraction,
  type CustomerRecord,
  idleAt,
  interactionVerb,
  isRegistered,
  laterInstant,
  refuseBlocked,
} from './customer-rules.ts';

/** Moves an inactive customer to at-risk, then to churned. The key is the customer; `since` is the activity that started the timer. */
export const idle = defineDueWork('idle', z.object({ since: Instant }));

export const logCustomerInteraction = handle(logCustomerInteractionCall)(async ({ params: { id }, body }, { work }) => {
  const customer = await requireObject(work, customers, id);
  refuseBlocked(customer, 'the customer must not be contacted');
  const { type, note, occurredAt = instant(work.now) } = body;
  const next = work.transition(customers, customer, interactionVerb(occurredAt, work), {
    lastActivityAt: laterInstant(occurredAt, customer.lastActivityAt),
    interactions: addInteraction(customer.interactions, { id: work.id('int'), type, note, occurredAt }),
  });
  restartIdleTimer(work, next);
  return next;
});

/** A guest who is blocked counts as registered. Unblocking counts as activity now, like a purchase. */
export const moveCustomer = handle(moveCustomerCall)(async ({ params: { id }, body: { verb } }, { work }) => {
  const customer = await requireObject(work, customers, id);
  const contact = isRegistered(customer) ? {} : await contactOf(work, customer);
  const next = work.transition(customers, customer, verb, verb === 'unblock' ? { lastActivityAt: instant(work.now) } : contact);
  restartIdleTimer(work, next);
  return next;
});

const ConfirmedOrder = z.object({ id: Id, customerId: Id.optional() });

/** A confirmed order counts as activity of its customer, once per order. */
export const onOrderConfirmed: EventHandler = async (event, { work, log }) => {
  const { id: orderId, customerId } = ConfirmedOrder.parse(event.data.object);
  if (customerId === undefined) return unchanged('The order names no customer.');
  const [noted, customer] = await Promise.all([work.get(notedOrders, orderId), work.get(customers, customerId)]);
  if (noted) return unchanged('The order has already been counted.');
  if (!customer) {
    log.warn({ orderId, customerId }, 'a confirmed order names an unknown customer: no activity recorded');
    return unchanged(`There is no customer "${customerId}".`);
  }
  if (!acceptsActivity(customer)) return unchanged(`The customer is ${customer.state}, which activity does not change.`);
  work.put(notedOrders, { id: orderId, customerId });
  const lastActivityAt = laterInstant(event.time, customer.lastActivityAt);
  restartIdleTimer(work, work.transition(customers, customer, 'activity', { lastActivityAt }));
  return undefined;
};

/** A customer without activity becomes at-risk, and later churned. */
export const moveIdleCustomer = handleDue(idle)(async ({ key, payload }, { work }) => {
  const customer = await work.get(customers, key);
  // Newer activity has started another timer.
  if (!customer || customer.lastActivityAt !== payload.since) return;
  if (!allowedFrom(customerLifeCycle, 'idle').includes(customer.state)) return;
  const next = work.transition(customers, customer, 'idle');
  if (next.state === 'at-risk') restartIdleTimer(work, next);
});

/** @returns undefined for a customer whose state inactivity does not change */
export function idleTimerOf(customer: CustomerRecord, figures: Figures) {
  const at = idleAt(customer, figures);
  if (at === undefined || customer.lastActivityAt === undefined) return undefined;
  return { at, payload: { since: customer.lastActivityAt } };
}

/** Replaces the running timer of a customer whose activity or state has just changed. */
function restartIdleTimer(work: UnitOfWork, customer: CustomerRecord): void {
  const timer = idleTimerOf(customer, work.figures);
  if (timer) work.schedule(idle, customer.id, timer.at, timer.payload);
  else work.cancel(idle, customer.id);
}

export const getCustomer = handle(getCustomerApi)(async ({ params }, { work }) => {
  const found = await requireObject(work, customers, params.id);
  return found;
});
