import { Problem } from '../../../shared/catalog/problems.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { customers } from '../collections.ts';
import { finishEnrolment } from '../due-work.ts';
import { enrol } from '../enrolment.ts';

/** A refusal by the Loyalty Platform ends the enrolment: the request was answered with it, or is sent again. */
export const finishInterruptedEnrolment = handleDue(finishEnrolment)(async ({ key, payload }, scope) => {
  const customer = await scope.work.get(customers, key);
  if (!customer || customer.loyaltyAccountId !== undefined || customer.state === 'blocked') return;
  try {
    await enrol(scope, customer, payload);
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'already_enrolled')) throw error;
    scope.log.info({ customerId: customer.id }, 'Loyalty Platform refused an interrupted enrolment');
  }
});
