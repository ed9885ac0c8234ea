import { notFound } from '../../../shared/catalog/problems.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { returns, type StoredReturn } from './collections.ts';

/** @throws Problem `not_found` */
export async function returnById(work: UnitOfWork, id: string): Promise<StoredReturn> {
  const found = await work.get(returns, id);
  if (!found) throw notFound('return', id);
  return found;
}

/** All returns of an order, in order of creation. */
export async function returnsOf(work: UnitOfWork, orderId: string): Promise<StoredReturn[]> {
  const found: StoredReturn[] = [];
  let cursor: string | undefined;
  do {
    const page = await work.find(returns, 'order', orderId, { cursor });
    found.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}
