import type { OutputOf } from '../../../shared/catalog/define.ts';
import type { getOrderEarning } from '../../../shared/catalog/order/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { pointsOfValue } from '../account/point-value.ts';

const EARNING_STATES: readonly string[] = ['completed', 'return-in-progress'];

/**
 * Minor units for which an order earns points.
 * @throws Problem `invalid_state_transition` before the order is completed, and when it is cancelled
 */
export function earningAmountOf({ id, state, earningAmount }: OutputOf<typeof getOrderEarning>): number {
  if (EARNING_STATES.includes(state)) return earningAmount ? pointsOfValue(earningAmount) : 0;
  throw new Problem('invalid_state_transition', `The order "${id}" is ${state}; a completed order earns its points by itself.`, {
    objectType: 'order',
    id,
    currentState: state,
    action: 'earn',
    allowedFrom: EARNING_STATES,
  });
}
