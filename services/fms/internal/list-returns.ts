import { listReturns as listReturnsCall } from '../../../shared/catalog/fulfillment/internal.ts';
import { handle } from '../../../shared/contract/handler.ts';
import { published } from '../returns/collections.ts';
import { returnsOf } from '../returns/return-by-id.ts';

const NEWEST = 20;

export const listReturns = handle(listReturnsCall)(async ({ query: { orderId, customerId = '' } }, { work }) => {
  if (orderId !== undefined) return { items: (await returnsOf(work, 'order', orderId)).map(published) };
  const found = await returnsOf(work, 'customer', customerId);
  return { items: found.toReversed().slice(0, NEWEST).map(published) };
});
