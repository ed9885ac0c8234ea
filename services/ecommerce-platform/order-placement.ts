import { convertBasket as convertBasketCall } from '../../shared/catalog/commerce/internal.ts';
import { basketLifeCycle } from '../../shared/catalog/commerce/objects.ts';
import { isAgain, refusal } from '../../shared/catalog/life-cycle.ts';
import { createOrder } from '../../shared/catalog/order/apis.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { again, handle, handleDue, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { checkoutOf, refuseWhileChanging, settleCheckout } from './checkout-record.ts';
import { type Basket, baskets, type CheckoutRecord, checkouts } from './collections.ts';
import { checkoutTtl, placeOrder } from './due-work.ts';

/** Time until the first retry by due work. Further retries back off. */
const RETRY_MS = 5_000;

/** Converts a locked basket under its order's id, and stops the checkout's timer. */
function convertBasket(work: UnitOfWork, basket: Basket, orderId: string): Basket {
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

function settlePlacedOrder(work: UnitOfWork, basketId: string, record: CheckoutRecord): void {
  work.cancel(placeOrder, basketId);
  settleCheckout(work, basketId, record);
}

export const resubmitOrder = handleDue(placeOrder)(async ({ key, attempts }, { work, call }) => {
  const basket = await work.get(baskets, key);
  const record = await checkoutOf(work, key);
  if (!basket || record?.phase !== 'placing') return;
  await call(createOrder, { body: { basketId: basket.id, basket } }, { step: `attempt ${attempts}` });
  settlePlacedOrder(work, basket.id, record);
});

export const convertBasketHandler = handle(convertBasketCall)(async ({ params, body }, { work }) => {
  const basket = await requireObject(work, baskets, params.id);
  if (isAgain(basketLifeCycle, basket, 'convert')) return again(basket);
  refuseOtherOrder(basket, body.orderId);
  await refuseWhileChanging(work, basket);
  return convertBasket(work, basket, body.orderId);
});

/** The order of a transaction has the transaction's id. @throws Problem 409 */
function refuseOtherOrder({ id, state, transactionId }: Basket, orderId: string): void {
  if (transactionId === undefined || transactionId === orderId) return;
  const detail = `The basket "${id}" belongs to the transaction "${transactionId}": create its order with the transactionId.`;
  throw refusal('basket', { id, state }, 'convert', detail, { transactionId });
}
