import { handleDue } from '../../../shared/work/handler.ts';
import { voidAuthorization } from '../authorization/authorization.ts';
import { payments } from '../collections.ts';
import { expireAuthorizationDue } from '../due-work.ts';

export const expireAuthorization = handleDue(expireAuthorizationDue)(async ({ key }, { work }) => {
  const payment = await work.get(payments, key);
  if (payment?.state === 'authorised') voidAuthorization(work, payment, 'expire');
});
