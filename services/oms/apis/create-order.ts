import type { InputOf } from '../../../shared/catalog/define.ts';
import { createOrder as createOrderApi } from '../../../shared/catalog/order/apis.ts';
import { conflictingRepeat, isDependencyProblem, Problem } from '../../../shared/catalog/problems.ts';
import { again, handle, type Scope } from '../../../shared/work/handler.ts';
import { orders, type StoredOrder } from '../collections.ts';
import { convertBasket, requireConverted, storeOrder } from '../creation/basket-conversion.ts';
import { takeExchangeCreditDue } from '../due-work.ts';
import { basketOfSale, isSale } from '../order/sale.ts';
import { fetchView, type OrderView, viewOf } from '../order-view.ts';
import { refuseUnexchangeable, releaseReturn } from '../returns/exchange-claim.ts';
import { takeExchangeCredit } from '../returns/exchange-credit.ts';
import { TAKE_OVER_MS } from '../timing.ts';

type Body = InputOf<typeof createOrderApi>['body'];

export const createOrder = handle(createOrderApi)(async ({ body }, scope) => {
  const { basketId, transactionId = '' } = body;
  const existing = await (basketId === undefined
    ? scope.work.get(orders, transactionId)
    : scope.work.findUnique(orders, 'basket', basketId));
  if (existing) return (await refuseOtherReturn(existing, body.exchangeForReturnId, scope)) ?? again(await fetchView(existing, scope));
  return createFromBasket(basketId ?? (await basketOfSale(transactionId, body.transaction, scope)), body, scope);
});

/** Releases the claim of a repeat that names another return. @returns the refusal of such a repeat */
async function refuseOtherReturn(existing: StoredOrder, returnId: string | undefined, { work }: Scope): Promise<Problem | undefined> {
  const { id, basketId, exchangeForReturnId } = existing;
  if (returnId === undefined || returnId === exchangeForReturnId) return undefined;
  await releaseReturn(work, returnId, basketId);
  return conflictingRepeat(
    `The order "${id}" exists already, and ${exchangeForReturnId === undefined ? 'no return' : `the return "${exchangeForReturnId}"`} pays for it.`,
    { exchangeForReturnId: exchangeForReturnId ?? null },
    { objectType: 'order', id },
  );
}

async function createFromBasket(basketId: string, { basket: sent, exchangeForReturnId: returnId }: Body, scope: Scope) {
  if (returnId !== undefined) await refuseUnexchangeable(returnId, scope);
  const conversion = sent ? Promise.resolve(requireConverted(basketId, sent)) : convertBasket({ basketId, exchangeFor: returnId }, scope);
  const basket = returnId === undefined ? await conversion : await releaseReturnIfRefused(conversion, { returnId, basketId }, scope);
  if (basket instanceof Problem) return basket;
  const order = await storeOrder(scope.work, basket, returnId);
  if (returnId !== undefined) return payWithCredit(order, scope);
  // A sale may be paid already, so the payments are read.
  return isSale(order) ? fetchView(order, scope) : viewOf(order, { payments: [], fulfillmentOrders: [], returns: [] });
}

/** Releases the claim on the return if the basket is refused. @returns the result or the refusal, so that the release is committed */
async function releaseReturnIfRefused<T>(
  conversion: Promise<T>,
  claim: { returnId: string; basketId: string },
  { work }: Scope,
): Promise<T | Problem> {
  try {
    return await conversion;
  } catch (error) {
    if (!(error instanceof Problem) || error.retryable || isDependencyProblem(error)) throw error;
    await releaseReturn(work, claim.returnId, claim.basketId);
    return error;
  }
}

/** Pays a new draft with the value of its return. If the Payment Hub is down, due work or Confirm Order does so later. */
async function payWithCredit(order: StoredOrder, scope: Scope): Promise<OrderView> {
  const { work, log } = scope;
  work.schedule(takeExchangeCreditDue, order.id, work.now + TAKE_OVER_MS, {});
  await work.checkpoint();
  try {
    const payments = await takeExchangeCredit(order, scope);
    work.cancel(takeExchangeCreditDue, order.id);
    return viewOf(order, { payments, fulfillmentOrders: [], returns: [] });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    log.warn({ orderId: order.id, code: error.code }, 'paying an exchange with its return failed');
    return viewOf(order, { fulfillmentOrders: [], returns: [] });
  }
}
