import { customerLifeCycle } from '../../../shared/catalog/customer/objects.ts';
import { allowedFrom } from '../../../shared/catalog/life-cycle.ts';
import type { DueHandler } from '../../../shared/work/handler.ts';
import { customers } from '../collections.ts';
import { isAbout, restartIdleTimer } from '../idle-timer.ts';

/** A customer who bought nothing for long enough is at risk, and later lost. */
export const idle: DueHandler = async (item, { work }) => {
  const customer = await work.get(customers, item.key);
  if (!customer || !isAbout(customer, item.payload) || !allowedFrom(customerLifeCycle, 'idle').includes(customer.state)) return;
  const next = work.transition(customers, customer, 'idle');
  if (next.state === 'at-risk') restartIdleTimer(work, next);
};
