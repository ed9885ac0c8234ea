import { handleDue } from '../../../shared/work/handler.ts';
import { fulfillmentOrders } from '../collections.ts';
import { giveUpDeliveryDue } from '../due-work.ts';

/**
 * A failed delivery without a scan for a week counts as returned to the sender, and is refunded. Its parcel may still be delivered, so
 * its goods are on hand again only after the scan that it is back. A lost parcel may be found, so it does not count as returned.
 */
export const giveUpDelivery = handleDue(giveUpDeliveryDue)(async ({ key }, { work }) => {
  const found = await work.get(fulfillmentOrders, key);
  if (found?.state === 'failed-delivery' && found.failureReason !== 'lost') {
    work.transition(fulfillmentOrders, found, 'return-to-sender');
  }
});
