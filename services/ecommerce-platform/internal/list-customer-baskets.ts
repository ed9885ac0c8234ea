import { listCustomerBaskets as listCustomerBasketsCall } from '../../../shared/catalog/commerce/internal.ts';
import { walkPages } from '../../../shared/work/all-pages.ts';
import { handle } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Basket, baskets } from '../collections.ts';

const MAX_BASKETS = 20;

export const listCustomerBasketsHandler = handle(listCustomerBasketsCall)(async ({ query }, { work }) => ({
  items: await newestActive(work, query.customerId),
}));

/** Open and locked baskets, newest first. In worlds of older releases the index has other baskets too, so a page may be short. */
async function newestActive(work: UnitOfWork, customerId: string): Promise<Basket[]> {
  const found: Basket[] = [];
  const newest = walkPages((cursor) => work.find(baskets, 'customer', customerId, { limit: MAX_BASKETS, cursor, newestFirst: true }));
  for await (const basket of newest) {
    found.push(basket);
    if (found.length === MAX_BASKETS) break;
  }
  return found;
}
