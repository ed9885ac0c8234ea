import { handleDue } from '../../../shared/work/handler.ts';
import { approve } from '../authorization/authorization.ts';
import { payments } from '../collections.ts';
import { approvePaymentDue } from '../due-work.ts';

export const approvePayment = handleDue(approvePaymentDue)(async ({ key }, { work }) => {
  const payment = await work.get(payments, key);
  if (payment?.awaiting === 'provider-approval') approve(work, payment);
});
