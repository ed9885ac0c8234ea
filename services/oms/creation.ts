import { isDeepStrictEqual } from 'node:util';
import { convertBasket as convertBasketCall, getBasket } from '../../shared/catalog/commerce/internal.ts';
import type { InputOf } from '../../shared/catalog/define.ts';
import { createOrder as createOrderApi } from '../../shared/catalog/order/apis.ts';
import { conflictingRepeat, invalid, isDependencyProblem, Problem, undefinedIf } from '../../shared/catalog/problems.ts';
import { instant } from '../../shared/domain/time.ts';
import { endReference, findReference, type ReferenceRecord, refuseOtherRequest, takeReference } from '../../shared/handlers/references.ts';
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
import { createGivenOrder, isGiven } from './given.ts';
import { findFreeNumber } from './order-numbers.ts';
import { fetchView, type OrderView, published, viewOf } from './order-view.ts';

type Body = InputOf<typeof createOrderApi>['body'];

export const createOrder = handle(createOrderApi)(async ({ body }, scope) => {
  const { basketId, transactionId = '' } = body;
  const named = await refuseTakenReference(body, scope);
  if (isGiven(body)) {
    if (named) return again(await fetchView(named, scope));
    const created = await createGivenOrder(body, scope);
    return created instanceof Problem ? created : viewOf(created, { payments: [], fulfillmentOrders: [], returns: [] });
  }
  const existing = await (basketId === undefined
    ? scope.work.get(orders, transactionId)
    : scope.work.findUnique(orders, 'basket', basketId));
  if (existing) refuseOtherNames(existing, body);
  if (existing) return (await refuseOtherReturn(existing, body.exchangeForReturnId, scope)) ?? again(await fetchView(existing, scope));
  return createFromBasket(basketId ?? (await basketOfSale(transactionId, body.transaction, scope)), body, scope);
});

type Names = Pick<StoredOrder, 'reference' | 'metadata'>;

/** The body without the members that applications add. */
const askedIn = ({ basket: _basket, transaction: _transaction, ...asked }: Body): Body => asked;

/**
 * @returns the order with the reference, if there is one
 * @throws Problem `conflicting_repeat` for a reference that a request with other content has taken
 */
async function refuseTakenReference(body: Body, { work }: Scope): Promise<StoredOrder | undefined> {
  const record = await findReference(work, 'order', body.reference);
  if (!record) return undefined;
  const order = record.objectId === undefined ? undefined : await work.get(orders, record.objectId);
  if (!order && (await isOvertaken(work, record))) return undefined;
  // Until the basket is converted, the other request may still be refused, and then frees the reference.
  refuseOtherRequest('order', record, askedIn(body), order ? { object: published(order) } : { retryable: true, retryAfter: 1 });
  return order;
}

/** Whether another request has made the order of the basket, without the reference. */
const isOvertaken = async (work: UnitOfWork, { source = '' }: ReferenceRecord): Promise<boolean> =>
  (await work.findUnique(orders, 'basket', source)) !== undefined;

/** @throws Problem `conflicting_repeat` for a repeat that gives the order another reference or other metadata */
function refuseOtherNames(order: StoredOrder, body: Body): void {
  const differs = (['reference', 'metadata'] as const).filter(
    (member) => body[member] !== undefined && !isDeepStrictEqual(body[member], order[member]),
  );
  if (differs.length === 0) return;
  const standing = Object.fromEntries(differs.map((member) => [member, order[member] ?? null]));
  const detail = `The order "${order.id}" exists already, with other values or none in ${differs.join(' and ')}; a repeat does not change that.`;
  throw conflictingRepeat(detail, standing, { objectType: 'order', id: order.id });
}

/** Releases the claim of a repeat that names another return. @returns the refusal of this repeat */
async function refuseOtherReturn(existing: StoredOrder, returnId: string | undefined, { work }: Scope): Promise<Problem | undefined> {
  const { id, basketId, exchangeForReturnId } = existing;
  if (returnId === undefined || returnId === exchangeForReturnId || basketId === undefined) return undefined;
  await releaseReturn(work, returnId, basketId);
  const detail = `The order "${id}" exists already, and ${exchangeForReturnId === undefined ? 'no return' : `the return "${exchangeForReturnId}"`} pays for it.`;
  return conflictingRepeat(detail, { exchangeForReturnId: exchangeForReturnId ?? null }, { objectType: 'order', id });
}

async function createFromBasket(basketId: string, body: Body, scope: Scope) {
  const { basket: sent, exchangeForReturnId: returnId } = body;
  if (returnId !== undefined) await refuseUnexchangeable(returnId, scope);
  const conversion = sent ? Promise.resolve(requireConverted(basketId, sent)) : convertBasket(basketId, body, scope);
  const mayHaveClaims = returnId !== undefined || body.reference !== undefined;
  const basket = mayHaveClaims ? await releaseIfRefused(conversion, { basketId, body }, scope) : await conversion;
  if (basket instanceof Problem) return basket;
  const order = await storeOrder(scope.work, basket, { ...body, exchangeFor: returnId });
  takeReference(scope.work, 'order', askedIn(body), { objectId: order.id });
  if (returnId !== undefined) return payWithCredit(order, scope);
  // A sale may be paid already, so the payments are read.
  return isSale(order) ? fetchView(order, scope) : viewOf(order, { payments: [], fulfillmentOrders: [], returns: [] });
}

/** Releases return and reference if the basket is refused. @returns the result or the refusal, so that the release is committed */
async function releaseIfRefused<T>(
  conversion: Promise<T>,
  { basketId, body: { exchangeForReturnId, reference } }: { readonly basketId: string; readonly body: Body },
  { work }: Scope,
): Promise<T | Problem> {
  try {
    return await conversion;
  } catch (error) {
    if (!(error instanceof Problem) || error.retryable || isDependencyProblem(error)) throw error;
    if (exchangeForReturnId !== undefined) await releaseReturn(work, exchangeForReturnId, basketId);
    const record = await claimOf(work, basketId, reference);
    if (record) endReference(work, record, undefined);
    return error;
  }
}

/** The claim of a basket on a reference, before its order exists. */
async function claimOf(work: UnitOfWork, basketId: string, reference: Names['reference']): Promise<ReferenceRecord | undefined> {
  const record = await findReference(work, 'order', reference);
  return record?.source === basketId ? record : undefined;
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
async function convertBasket(basketId: string, body: Body, scope: Scope): Promise<ConvertedBasket> {
  const { work, call } = scope;
  const { exchangeForReturnId: exchangeFor, reference, metadata } = body;
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
  takeReference(work, 'order', askedIn(body), { source: basketId });
  work.schedule(finishCreationDue, basketId, work.now + TAKE_OVER_MS, { exchangeFor, reference, metadata });
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
async function storeOrder(
  work: UnitOfWork,
  basket: ConvertedBasket,
  { exchangeFor, reference, metadata }: Names & { readonly exchangeFor?: string | undefined },
): Promise<StoredOrder> {
  const validatedAt = instant(work.now);
  if (exchangeFor !== undefined) await claimReturn(work, exchangeFor, basket.id);
  const order = work.create(orders, 'create', {
    ...orderFromBasket(basket, { orderNumber: await findFreeNumber(work, basket), validatedAt }),
    exchangeForReturnId: exchangeFor,
    reference,
    metadata,
  });
  work.cancel(finishCreationDue, basket.id);
  work.schedule(expireDraftDue, order.id, work.now + work.figures.windowMs.draftOrder, {});
  return order;
}

/** Stores the order of a Create Order that was interrupted after the conversion of its basket. */
export const finishCreation = handleDue(finishCreationDue)(async ({ key: basketId, payload }, { work, call }) => {
  const { exchangeFor, metadata } = payload;
  if (await work.findUnique(orders, 'basket', basketId)) return;
  const basket = await call(getBasket, { params: { id: basketId } }).catch(undefinedIf('not_found'));
  const isConverting = basket !== undefined && isConverted(basket);
  const record = await claimOf(work, basketId, payload.reference);
  if (!isConverting) {
    if (record) endReference(work, record, undefined);
    if (exchangeFor !== undefined) await releaseReturn(work, exchangeFor, basketId);
    return;
  }
  // A bound basket always becomes an order, even if its return no longer pays for it.
  const isPaid = exchangeFor !== undefined && (await isClaimable(work, exchangeFor, basketId));
  const order = await storeOrder(work, basket, {
    exchangeFor: isPaid ? exchangeFor : undefined,
    reference: record && payload.reference,
    metadata,
  });
  if (record) endReference(work, record, order.id);
});
