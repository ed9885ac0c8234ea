import { customerLifeCycle } from '../../../shared/catalog/customer/objects.ts';
import { allowedFrom } from '../../../shared/catalog/life-cycle.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { customers } from '../collections.ts';
import { idle } from '../due-work.ts';
import { restartIdleTimer } from '../idle-timer.ts';

/** A customer without activity becomes at-risk, and later churned. */
export const moveIdleCustomer = handleDue(idle)(async ({ key, payload }, { work }) => {
  const customer = await work.get(customers, key);
  // Newer activity has started another timer.
  if (!customer || customer.lastActivityAt !== payload.since) return;
  if (!allowedFrom(customerLifeCycle, 'idle').includes(customer.state)) return;
  const next = work.transition(customers, customer, 'idle');
  if (next.state === 'at-risk') restartIdleTimer(work, next);
});
