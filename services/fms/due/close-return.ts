import { closeReturn } from '../../../shared/catalog/order/internal.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { returns } from '../returns/collections.ts';
import { closeReturnDue } from '../returns/due-work.ts';

/** Reports a return to the OMS that ended without a call to it, by an exchange or by refunds made elsewhere. The OMS books the units. */
export const closeReturnLater = handleDue(closeReturnDue)(async ({ key }, { work, call }) => {
  const found = await work.get(returns, key);
  if (found?.state !== 'refunded' && found?.state !== 'exchanged') return;
  const { orderId, exchangeOrderId, state: outcome } = found;
  const body = { outcome, exchangeOrderId };
  await call(closeReturn, { params: { id: orderId, returnId: key }, body }, { step: outcome });
});
