import { scanWebhookId } from '../../../shared/catalog/fulfillment/shipments.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import type { StoredShipment } from '../collections.ts';
import { type Delivery, deliverWebhookDue } from '../due-work.ts';

/** Schedules the webhook for the newest scan of a parcel. Its `webhook-id` names parcel and scan, so every attempt has the same one. */
export function announceNewestScan(shipment: StoredShipment, work: UnitOfWork): void {
  const { id, trackingNumber, events, estimatedDelivery } = shipment;
  const scan = events.at(-1);
  if (!scan) throw new Error(`The parcel ${id} has no scan.`);
  const body: Delivery['body'] = {
    type: 'shipment.tracking.updated',
    timestamp: scan.occurredAt,
    data: {
      shipmentId: id,
      ...scan,
      trackingNumber,
      estimatedDelivery,
    },
  };
  const delivery: Delivery = { shipmentId: id, body, attempts: 0 };
  work.schedule(deliverWebhookDue, scanWebhookId(id, scanCountOf(shipment)), work.now, delivery);
}

export const scanCountOf = ({ scanCount, events }: StoredShipment): number => scanCount ?? events.length;
