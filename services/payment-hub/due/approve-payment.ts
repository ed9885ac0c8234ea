import type { DueHandler } from '../../../shared/work/handler.ts';
import { approve } from '../authorization/authorization.ts';
import { payments } from '../collections.ts';

/** The provider's late word on a payment that it took its time for. */
export const approvePayment: DueHandler = async ({ key }, { work }) => {
  const payment = await work.get(payments, key);
  if (payment?.awaiting === 'provider-approval') approve(work, payment);
};
