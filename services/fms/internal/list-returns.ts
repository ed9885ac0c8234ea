import { listReturns as listReturnsCall } from '../../../shared/catalog/fulfillment/internal.ts';
import { handle } from '../../../shared/work/handler.ts';
import { published, returns, returnsOf } from '../returns/collections.ts';

const NEWEST = 20;

export const listReturns = handle(listReturnsCall)(async ({ query: { orderId, customerId = '' } }, { work }) => {
  if (orderId !== undefined) return { items: (await returnsOf(work, orderId)).map(published) };
  const { items } = await work.find(returns, 'customer', customerId, { limit: NEWEST, newestFirst: true });
  return { items: items.map(published) };
});
