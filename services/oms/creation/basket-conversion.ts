import { convertBasket as convertBasketCall, getBasket } from '../../../shared/catalog/commerce/internal.ts';
import { invalid, Problem } from '../../../shared/catalog/problems.ts';
import { mintedAt } from '../../../shared/domain/ids.ts';
import { orderNumberOf } from '../../../shared/domain/order-number.ts';
import { instant } from '../../../shared/domain/time.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { orders, type StoredOrder } from '../collections.ts';
import { expireDraftDue, finishCreationDue } from '../due-work.ts';
import { refuseBlocked } from '../order/blocked-customer.ts';
import { type Basket, type ConvertedBasket, isConverted, orderFromBasket, unfitForOrder } from '../order/from-basket.ts';
import { claimReturn, refuseForeignReturn } from '../returns/exchange-claim.ts';
import { DRAFT_LIFETIME_MS, TAKE_OVER_MS } from '../timing.ts';

export interface Conversion {
  readonly basketId: string;
  /** Id of the return whose value pays for the order. */
  readonly exchangeFor: string | undefined;
}

/**
 * Binds a basket to an order before the order is stored. The eCommerce Platform keeps the first order id that it receives, so concurrent
 * and repeated requests store the same order. If no request stores it, due work does.
 * The order of a checkout at the till has the id of its transaction.
 * @throws Problem `not_found`, `basket_empty`, `invalid_state_transition` of the basket or the return, `customer_blocked`, `dependency_*`
 */
export async function convertBasket({ basketId, exchangeFor }: Conversion, scope: Scope): Promise<ConvertedBasket> {
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
export function requireConverted(basketId: string, basket: Basket): ConvertedBasket {
  if (basket.id !== basketId)
    throw invalid('/basket/id', 'other_basket', `The basket in the request is "${basket.id}", not "${basketId}".`);
  if (!isConverted(basket))
    throw invalid('/basket/state', 'not_converted', 'The basket in the request must be converted and have an orderId.');
  return basket;
}

/** Stores the order of a converted basket as a draft, which expires unless it is confirmed. */
export async function storeOrder(work: UnitOfWork, basket: ConvertedBasket, exchangeFor?: string): Promise<StoredOrder> {
  const validatedAt = instant(work.now);
  if (exchangeFor !== undefined) await claimReturn(work, exchangeFor, basket.id);
  const order = work.create(orders, 'create', {
    ...orderFromBasket(basket, { orderNumber: await findFreeNumber(work, basket), validatedAt }),
    exchangeForReturnId: exchangeFor,
  });
  work.cancel(finishCreationDue, basket.id);
  work.schedule(expireDraftDue, order.id, work.now + DRAFT_LIFETIME_MS, {});
  return order;
}

/** A till prints the number at the checkout, perhaps days earlier, so the number carries the day of the checkout. */
async function findFreeNumber(work: UnitOfWork, { orderId, transactionId }: ConvertedBasket): Promise<string> {
  const at = instant(transactionId === undefined ? work.now : mintedAt(orderId));
  for (let attempt = 0; ; attempt++) {
    const number = orderNumberOf(orderId, at, attempt);
    if (!(await work.findUnique(orders, 'number', number))) return number;
  }
}
