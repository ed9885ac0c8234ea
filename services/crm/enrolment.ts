import { putMember } from '../../shared/catalog/loyalty/internal.ts';
import { durationMs } from '../../shared/domain/duration.ts';
import type { Scope } from '../../shared/work/handler.ts';
import { customers, enrolments } from './collections.ts';
import type { CustomerRecord } from './customer-rules.ts';
import { type Enrolment, finishEnrolment } from './due-work.ts';

/** After that time an enrolment that broke off is taken up again. */
const TAKE_OVER_MS = durationMs('PT1M');

export const intendEnrolment = ({ work }: Scope, customer: CustomerRecord, enrolment: Enrolment): void =>
  work.schedule(finishEnrolment, customer.id, work.now + TAKE_OVER_MS, enrolment);

/**
 * Has the Loyalty Platform open the account, then notes it on the customer. Whoever carries it on repeats the same call.
 * @throws Problem `already_enrolled`, `dependency_*`
 */
export async function enrol({ work, call }: Scope, customer: CustomerRecord, { cardNumber, request }: Enrolment) {
  const account = await call(putMember, memberOf(customer, cardNumber));
  work.put(enrolments, { id: customer.id, request });
  work.transition(customers, customer, 'enrol', { loyaltyAccountId: account.id });
  work.cancel(finishEnrolment, customer.id);
  return account;
}

/** The account of a customer, opened if there is none. */
const memberOf = ({ id: customerId }: CustomerRecord, cardNumber: string | undefined) => ({
  params: { customerId },
  body: { ...(cardNumber !== undefined && { cardNumber }) },
});

/** The account that this request opened: due work was faster than its repetition. @throws Problem `dependency_*` */
export async function enrolledBefore({ work, call }: Scope, customer: CustomerRecord, { cardNumber, request }: Enrolment) {
  if ((await work.get(enrolments, customer.id))?.request !== request) return undefined;
  return call(putMember, memberOf(customer, cardNumber));
}
