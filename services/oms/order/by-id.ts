import { notFound } from '../../../shared/catalog/problems.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { orders, type StoredOrder } from '../collections.ts';

/** @throws Problem `not_found` */
export async function orderById(work: UnitOfWork, id: string): Promise<StoredOrder> {
  const order = await work.get(orders, id);
  if (!order) throw notFound('order', id);
  return order;
}
