import type { z } from 'zod';
import { LIMITS, limitReached } from '../../../shared/catalog/limits.ts';
import type { Payable } from '../../../shared/catalog/order/objects.ts';
import type { Money } from '../../../shared/domain/money.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { orderCovers, payableOrders, type StoredPayment } from '../collections.ts';

type OrderToPay = z.output<typeof Payable>;

/** Minor units that the payments of an order have to cover. */
export const requiredFor = ({ required, total }: Pick<OrderToPay, 'required' | 'total'>): number => (required ?? total).amount;

/**
 * Brings the counter `payable` up to date with the order, so that the guard compares it with `committed` atomically. Of several concurrent
 * first payments, all but one are retried.
 * @returns minor units that the payments of the order have committed together
 */
export async function syncOrderCover(work: UnitOfWork, order: OrderToPay): Promise<number> {
  const { orderId: id } = order;
  const known = await work.get(payableOrders, id);
  const [cover] = await work.counters(orderCovers, [id]);
  const committed = cover?.committed ?? 0;
  // A cancellation lowers the required amount immediately. The payment for the cancelled units is refunded later.
  const payable = Math.max(requiredFor(order), committed);
  if (known?.payable !== payable) {
    work.put(payableOrders, { id, payable });
    work.move(orderCovers, id, { payable: payable - (known?.payable ?? 0) });
  }
  return committed;
}

export function commitToOrder(work: UnitOfWork, { orderId, amount }: Pick<StoredPayment, 'orderId' | 'amount'>): void {
  work.move(orderCovers, orderId, { committed: amount.amount });
}

/** Counts a new payment of an order, whatever its first state. */
export function countPayment(work: UnitOfWork, { orderId }: Pick<StoredPayment, 'orderId'>): void {
  work.move(orderCovers, orderId, { payments: 1 });
}

/** @throws Problem `limit_reached` for another payment by a request from outside the estate */
export async function refuseFurtherPayment(work: UnitOfWork, orderId: string): Promise<void> {
  const [cover] = await work.counters(orderCovers, [orderId]);
  if ((cover?.payments ?? 0) < LIMITS.payments) return;
  throw limitReached('payments', `The order "${orderId}" has ${LIMITS.payments} payments, which is the limit.`, {
    objectType: 'order',
    id: orderId,
    remedy: 'Cancel the order and place another one.',
  });
}

/** Subtracts an amount that a payment will not pay, so that another payment can pay it. */
export function uncommitFromOrder(work: UnitOfWork, { orderId }: Pick<StoredPayment, 'orderId'>, amount: Money): void {
  work.move(orderCovers, orderId, { committed: -amount.amount });
}

export interface LeftOfOrder {
  /** Minor units of its payments that are neither refunded nor used for an exchange order. */
  readonly left: number;
  /** Minor units that pay for exchange orders of its returns. */
  readonly exchanged: number;
}

/** The part of the payments of a completed order that may still be refunded or exchanged. */
export async function leftOfOrder(work: UnitOfWork, orderId: string): Promise<LeftOfOrder> {
  const [cover] = await work.counters(orderCovers, [orderId]);
  const exchanged = cover?.exchanged ?? 0;
  return { left: (cover?.committed ?? 0) - exchanged, exchanged };
}
