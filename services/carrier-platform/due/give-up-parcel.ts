import { shipmentLifeCycle } from '../../../shared/catalog/fulfillment/objects.ts';
import { allowedFrom } from '../../../shared/catalog/life-cycle.ts';
import type { DueHandler } from '../../../shared/work/handler.ts';
import { shipments } from '../collections.ts';
import { scanParcel } from '../scanning.ts';

/** Every scan begins the fortnight anew. */
export const giveUpParcel: DueHandler = async ({ key }, { work, context }) => {
  const shipment = await work.get(shipments, key);
  if (!shipment || !allowedFrom(shipmentLifeCycle, 'lose').includes(shipment.state)) return;
  await scanParcel(shipment, { scan: 'lose', message: 'Not scanned for 14 days' }, { work, context });
};
