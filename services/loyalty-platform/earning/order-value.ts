import type { OutputOf } from '../../../shared/catalog/define.ts';
import type { getOrderEarning } from '../../../shared/catalog/order/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { pointsWorth } from '../account/points-rules.ts';

/** States in which an order has earned, or is about to. */
const EARNING_STATES: readonly string[] = ['completed', 'return-in-progress'];

/**
 * Minor units for which an order earns points.
 * @throws Problem `invalid_state_transition` before it is completed
 */
export function amountToEarnFor({ id, state, earningAmount }: OutputOf<typeof getOrderEarning>): number {
  if (EARNING_STATES.includes(state)) return earningAmount ? pointsWorth(earningAmount, '/amount/currency') : 0;
  throw new Problem('invalid_state_transition', `The order "${id}" is ${state}; it earns points by itself when it is completed.`, {
    ...{ objectType: 'order', id, currentState: state, action: 'earn', allowedFrom: EARNING_STATES },
  });
}
