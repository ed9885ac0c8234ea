import type { DueHandler } from '../../../shared/work/handler.ts';
import { voidAuthorisation } from '../authorization/authorization.ts';
import { payments } from '../collections.ts';

/** The provider keeps an authorisation for seven days. */
export const expireAuthorization: DueHandler = async ({ key }, { work }) => {
  const payment = await work.get(payments, key);
  if (payment?.state === 'authorised') voidAuthorisation(work, payment, 'expire');
};
