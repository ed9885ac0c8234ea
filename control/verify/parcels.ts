import type { z } from 'zod';
import type { FulfillmentOrder as FulfillmentOrderSchema } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import type { Shipment as ShipmentSchema } from '../../shared/catalog/fulfillment/shipments.ts';
import type { Check } from './invariant.ts';
import type { Return } from './stored-records.ts';
import type { WorldRecords } from './world-records.ts';

type FulfillmentOrder = z.output<typeof FulfillmentOrderSchema>;
type Shipment = z.output<typeof ShipmentSchema>;
/** The FMS's private record of a parcel. */
interface Parcel {
  readonly id: string;
  readonly newestOutsideScanAt?: string;
}

/** Work of the Carrier Platform that sends a scan. */
const WEBHOOK = 'deliver-webhook';

/**
 * The FMS's copy of a parcel must have the carrier's latest state, unless a webhook is still queued, the endpoint for webhooks answered
 * 410, or a carrier outside the estate scans the parcel.
 */
export function checkParcels({ of, records, queued }: WorldRecords, fulfillmentOrders: readonly FulfillmentOrder[], check: Check): void {
  const shipments = new Map(of<Shipment>('shipment').map((shipment) => [shipment.id, shipment]));
  const parcels = new Map(records<Parcel>('fms', 'trackings').map((parcel) => [parcel.id, parcel]));
  const isEndpointGone = records('carrier-platform', 'webhook-endpoints').length > 0;
  const copied = new Set<string>();
  const comingBack = of<Return>('return');
  const carried = [
    ...fulfillmentOrders.map(({ id, shipments: copies }) => ({ id, name: `fulfillment-order/${id}`, copies })),
    ...comingBack.map(({ id, shipments: copies }) => ({ id, name: `return/${id}`, copies })),
  ];
  for (const { id, name, copies } of carried) {
    for (const copy of copies) {
      copied.add(copy.id);
      const shipment = shipments.get(copy.id);
      if (!shipment) {
        check(queued('fms', id), `shipment/${copy.id}: of ${name}, and the carrier has no record of it`);
        continue;
      }
      const isScannedOutside = parcels.get(copy.id)?.newestOutsideScanAt !== undefined;
      check(
        copy.state === shipment.state || isScannedOutside || isEndpointGone || queued('carrier-platform', copy.id, WEBHOOK),
        `shipment/${copy.id}: ${shipment.state} at the carrier, ${copy.state} at ${name}, and no webhook is on its way`,
      );
    }
  }
  for (const id of shipments.keys()) check(copied.has(id), `shipment/${id}: of no fulfillment order and no return`);
}
