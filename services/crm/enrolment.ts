import { putMember } from '../../shared/catalog/loyalty/internal.ts';
import { durationMs } from '../../shared/domain/duration.ts';
import type { Scope } from '../../shared/work/handler.ts';
import { customers, enrolments } from './collections.ts';
import type { CustomerRecord } from './customer-rules.ts';
import { type Enrolment, finishEnrolment } from './due-work.ts';

/** An enrolment without an outcome is continued after this time. */
const FINISH_AFTER_MS = durationMs('PT1M');

/** Schedules the due work that finishes the enrolment, to be committed before the Loyalty Platform is called. */
export const scheduleEnrolment = ({ work }: Scope, customer: CustomerRecord, enrolment: Enrolment): void =>
  work.schedule(finishEnrolment, customer.id, work.now + FINISH_AFTER_MS, enrolment);

/** Opens the account at the Loyalty Platform and records it; a repeat makes the same call. @throws `already_enrolled`, `dependency_*` */
export async function enrol({ work, call }: Scope, customer: CustomerRecord, { cardNumber, request }: Enrolment) {
  const account = await call(putMember, putMemberInput(customer, cardNumber));
  work.put(enrolments, { id: customer.id, request });
  work.transition(customers, customer, 'enrol', { loyaltyAccountId: account.id });
  work.cancel(finishEnrolment, customer.id);
  return account;
}

const putMemberInput = ({ id: customerId }: CustomerRecord, cardNumber: string | undefined) => ({
  params: { customerId },
  body: { cardNumber },
});

/** The account that this request opened, if due work finished the enrolment before its repeat. @throws Problem `dependency_*` */
export async function accountOfRequest({ work, call }: Scope, customer: CustomerRecord, { cardNumber, request }: Enrolment) {
  if ((await work.get(enrolments, customer.id))?.request !== request) return undefined;
  return call(putMember, putMemberInput(customer, cardNumber));
}
