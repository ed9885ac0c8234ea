import { customerLifeCycle } from '../../../shared/catalog/customer/objects.ts';
import { rowFor } from '../../../shared/catalog/life-cycle.ts';
import { enrollLoyaltyMember as enrollLoyaltyMemberApi } from '../../../shared/catalog/loyalty/apis.ts';
import { isUnknownOutcome, notFound, Problem } from '../../../shared/catalog/problems.ts';
import { handle } from '../../../shared/work/handler.ts';
import { customers } from '../collections.ts';
import { refuseBlocked } from '../customer-rules.ts';
import { finishEnrolment } from '../due-work.ts';
import { accountOfRequest, enrol, scheduleEnrolment } from '../enrolment.ts';

export const enrollLoyaltyMember = handle(enrollLoyaltyMemberApi)(async ({ body: { customerId, ...card } }, scope) => {
  const { work } = scope;
  const customer = await work.get(customers, customerId);
  if (!customer) throw notFound('customer', customerId);
  refuseBlocked(customer, 'the customer cannot become a member');
  const enrolment = { ...card, request: work.id('int') };
  if (customer.loyaltyAccountId !== undefined) {
    const own = await accountOfRequest(scope, customer, enrolment);
    if (own) return own;
    throw new Problem(
      'already_enrolled',
      `The customer "${customerId}" is already a member, with the account "${customer.loyaltyAccountId}".`,
      { objectType: 'customer', id: customerId, loyaltyAccountId: customer.loyaltyAccountId },
    );
  }
  rowFor(customerLifeCycle, customer, 'enrol');
  scheduleEnrolment(scope, customer, enrolment);
  await work.checkpoint();
  try {
    return await enrol(scope, customer, enrolment);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    // After a definite refusal nothing is left to finish. After an unknown outcome the due work finishes the enrolment.
    if (!isUnknownOutcome(error)) work.cancel(finishEnrolment, customerId);
    return error;
  }
});
