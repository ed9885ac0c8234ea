import { handleDue } from '../../../shared/work/handler.ts';
import { knownHolds, releaseHoldsOf } from '../cancellation/ended-holds.ts';
import { fulfillmentRecords, orders } from '../collections.ts';
import { releaseHoldsDue } from '../due-work.ts';
import { isSale } from '../order/sale.ts';

/**
 * Releases the stock that a completed order no longer needs. The FMS may still consume some reservations, which are kept. A sale has none
 * of these.
 */
export const releaseHolds = handleDue(releaseHoldsDue)(async ({ key }, scope) => {
  const order = await scope.work.get(orders, key);
  if (!order) return;
  const spare = isSale(order) ? [] : knownHolds(order, await scope.work.get(fulfillmentRecords, key));
  await releaseHoldsOf(order, spare, scope);
});
