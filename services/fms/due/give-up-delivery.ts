import { handleDue } from '../../../shared/work/handler.ts';
import { fulfillmentOrders } from '../collections.ts';
import { giveUpDeliveryDue } from '../due-work.ts';

/**
 * Nobody took it, and nobody has scanned it for a week: it counts as returned, and is refunded. Its goods are on hand again only when
 * its parcel says that it is back: until then it may still be delivered. What is lost does not count as returned: it may be found.
 */
export const giveUpDelivery = handleDue(giveUpDeliveryDue)(async ({ key }, { work }) => {
  const found = await work.get(fulfillmentOrders, key);
  if (found?.state === 'failed-delivery' && found.failureReason !== 'lost') {
    work.transition(fulfillmentOrders, found, 'return-to-sender');
  }
});
