import { convertBasket as convertBasketCall, getBasket } from '../../../shared/catalog/commerce/internal.ts';
import { invalid, Problem } from '../../../shared/catalog/problems.ts';
import { mintedAt } from '../../../shared/domain/ids.ts';
import { orderNumberOf } from '../../../shared/domain/order-number.ts';
import { instant } from '../../../shared/domain/time.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { orders, type StoredOrder } from '../collections.ts';
import * as dueWork from '../due-work.ts';
import { refuseBlocked } from '../order/blocked-customer.ts';
import { type Basket, type ConvertedBasket, isConverted, orderFromBasket, unfitForOrder } from '../order/from-basket.ts';
import { claimReturn } from '../returns/exchange-claim.ts';
import { DRAFT_LIFETIME_MS, TAKE_OVER_MS } from '../timing.ts';

export interface Conversion {
  readonly basketId: string;
  /** The return whose value pays for the order. */
  readonly exchangeFor: string | undefined;
}

/**
 * Binds a basket to an order before that order is stored. eCommerce keeps the first order id it is given, so concurrent and repeated
 * requests all store the same order; due work stores it when nobody else does.
 * The order of a basket of the till has the id of its transaction.
 * @throws Problem `not_found`, `basket_empty`, `invalid_state_transition` of the basket or the return, `customer_blocked`, `dependency_*`
 */
export async function convertBasket({ basketId, exchangeFor }: Conversion, scope: Scope): Promise<ConvertedBasket> {
  const { work, call } = scope;
  const basket = await call(getBasket, { params: { id: basketId } });
  // Bound by a request that did not come to its end: from then on nothing refuses the order.
  if (isConverted(basket)) return basket;
  const unfit = unfitForOrder(basket);
  if (unfit) throw unfit;
  // The till looked at that before it began the sale; by now the goods are paid, or lie on the counter.
  if (basket.customerId !== undefined && basket.transactionId === undefined) await refuseBlocked(basket.customerId, scope);
  if (exchangeFor !== undefined) await claimReturn(work, exchangeFor, basketId);
  work.schedule(dueWork.finishCreation, basketId, work.now + TAKE_OVER_MS, exchangeFor === undefined ? {} : { exchangeFor });
  await work.checkpoint();
  const converted = await call(convertBasketCall, { params: { id: basketId }, body: { orderId: basket.transactionId ?? work.id('ord') } });
  if (isConverted(converted)) return converted;
  throw new Problem('dependency_error', `The basket "${basketId}" was not converted.`, { dependency: 'ecommerce-platform' });
}

/** The basket that the eCommerce Platform sends along: converted before, so that nobody has to ask it back. */
export function requireConverted(basketId: string, basket: Basket): ConvertedBasket {
  if (basket.id !== basketId) throw invalid('/basket/id', 'other_basket', `The basket sent is "${basket.id}", not "${basketId}".`);
  if (!isConverted(basket))
    throw invalid('/basket/state', 'not_converted', 'A basket that is sent along is converted and has its orderId.');
  return basket;
}

/** Stores the order of a converted basket as a draft, which expires unless somebody confirms it. */
export async function storeOrder(work: UnitOfWork, basket: ConvertedBasket, exchangeFor?: string): Promise<StoredOrder> {
  const validatedAt = instant(work.now);
  if (exchangeFor !== undefined) await claimReturn(work, exchangeFor, basket.id);
  const order = work.create(orders, 'create', {
    ...orderFromBasket(basket, { orderNumber: await findFreeNumber(work, basket), validatedAt }),
    ...(exchangeFor !== undefined && { exchangeForReturnId: exchangeFor }),
  });
  work.cancel(dueWork.finishCreation, basket.id);
  work.schedule(dueWork.expireDraft, order.id, work.now + DRAFT_LIFETIME_MS, {});
  return order;
}

/** A till has told its customer the number, perhaps days ago: its day is that of the checkout. */
async function findFreeNumber(work: UnitOfWork, { orderId, transactionId }: ConvertedBasket): Promise<string> {
  const at = instant(transactionId === undefined ? work.now : mintedAt(orderId));
  for (let attempt = 0; ; attempt++) {
    const number = orderNumberOf(orderId, at, attempt);
    if (!(await work.findUnique(orders, 'number', number))) return number;
  }
}
