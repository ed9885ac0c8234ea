import type { z } from 'zod';
import { refusal } from '../../../shared/catalog/life-cycle.ts';
import type { Payable } from '../../../shared/catalog/order/objects.ts';
import { invalid } from '../../../shared/catalog/problems.ts';
import { type Money, money } from '../../../shared/domain/money.ts';
import { requiredFor } from '../funds/order-cover.ts';

type OrderToPay = z.output<typeof Payable>;

/**
 * An order may be paid in these states. Checkout pays a draft. In the later states, an amount is outstanding only after an authorisation was
 * voided or expired, or after a refund before the completion. Otherwise the amount is refused.
 */
const PAYABLE_STATES: readonly OrderToPay['state'][] = ['draft', 'confirmed', 'in-fulfilment', 'partially-fulfilled'];

/** @throws Problem `invalid_state_transition` for an order that cannot be paid; `validation_failed` for another order */
export function refuseUnpayable(order: OrderToPay, request: { readonly orderId: string }): void {
  if (order.orderId !== request.orderId) {
    throw invalid('/payable/orderId', 'other_order', `payable is about "${order.orderId}", the payment about "${request.orderId}".`);
  }
  if (!PAYABLE_STATES.includes(order.state)) {
    throw refusal(
      'order',
      { id: order.orderId, state: order.state },
      'authorise',
      `The order "${order.orderId}" is ${order.state}; it can be paid while it is ${PAYABLE_STATES.join(', ')}.`,
      { allowedFrom: PAYABLE_STATES },
    );
  }
}

/**
 * The amount that may still be authorised: the order without cancelled units, less all payments that are pending, authorised, or
 * captured and not refunded. A refund before the completion of the order is outstanding again, because unpaid goods are not dispatched.
 */
export const outstandingOf = (order: OrderToPay, committed: number): Money =>
  money(Math.max(0, requiredFor(order) - committed), order.total.currency);

/** @param requested absent: all that is outstanding */
export const isTooMuch = (outstanding: Money, requested = outstanding): boolean =>
  requested.amount <= 0 || requested.amount > outstanding.amount;
