import { shipmentLifeCycle } from '../../../shared/catalog/fulfillment/shipments.ts';
import { allowedFrom } from '../../../shared/catalog/life-cycle.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { shipments } from '../collections.ts';
import { giveUpParcelDue } from '../due-work.ts';
import { scanParcel } from '../parcel/scanning.ts';

/** Every scan restarts the 14 days. */
export const giveUpParcel = handleDue(giveUpParcelDue)(async ({ key }, { work, context }) => {
  const shipment = await work.get(shipments, key);
  if (!shipment || !allowedFrom(shipmentLifeCycle, 'lose').includes(shipment.state)) return;
  await scanParcel(shipment, { scan: 'lose', message: 'Not scanned for 14 days' }, { work, context });
});
