import { createOrder } from '../../../shared/catalog/order/apis.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Basket, baskets, type CheckoutRecord, checkouts } from '../collections.ts';
import { checkoutTtl, placeOrder } from '../due-work.ts';
import { settleCheckout } from './record.ts';

/** After a failure; every further one waits longer. */
const RETRY_MS = 5_000;

/** Ends a checkout by an order: the first orderId is kept, and the checkout's time no longer runs. */
export function convertBasket(work: UnitOfWork, basket: Basket, orderId: string): Basket {
  work.cancel(checkoutTtl, basket.id);
  return work.transition(baskets, basket, 'convert', { orderId, expiresAt: undefined });
}

/**
 * Converts a locked basket and has the OMS store its order. The basket and its orderId are committed first; from then on the
 * order will come, if need be by due work.
 * @returns the converted basket, or the problem at the OMS; a repeat of the checkout asks again
 */
export async function convertAndPlaceOrder(scope: Scope, locked: Basket, record: CheckoutRecord): Promise<Basket | Problem> {
  const { work } = scope;
  const converted = convertBasket(work, locked, work.id('ord'));
  const placing = work.put(checkouts, { ...record, phase: 'placing' });
  work.schedule(placeOrder, converted.id, work.now, null, { beforeReply: true });
  await work.checkpoint();
  return submitOrder(scope, converted, placing);
}

/** Has the OMS store the order of a converted basket, as often as it takes: the same basket gives the same order. */
export async function submitOrder(scope: Scope, converted: Basket, record: CheckoutRecord): Promise<Basket | Problem> {
  const { work, call } = scope;
  try {
    await call(createOrder, { body: { basketId: converted.id, basket: converted } });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    work.schedule(placeOrder, converted.id, work.now + RETRY_MS, null);
    return error;
  }
  orderPlaced(work, converted.id, record);
  return converted;
}

export function orderPlaced(work: UnitOfWork, basketId: string, record: CheckoutRecord): void {
  work.cancel(placeOrder, basketId);
  settleCheckout(work, basketId, record);
}
