import { handleDue } from '../../../shared/work/handler.ts';
import { knownHolds, releaseHoldsOf } from '../cancellation/ended-holds.ts';
import { fulfillmentRecords, orders } from '../collections.ts';
import * as dueWork from '../due-work.ts';
import { isSale } from '../order/sale.ts';

/** A completed order needs nothing any more but what the FMS has still to say has left. What a sale held has left with its customer. */
export const releaseHolds = handleDue(dueWork.releaseHolds)(async ({ key }, scope) => {
  const order = await scope.work.get(orders, key);
  if (!order) return;
  const spare = isSale(order) ? [] : knownHolds(order, await scope.work.get(fulfillmentRecords, key));
  await releaseHoldsOf(order, spare, scope);
});
