import { logCustomerInteraction as logCustomerInteractionCall } from '../../../shared/catalog/customer/internal.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { instant } from '../../../shared/domain/time.ts';
import { handle } from '../../../shared/work/handler.ts';
import { customers } from '../collections.ts';
import { addInteraction, interactionVerb, laterInstant, refuseBlocked } from '../customer-rules.ts';
import { restartIdleTimer } from '../idle-timer.ts';

export const logCustomerInteraction = handle(logCustomerInteractionCall)(async ({ params: { id }, body }, { work }) => {
  const customer = await work.get(customers, id);
  if (!customer) throw notFound('customer', id);
  refuseBlocked(customer, 'the customer must not be contacted');
  const { type, note, occurredAt = instant(work.now) } = body;
  const next = work.transition(customers, customer, interactionVerb(occurredAt, work.now), {
    lastActivityAt: laterInstant(occurredAt, customer.lastActivityAt),
    interactions: addInteraction(customer.interactions, { id: work.id('int'), type, note, occurredAt }),
  });
  restartIdleTimer(work, next);
  return next;
});
