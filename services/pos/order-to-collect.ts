import type { z } from 'zod';
import { isAtCounter, wayToCounter } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { refusal } from '../../shared/catalog/life-cycle.ts';
import { getOrder } from '../../shared/catalog/order/apis.ts';
import { Order } from '../../shared/catalog/order/objects.ts';
import { isDependencyProblem, Problem } from '../../shared/catalog/problems.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { CollectionSale, Sale } from './collections.ts';
import { CALL_TIMEOUT_MS } from './due-work.ts';
import { listTenders, readPayments, withMoney } from './hub-payments.ts';
import { save } from './transactions.ts';

/** An order whose goods wait at the counter of its store. */
export interface WaitingOrder {
  readonly order: z.output<typeof Order>;
  readonly fulfillmentOrderId: string;
}

/**
 * Reads an order that its customer collects.
 * @throws Problem `not_found`; 409 unless its goods wait at the counter of this store; `dependency_*`
 */
export async function readWaitingOrder({ call }: Pick<Scope, 'call'>, id: string, storeId: string): Promise<WaitingOrder> {
  const view = await call(getOrder, { params: { id } }, { timeoutMs: CALL_TIMEOUT_MS });
  const { state, collection, fulfillmentOrders } = view;
  const refused = (detail: string): Problem => refusal('order', { id, state }, 'pay-at-till', detail);
  if (!collection) throw refused(`Nobody collects the order "${id}" in a store; pay it with Authorize Payment.`);
  if (collection.locationId !== storeId) {
    throw refused(`The goods of the order "${id}" are collected at "${collection.locationId}"; take the payment at a till of that store.`);
  }
  if (state === 'cancelled' || state === 'completed' || state === 'return-in-progress') {
    throw refused(`The order "${id}" is ${state}; a till takes its payment only while its goods wait at the counter.`);
  }
  if (!fulfillmentOrders) {
    throw new Problem('dependency_unavailable', `The FMS does not return where the goods of the order "${id}" are.`, { dependency: 'fms' });
  }
  const waiting = fulfillmentOrders.find(isAtCounter);
  if (!waiting) {
    const [next = ''] = fulfillmentOrders.map(wayToCounter).filter((way) => way !== '');
    throw refused(`The goods of the order "${id}" do not wait at the counter.${next}`);
  }
  return { order: Order.parse(view), fulfillmentOrderId: waiting.id };
}

/** Whether the customer has the goods, as of the order that was read last. */
export const isHandedOver = ({ collection }: Sale): boolean => collection?.handedOver === true;

/** Reads the order and its payments again: units may have been cancelled, and the customer may have paid elsewhere. @throws Problem `dependency_*` */
export async function readAgain(scope: Scope, sale: CollectionSale): Promise<CollectionSale> {
  const { fulfillmentOrderId } = sale.collection;
  const view = await scope.call(getOrder, { params: { id: sale.id } }, { timeoutMs: CALL_TIMEOUT_MS });
  const payments = await readPayments(scope, sale.id);
  const known = payments.filter(({ id }) => sale.tenders.some((tender) => tender.id === id));
  const tenders = listTenders(sale.tenders, [...known, ...withMoney(payments)]);
  const isOver = view.state === 'completed' || view.state === 'return-in-progress';
  // The FMS hands the goods over before the OMS completes the order.
  const isDelivered = view.fulfillmentOrders?.some(({ id, state }) => id === fulfillmentOrderId && state === 'delivered');
  const collection = {
    fulfillmentOrderId,
    order: Order.parse(view),
    handedOver: isOver || isDelivered ? (true as const) : undefined,
  };
  return { ...save(scope.work, sale, { tenders, collection }), collection };
}

/** As `readAgain`, but an application that does not answer changes nothing: money is returned while it is down. */
export async function readAgainIfPossible(scope: Scope, sale: CollectionSale): Promise<CollectionSale> {
  try {
    return await readAgain(scope, sale);
  } catch (error) {
    if (!isDependencyProblem(error)) throw error;
    scope.log.warn({ err: error, transactionId: sale.id }, 'reading the order of a collection failed');
    return sale;
  }
}
