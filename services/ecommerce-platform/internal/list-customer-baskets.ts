import { listCustomerBaskets as listCustomerBasketsCall } from '../../../shared/catalog/commerce/internal.ts';
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
  let cursor: string | undefined;
  do {
    const page = await work.find(baskets, 'customer', customerId, { limit: MAX_BASKETS, cursor, newestFirst: true });
    found.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined && found.length < MAX_BASKETS);
  return found.slice(0, MAX_BASKETS);
}
