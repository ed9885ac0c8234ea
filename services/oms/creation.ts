import { convertBasket as convertBasketCall, getBasket } from '../../shared/catalog/commerce/internal.ts';
import type { InputOf } from '../../shared/catalog/define.ts';
import { createOrder as createOrderApi } from '../../shared/catalog/order/apis.ts';
import { conflictingRepeat, invalid, isDependencyProblem, Problem, undefinedIf } from '../../shared/catalog/problems.ts';
import { mintedAt } from '../../shared/domain/ids.ts';
import { localDay } from '../../shared/domain/local-day.ts';
import { orderNumberOf } from '../../shared/domain/order-number.ts';
import { instant } from '../../shared/domain/time.ts';
import { again, handle, handleDue, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import {
  type Basket,
  basketOfSale,
  type ConvertedBasket,
  isConverted,
  isSale,
  orderFromBasket,
  refuseBlocked,
  unfitForOrder,
} from './baskets.ts';
import { orders, type StoredOrder } from './collections.ts';
import { expireDraftDue, finishCreationDue, TAKE_OVER_MS, takeExchangeCreditDue } from './due-work.ts';
import { claimReturn, isClaimable, refuseForeignReturn, refuseUnexchangeable, releaseReturn, takeExchangeCredit } from './exchange.ts';
import { fetchView, type OrderView, viewOf } from './order-view.ts';

type Body = InputOf<typeof createOrderApi>['body'];

export const createOrder = handle(createOrderApi)(async ({ body }, scope) => {
  const { basketId, transactionId = '' } = body;
  const existing = await (basketId === undefined
    ? scope.work.get(orders, transactionId)
    : scope.work.findUnique(orders, 'basket', basketId));
  if (existing) return (await refuseOtherReturn(existing, body.exchangeForReturnId, scope)) ?? again(await fetchView(existing, scope));
  return createFromBasket(basketId ?? (await basketOfSale(transactionId, body.transaction, scope)), body, scope);
});

/** Releases the claim of a repeat that names another return. @returns the refusal of this repeat */
async function refuseOtherReturn(existing: StoredOrder, returnId: string | undefined, { work }: Scope): Promise<Problem | undefined> {
  const { id, basketId, exchangeForReturnId } = existing;
  if (returnId === undefined || returnId === exchangeForReturnId) return undefined;
  await releaseReturn(work, returnId, basketId);
  const detail = `The order "${id}" exists already, and ${exchangeForReturnId === undefined ? 'no return' : `the return "${exchangeForReturnId}"`} pays for it.`;
  return conflictingRepeat(detail, { exchangeForReturnId: exchangeForReturnId ?? null }, { objectType: 'order', id });
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

/**
 * Binds a basket to an order before the order is stored. The eCommerce Platform keeps the first order id that it receives, so concurrent
 * and repeated requests store the same order. If no request stores it, due work does. The order of a checkout at the till has the id of its
 * transaction.
 * @throws Problem `not_found`, `basket_empty`, `invalid_state_transition` for the basket or the return, `customer_blocked`, `dependency_*`
 */
async function convertBasket(
  { basketId, exchangeFor }: { basketId: string; exchangeFor: string | undefined },
  scope: Scope,
): Promise<ConvertedBasket> {
  const { work, call } = scope;
  const basket = await call(getBasket, { params: { id: basketId } });
  // An earlier request bound the basket, so this request must create the order.
  if (isConverted(basket)) return basket;
  const unfit = unfitForOrder(basket);
  if (unfit) throw unfit;
  // The till checked its customer before the sale.
  if (basket.customerId !== undefined && basket.transactionId === undefined) await refuseBlocked(basket.customerId, scope);
  if (exchangeFor !== undefined) {
    await refuseForeignReturn(exchangeFor, basket.customerId, scope);
    await claimReturn(work, exchangeFor, basketId);
  }
  work.schedule(finishCreationDue, basketId, work.now + TAKE_OVER_MS, exchangeFor === undefined ? {} : { exchangeFor });
  await work.checkpoint();
  const converted = await call(convertBasketCall, { params: { id: basketId }, body: { orderId: basket.transactionId ?? work.id('ord') } });
  if (isConverted(converted)) return converted;
  throw new Problem('dependency_error', `The basket "${basketId}" was not converted.`, { dependency: 'ecommerce-platform' });
}

/** Checks a basket that the eCommerce Platform sent in its request. @throws Problem `validation_failed` unless it is this basket, converted */
function requireConverted(basketId: string, basket: Basket): ConvertedBasket {
  if (basket.id !== basketId)
    throw invalid('/basket/id', 'other_basket', `The basket in the request is "${basket.id}", not "${basketId}".`);
  if (!isConverted(basket))
    throw invalid('/basket/state', 'not_converted', 'The basket in the request must be converted and have an orderId.');
  return basket;
}

/** Stores the order of a converted basket as a draft, which expires unless it is confirmed. */
async function storeOrder(work: UnitOfWork, basket: ConvertedBasket, exchangeFor?: string): Promise<StoredOrder> {
  const validatedAt = instant(work.now);
  if (exchangeFor !== undefined) await claimReturn(work, exchangeFor, basket.id);
  const order = work.create(orders, 'create', {
    ...orderFromBasket(basket, { orderNumber: await findFreeNumber(work, basket), validatedAt }),
    exchangeForReturnId: exchangeFor,
  });
  work.cancel(finishCreationDue, basket.id);
  work.schedule(expireDraftDue, order.id, work.now + work.figures.windowMs.draftOrder, {});
  return order;
}

/** A till prints the number at the checkout, perhaps days earlier, so the number carries the day of the checkout. */
async function findFreeNumber(work: UnitOfWork, { orderId, transactionId }: ConvertedBasket): Promise<string> {
  const day = localDay(transactionId === undefined ? work.now : mintedAt(orderId), work.figures.timeZone);
  for (let attempt = 0; ; attempt++) {
    const number = orderNumberOf(orderId, day, attempt);
    if (!(await work.findUnique(orders, 'number', number))) return number;
  }
}

/** Stores the order of a Create Order that was interrupted after the conversion of its basket. */
export const finishCreation = handleDue(finishCreationDue)(async ({ key: basketId, payload: { exchangeFor } }, { work, call }) => {
  if (await work.findUnique(orders, 'basket', basketId)) return;
  const basket = await call(getBasket, { params: { id: basketId } }).catch(undefinedIf('not_found'));
  const isConverting = basket !== undefined && isConverted(basket);
  if (!isConverting) {
    if (exchangeFor !== undefined) await releaseReturn(work, exchangeFor, basketId);
    return;
  }
  // A bound basket always becomes an order, even if its return no longer pays for it.
  const isPaid = exchangeFor !== undefined && (await isClaimable(work, exchangeFor, basketId));
  await storeOrder(work, basket, isPaid ? exchangeFor : undefined);
});
