import { moveCustomer as moveCustomerCall } from '../../../shared/catalog/customer/internal.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { instant } from '../../../shared/domain/time.ts';
import { handle } from '../../../shared/work/handler.ts';
import { customers } from '../collections.ts';
import { restartIdleTimer } from '../idle-timer.ts';

/** Unblocking counts as activity now, like a purchase. */
export const moveCustomer = handle(moveCustomerCall)(async ({ params: { id }, body: { verb } }, { work }) => {
  const customer = await work.get(customers, id);
  if (!customer) throw notFound('customer', id);
  const next = work.transition(customers, customer, verb, verb === 'unblock' ? { lastActivityAt: instant(work.now) } : {});
  restartIdleTimer(work, next);
  return next;
});
