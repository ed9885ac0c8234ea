import type { z } from 'zod';
import type { Payable } from '../../../shared/catalog/order/objects.ts';
import { invalid, Problem } from '../../../shared/catalog/problems.ts';
import { type Money, money } from '../../../shared/domain/money.ts';

type OrderToPay = z.output<typeof Payable>;

/**
 * States in which an order may be paid. A draft is what checkout pays; a confirmed order is covered, so that the amount refuses
 * there, unless an authorisation was voided or ran out since, or something was paid back before the goods left.
 */
const PAYABLE_STATES: readonly OrderToPay['state'][] = ['draft', 'confirmed', 'in-fulfilment', 'partially-fulfilled'];

/** @throws Problem when an order is not one that may be paid, or not in this currency */
export function refuseUnpayable(order: OrderToPay, asked: { readonly orderId: string; readonly amount?: Money | undefined }): void {
  if (order.orderId !== asked.orderId) {
    throw invalid('/payable/orderId', 'other_order', `payable is about "${order.orderId}", the payment about "${asked.orderId}".`);
  }
  if (!PAYABLE_STATES.includes(order.state)) {
    throw new Problem(
      'invalid_state_transition',
      `The order "${order.orderId}" is ${order.state}; it can be paid while it is ${PAYABLE_STATES.join(', ')}.`,
      { objectType: 'order', id: order.orderId, currentState: order.state, action: 'authorise', allowedFrom: PAYABLE_STATES },
    );
  }
  if (asked.amount && asked.amount.currency !== order.total.currency) {
    throw invalid(
      '/amount/currency',
      'currency_mismatch',
      `The order is in ${order.total.currency}, so it is paid in ${order.total.currency}, not in ${asked.amount.currency}.`,
    );
  }
}

/** Minor units that the payments of an order have to cover. */
export const requiredFor = ({ required, total }: Pick<OrderToPay, 'required' | 'total'>): number => (required ?? total).amount;

/**
 * What may still be authorised: what the order costs without what is cancelled, less everything pending, authorised, or captured and not
 * paid back. Until the order is completed a refund opens the bill again, since goods leave only when they are paid.
 */
export const outstandingOf = (order: OrderToPay, committed: number): Money =>
  money(Math.max(0, requiredFor(order) - committed), order.total.currency);

/**
 * The amount to authorise: what was asked for, or else all that is outstanding.
 * @throws Problem `overpayment` when that is more than what is outstanding, or nothing is
 */
export function amountToAuthorise(orderId: string, outstanding: Money, asked: Money | undefined): Money {
  const amount = asked ?? outstanding;
  if (amount.amount > 0 && amount.amount <= outstanding.amount) return amount;
  const why = outstanding.amount === 0 ? 'is covered: nothing is outstanding' : `has ${outstanding.amount} outstanding`;
  throw new Problem(
    'overpayment',
    `The order "${orderId}" ${why}; ${asked ? `${amount.amount} would be too much` : 'there is nothing to pay'}.`,
    {
      objectType: 'order',
      id: orderId,
      outstanding,
    },
  );
}
