import { getPayable } from '../../../shared/catalog/order/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import type { DueHandler, Scope } from '../../../shared/contract/handler.ts';
import { voidAuthorisation } from '../authorisation.ts';
import { payments } from '../collections.ts';

/** An authorisation that nobody will ever capture holds a customer's money: it is voided when its order is unknown or cancelled. */
export const checkOrphan: DueHandler = async ({ key }, { work, call }) => {
  const payment = await work.get(payments, key);
  if (payment?.state !== 'authorised') return;
  const state = await orderState(call, payment.orderId);
  if (state === undefined || state === 'cancelled') voidAuthorisation(work, payment, 'void');
};

/** Undefined: the OMS knows no such order. While it does not answer nothing is voided; the check is repeated. */
async function orderState(call: Scope['call'], orderId: string): Promise<string | undefined> {
  try {
    return (await call(getPayable, { params: { id: orderId } })).state;
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return undefined;
    throw error;
  }
}
