import { isTransfer } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { giveUpLostGoods } from '../../shared/catalog/fulfillment/internal.ts';
import { isProblem } from '../../shared/catalog/problems.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { SeenFulfillment, StoredOrder } from './collections.ts';
import { DECIDE_TIMEOUT_MS } from './due-work.ts';

/**
 * Called before lost goods are refunded or replaced. Goods that were lost on their way to a store wait at its counter if they are found, so the
 * FMS decides whether they are still lost. Goods that were sent to an address are with the customer if they are found.
 * @returns false if the carrier has found them
 * @throws Problem when the FMS does not answer
 */
export async function giveUpLost({ collection }: StoredOrder, { id, locationId }: SeenFulfillment, { call }: Scope): Promise<boolean> {
  if (!isTransfer({ locationId, collection })) return true;
  try {
    await call(giveUpLostGoods, { params: { id } }, { timeoutMs: DECIDE_TIMEOUT_MS });
    return true;
  } catch (error) {
    if (!isProblem(error, 'invalid_state_transition') || error.retryable) throw error;
    return false;
  }
}
