import type { DueHandler } from '../../../shared/contract/handler.ts';
import { fulfillmentOrders } from '../collections.ts';
import { returned } from '../delivery.ts';

/** Nobody took it, and nobody has scanned it for a week: it counts as returned. What is lost is not: it may be found. */
export const giveUpDelivery: DueHandler = async ({ key }, { work }) => {
  const found = await work.get(fulfillmentOrders, key);
  if (found?.state === 'failed-delivery' && found.failureReason !== 'lost') returned(work, found, {});
};
