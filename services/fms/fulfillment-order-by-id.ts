import { notFound } from '../../shared/catalog/problems.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { fulfillmentOrders, type StoredFulfillmentOrder } from './collections.ts';

/** @throws Problem `not_found` */
export async function fulfillmentOrderById(work: UnitOfWork, id: string): Promise<StoredFulfillmentOrder> {
  const found = await work.get(fulfillmentOrders, id);
  if (!found) throw notFound('fulfillment-order', id);
  return found;
}

/** All fulfillment orders of an order, in order of creation. */
export async function fulfillmentOrdersOf(work: UnitOfWork, orderId: string): Promise<StoredFulfillmentOrder[]> {
  const found: StoredFulfillmentOrder[] = [];
  let cursor: string | undefined;
  do {
    const page = await work.find(fulfillmentOrders, 'order', orderId, { cursor });
    found.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}
