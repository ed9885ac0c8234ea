import { notFound } from '../../shared/catalog/problems.ts';
import { allPages } from '../../shared/work/all-pages.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { fulfillmentOrders, type StoredFulfillmentOrder } from './collections.ts';

/** @throws Problem `not_found` */
export async function fulfillmentOrderById(work: UnitOfWork, id: string): Promise<StoredFulfillmentOrder> {
  const found = await work.get(fulfillmentOrders, id);
  if (!found) throw notFound('fulfillment-order', id);
  return found;
}

/** All fulfillment orders of an order, in order of creation. */
export const fulfillmentOrdersOf = (work: UnitOfWork, orderId: string): Promise<StoredFulfillmentOrder[]> =>
  allPages((cursor) => work.find(fulfillmentOrders, 'order', orderId, { cursor }));
