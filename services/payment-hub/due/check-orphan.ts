import { getTransaction } from '../../../shared/catalog/commerce/internal.ts';
import { getPayable } from '../../../shared/catalog/order/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { handleDue, type Scope } from '../../../shared/work/handler.ts';
import { voidAuthorization } from '../authorization/authorization.ts';
import { payments, type StoredPayment } from '../collections.ts';
import { checkOrphanDue } from '../due-work.ts';

/**
 * Voids an authorisation that nobody will capture, because it blocks a customer's money. Its order is unknown or cancelled, or its
 * transaction at the till is unknown, voided or does not list it. The check fails, and is repeated, while the OMS or the POS does not
 * answer.
 */
export const checkOrphan = handleDue(checkOrphanDue)(async ({ key }, { work, call }) => {
  const payment = await work.get(payments, key);
  if (payment?.state !== 'authorised') return;
  const isWanted = payment.takenAt === 'pos' ? isListed : isPayable;
  if (!(await isWanted(payment, call))) voidAuthorization(work, payment, 'void');
});

async function isPayable({ orderId }: StoredPayment, call: Scope['call']): Promise<boolean> {
  const order = await call(getPayable, { params: { id: orderId } }).catch(undefinedIfNotFound);
  return order !== undefined && order.state !== 'cancelled';
}

async function isListed({ id, orderId }: StoredPayment, call: Scope['call']): Promise<boolean> {
  const transaction = await call(getTransaction, { params: { id: orderId } }).catch(undefinedIfNotFound);
  return transaction !== undefined && transaction.state !== 'voided' && transaction.paymentIds.includes(id);
}

function undefinedIfNotFound(error: unknown): undefined {
  if (error instanceof Problem && error.code === 'not_found') return undefined;
  throw error;
}
