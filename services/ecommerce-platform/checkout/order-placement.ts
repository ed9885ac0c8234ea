import { createOrder } from '../../../shared/catalog/order/apis.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Basket, baskets, type CheckoutRecord, checkouts } from '../collections.ts';
import { checkoutTtl, placeOrder } from '../due-work.ts';
import { settleCheckout } from './record.ts';

/** Time until the first retry by due work. Further retries back off. */
const RETRY_MS = 5_000;

/** Converts a locked basket under its order's id, and stops the checkout's timer. */
export function convertBasket(work: UnitOfWork, basket: Basket, orderId: string): Basket {
  work.cancel(checkoutTtl, basket.id);
  return work.transition(baskets, basket, 'convert', { orderId, expiresAt: undefined });
}

/**
 * Converts a locked basket and submits its order to the OMS. The conversion is committed before the OMS is called; due work submits
 * the order again if the call fails.
 * @returns the converted basket, or the problem at the OMS; a repeated checkout submits the order again
 */
export async function convertAndPlaceOrder(scope: Scope, locked: Basket, record: CheckoutRecord): Promise<Basket | Problem> {
  const { work } = scope;
  const converted = convertBasket(work, locked, work.id('ord'));
  const placing = work.put(checkouts, { ...record, phase: 'placing' });
  work.schedule(placeOrder, converted.id, work.now, null, { beforeReply: true });
  await work.checkpoint();
  return submitOrder(scope, converted, placing);
}

/** Submits the order of a converted basket to the OMS, which answers a repeated submission with the same order. */
export async function submitOrder(scope: Scope, converted: Basket, record: CheckoutRecord): Promise<Basket | Problem> {
  const { work, call } = scope;
  try {
    await call(createOrder, { body: { basketId: converted.id, basket: converted } });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    work.schedule(placeOrder, converted.id, work.now + RETRY_MS, null);
    return error;
  }
  settlePlacedOrder(work, converted.id, record);
  return converted;
}

export function settlePlacedOrder(work: UnitOfWork, basketId: string, record: CheckoutRecord): void {
  work.cancel(placeOrder, basketId);
  settleCheckout(work, basketId, record);
}
