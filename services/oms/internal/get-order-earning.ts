import { getOrderEarning as getOrderEarningCall } from '../../../shared/catalog/order/internal.ts';
import { handle } from '../../../shared/work/handler.ts';
import { orderById } from '../collections.ts';

/** The Loyalty Platform decides from these members who earns points. */
export const getOrderEarning = handle(getOrderEarningCall)(async ({ params }, { work }) => {
  const { id, state, customerId, loyaltyAccountId, earningAmount, earningRefunds } = await orderById(work, params.id);
  return { id, state, customerId, loyaltyAccountId, earningAmount, earningRefunds };
});
