import { trackShipment } from '../../../shared/catalog/fulfillment/apis.ts';
import { handleDue, type Scope } from '../../../shared/work/handler.ts';
import { fulfillmentOrders, type StoredFulfillmentOrder, trackings } from '../collections.ts';
import { giveUpDeliveryDue } from '../due-work.ts';
import { REPORT_WAIT_MS } from '../timing.ts';

/**
 * A failed delivery without a scan for a week counts as returned to the sender, and is refunded. Its parcel may still be delivered, so
 * its goods are on hand again only after the scan that it is back. A lost parcel may be found, so it does not count as returned.
 */
export const giveUpDelivery = handleDue(giveUpDeliveryDue)(async ({ key }, scope) => {
  const { work } = scope;
  const found = await work.get(fulfillmentOrders, key);
  if (found?.state !== 'failed-delivery' || found.failureReason === 'lost') return;
  if (await hasUnreportedScan(found, scope)) work.schedule(giveUpDeliveryDue, key, work.now + REPORT_WAIT_MS, {});
  else work.transition(fulfillmentOrders, found, 'return-to-sender');
});

/**
 * Whether the Carrier Platform has a scan whose webhook has not arrived: the FMS may have been down, so silence proves nothing.
 * @throws Problem `dependency_*`
 */
async function hasUnreportedScan({ shipments }: StoredFulfillmentOrder, { work, call }: Scope): Promise<boolean> {
  for (const { id } of shipments) {
    const { newestScanAt, newestOutsideScanAt } = (await work.get(trackings, id)) ?? {};
    // The Carrier Platform has no scans of another carrier's parcel.
    if (newestScanAt === undefined || newestOutsideScanAt !== undefined) continue;
    const { events } = await call(trackShipment, { params: { id } });
    if (events.some(({ occurredAt }) => Date.parse(occurredAt) > Date.parse(newestScanAt))) return true;
  }
  return false;
}
