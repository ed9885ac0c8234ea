import type { OutputOf } from '../../../shared/catalog/define.ts';
import { refusal } from '../../../shared/catalog/life-cycle.ts';
import type { getOrderEarning } from '../../../shared/catalog/order/internal.ts';
import { pointsOfValue } from '../account/point-value.ts';

const EARNING_STATES: readonly string[] = ['completed', 'return-in-progress'];

/**
 * The minor units that earn points.
 * @throws Problem `invalid_state_transition` before the order is completed, and when it is cancelled
 */
export function earningAmountOf({ id, state, earningAmount }: OutputOf<typeof getOrderEarning>): number {
  if (EARNING_STATES.includes(state)) return earningAmount ? pointsOfValue(earningAmount) : 0;
  throw refusal(
    'order',
    { id, state },
    'earn',
    `The order "${id}" is ${state}; an order earns its points automatically when it is completed.`,
    {
      allowedFrom: EARNING_STATES,
    },
  );
}
