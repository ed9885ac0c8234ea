import { listCustomerOrders as listCustomerOrdersCall } from '../../../shared/catalog/order/internal.ts';
import { handle } from '../../../shared/contract/handler.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { orders, type StoredOrder } from '../collections.ts';
import { published } from '../order-view.ts';

const MOST = 20;

export const listCustomerOrders = handle(listCustomerOrdersCall)(async ({ query }, { work }) => ({
  items: (await allOf(work, query.customerId)).toReversed().slice(0, MOST).map(published),
}));

/** In order of creation, over however many pages: the newest come last. */
async function allOf(work: UnitOfWork, customerId: string): Promise<StoredOrder[]> {
  const found: StoredOrder[] = [];
  let cursor: string | undefined;
  do {
    const page = await work.find(orders, 'customer', customerId, { cursor });
    found.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}
