import { notFound } from '../../../shared/catalog/problems.ts';
import { allPages } from '../../../shared/work/all-pages.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { returns, type StoredReturn } from './collections.ts';

/** @throws Problem `not_found` */
export async function returnById(work: UnitOfWork, id: string): Promise<StoredReturn> {
  const found = await work.get(returns, id);
  if (!found) throw notFound('return', id);
  return found;
}

/** All returns of an order, in order of creation. */
export const returnsOf = (work: UnitOfWork, orderId: string): Promise<StoredReturn[]> =>
  allPages((cursor) => work.find(returns, 'order', orderId, { cursor }));
