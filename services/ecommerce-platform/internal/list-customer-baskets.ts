import { listCustomerBaskets as listCustomerBasketsCall } from '../../../shared/catalog/commerce/internal.ts';
import { handle } from '../../../shared/contract/handler.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { type Basket, baskets } from '../collections.ts';

const MOST = 20;

export const listCustomerBasketsHandler = handle(listCustomerBasketsCall)(async ({ query }, { work }) => {
  const live = (await allOf(work, query.customerId)).filter(({ state }) => state === 'open' || state === 'locked');
  return { items: live.reverse().slice(0, MOST) };
});

/** In order of creation, over however many pages: the newest come last. */
async function allOf(work: UnitOfWork, customerId: string): Promise<Basket[]> {
  const found: Basket[] = [];
  let cursor: string | undefined;
  do {
    const page = await work.find(baskets, 'customer', customerId, { cursor });
    found.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}
