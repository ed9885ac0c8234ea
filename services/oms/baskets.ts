import type { z } from 'zod';
import { getTransaction } from '../../shared/catalog/commerce/internal.ts';
import { type Basket as BasketSchema, basketLifeCycle } from '../../shared/catalog/commerce/objects.ts';
import type { Transaction as TransactionSchema } from '../../shared/catalog/commerce/transaction.ts';
import { getCustomer } from '../../shared/catalog/customer/apis.ts';
import { refusal, refuseTransition } from '../../shared/catalog/life-cycle.ts';
import { invalid, Problem } from '../../shared/catalog/problems.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { Fresh } from '../../shared/work/unit-of-work.ts';
import type { StoredOrder } from './collections.ts';

export type Basket = z.output<typeof BasketSchema>;
/** A basket bound to an order. The eCommerce Platform keeps the first order id that it received. */
export type ConvertedBasket = Basket & { readonly orderId: string };

export const isConverted = (basket: Basket): basket is ConvertedBasket => basket.state === 'converted' && basket.orderId !== undefined;

/** The refusal of a basket; undefined if it can become an order. Only baskets in checkout have fixed prices and reserved stock. */
export function unfitForOrder(basket: Basket): Problem | undefined {
  const empty = basket.lines.length === 0;
  if (empty && (basket.state === 'open' || basket.state === 'locked')) {
    const detail = `The basket "${basket.id}" has no lines; add one and check it out first.`;
    return new Problem('basket_empty', detail, { objectType: 'basket', id: basket.id });
  }
  if (basket.state !== 'locked') return refuseTransition(basketLifeCycle, basket, 'convert');
  return undefined;
}

/** Takes lines, prices and totals as the basket fixed them; nothing is calculated again. */
export function orderFromBasket(
  basket: ConvertedBasket,
  { orderNumber, validatedAt }: Pick<StoredOrder, 'orderNumber' | 'validatedAt'>,
): Fresh<StoredOrder> {
  const { reservationId } = basket;
  return {
    id: basket.orderId,
    orderNumber,
    channel: basket.channel,
    storeId: basket.storeId,
    basketId: basket.id,
    customerId: basket.customerId,
    loyaltyAccountId: basket.loyaltyAccountId,
    lines: basket.lines.map(({ lineId, sku, minAge, qty, unitPrice, discount, tax, taxRate, lineTotal }) => ({
      lineId,
      sku,
      qty,
      unitPrice,
      discount,
      tax,
      taxRate,
      lineTotal,
      minAge,
      reservationId,
      fulfilledQty: 0,
      returnedQty: 0,
      cancelledQty: 0,
    })),
    totals: basket.totals,
    shippingAddress: basket.shippingAddress,
    shippingMethod: basket.shippingMethod,
    collection: basket.collection,
    payAt: basket.payAt,
    shortage: basket.shortage,
    validatedAt,
    voucherCodes: basket.vouchers.filter(({ status }) => status === 'applied').map(({ code }) => code),
    holdAttempts: 0,
  };
}

type Transaction = z.output<typeof TransactionSchema>;

/** Whether the order was sold at a till: the till has reserved its stock, the customer takes the goods, and the order is never routed. */
export const isSale = ({ channel }: Pick<StoredOrder, 'channel'>): boolean => channel === 'pos';

/**
 * Id of the basket of a checkout at the till. The POS sends the paid transaction in its request. Other callers may name a transaction
 * earlier and get a draft that is still unpaid.
 * @throws Problem `not_found`, `invalid_state_transition` for a voided transaction, `dependency_*`
 */
export async function basketOfSale(id: string, sent: Transaction | undefined, { call }: Scope): Promise<string> {
  if (sent && sent.id !== id)
    throw invalid('/transaction/id', 'other_transaction', `The transaction in the request is "${sent.id}", not "${id}".`);
  const { state, basket } = sent ?? (await call(getTransaction, { params: { id } }));
  if (state !== 'voided') return basket.id;
  const detail = `The transaction "${id}" is voided: nothing was sold, and no order can be created.`;
  throw refusal('transaction', { id, state }, 'order', detail, { allowedFrom: ['open', 'paid', 'completed'] });
}

/** Whether its customer pays at the till of the store that hands the goods over. Until then, nothing has to be authorised. */
export const paysAtCollection = ({ payAt }: Pick<StoredOrder, 'payAt'>): boolean => payAt === 'collection';

/** @throws Problem `customer_blocked`, `dependency_*` when the CRM does not answer */
export async function refuseBlocked(customerId: string, { call }: Scope): Promise<void> {
  refuseBlockedCustomer(await call(getCustomer, { params: { id: customerId } }));
}

/** @throws Problem `customer_blocked` */
export function refuseBlockedCustomer({ id, state }: { readonly id: string; readonly state: string }): void {
  if (state !== 'blocked') return;
  throw new Problem('customer_blocked', `The customer "${id}" is blocked and cannot order.`, { objectType: 'customer', id });
}
