import { listCustomerBaskets as listCustomerBasketsCall } from '../../../shared/catalog/commerce/internal.ts';
import { handle } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Basket, baskets } from '../collections.ts';

const MOST = 20;

export const listCustomerBasketsHandler = handle(listCustomerBasketsCall)(async ({ query }, { work }) => ({
  items: await newestLive(work, query.customerId),
}));

/** The newest first. In a world of an older release baskets that are not live any more have stayed in the index, so a page may be short. */
async function newestLive(work: UnitOfWork, customerId: string): Promise<Basket[]> {
  const found: Basket[] = [];
  let cursor: string | undefined;
  do {
    const page = await work.find(baskets, 'customer', customerId, { limit: MOST, cursor, newestFirst: true });
    found.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined && found.length < MOST);
  return found.slice(0, MOST);
}
