import { getTransaction } from '../../../shared/catalog/commerce/internal.ts';
import { getPayable } from '../../../shared/catalog/order/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { handleDue, type Scope } from '../../../shared/work/handler.ts';
import { voidAuthorisation } from '../authorization/authorization.ts';
import { payments, type StoredPayment } from '../collections.ts';
import { checkOrphan as checkOrphanWork } from '../due-work.ts';

/**
 * An authorisation that nobody will ever capture holds a customer's money: it is voided when its order is unknown or cancelled, or, at
 * the till, when its transaction is unknown or voided or does not list it. While its owner does not answer nothing is voided; the
 * check is repeated.
 */
export const checkOrphan = handleDue(checkOrphanWork)(async ({ key }, { work, call }) => {
  const payment = await work.get(payments, key);
  if (payment?.state !== 'authorised') return;
  const isWanted = payment.takenAt === 'pos' ? isListed : isPayable;
  if (!(await isWanted(payment, call))) voidAuthorisation(work, payment, 'void');
});

async function isPayable({ orderId }: StoredPayment, call: Scope['call']): Promise<boolean> {
  const order = await call(getPayable, { params: { id: orderId } }).catch(unknown);
  return order !== undefined && order.state !== 'cancelled';
}

async function isListed({ id, orderId }: StoredPayment, call: Scope['call']): Promise<boolean> {
  const transaction = await call(getTransaction, { params: { id: orderId } }).catch(unknown);
  return transaction !== undefined && transaction.state !== 'voided' && transaction.paymentIds.includes(id);
}

function unknown(error: unknown): undefined {
  if (error instanceof Problem && error.code === 'not_found') return undefined;
  throw error;
}
