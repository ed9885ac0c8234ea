import { getPayable as getPayableCall } from '../../../shared/catalog/order/internal.ts';
import { handle } from '../../../shared/contract/handler.ts';
import { orderById } from '../order-by-id.ts';

/** The Payment Hub decides by state and total what may still be paid; the OMS only reports. */
export const getPayable = handle(getPayableCall)(async ({ params }, { work }) => {
  const { id, channel, state, totals, customerId, loyaltyAccountId } = await orderById(work, params.id);
  return {
    orderId: id,
    channel,
    state,
    total: totals.total,
    ...(customerId !== undefined && { customerId }),
    ...(loyaltyAccountId !== undefined && { loyaltyAccountId }),
  };
});
