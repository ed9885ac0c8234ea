import { customerLifeCycle } from '../../../shared/catalog/customer/objects.ts';
import { rowFor } from '../../../shared/catalog/life-cycle.ts';
import { enrollLoyaltyMember as enrollLoyaltyMemberApi } from '../../../shared/catalog/loyalty/apis.ts';
import { isUnknownOutcome, notFound, Problem } from '../../../shared/catalog/problems.ts';
import { handle } from '../../../shared/work/handler.ts';
import { customers } from '../collections.ts';
import { refuseBlocked } from '../customer-rules.ts';
import { finishEnrolment } from '../due-work.ts';
import { enrol, enrolledBefore, intendEnrolment } from '../enrolment.ts';

export const enrollLoyaltyMember = handle(enrollLoyaltyMemberApi)(async ({ body: { customerId, ...asked } }, scope) => {
  const { work } = scope;
  const customer = await work.get(customers, customerId);
  if (!customer) throw notFound('customer', customerId);
  refuseBlocked(customer, 'the customer cannot become a member');
  const enrolment = { ...asked, request: work.id('int') };
  if (customer.loyaltyAccountId !== undefined) {
    const own = await enrolledBefore(scope, customer, enrolment);
    if (own) return own;
    throw new Problem(
      'already_enrolled',
      `The customer "${customerId}" is a member already, with account "${customer.loyaltyAccountId}".`,
      {
        objectType: 'customer',
        id: customerId,
        loyaltyAccountId: customer.loyaltyAccountId,
      },
    );
  }
  rowFor(customerLifeCycle, customer, 'enrol');
  intendEnrolment(scope, customer, enrolment);
  await work.checkpoint();
  try {
    return await enrol(scope, customer, enrolment);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    // A definite refusal ends it; what may have been done at the Loyalty Platform is finished by the due work.
    if (!isUnknownOutcome(error)) work.cancel(finishEnrolment, customerId);
    return error;
  }
});
