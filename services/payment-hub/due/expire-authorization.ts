import { handleDue } from '../../../shared/work/handler.ts';
import { voidAuthorisation } from '../authorization/authorization.ts';
import { payments } from '../collections.ts';
import { expireAuthorization as expireAuthorizationWork } from '../due-work.ts';

/** The provider keeps an authorisation for seven days. */
export const expireAuthorization = handleDue(expireAuthorizationWork)(async ({ key }, { work }) => {
  const payment = await work.get(payments, key);
  if (payment?.state === 'authorised') voidAuthorisation(work, payment, 'expire');
});
