import type { z } from 'zod';
import type { TrackingUpdate } from '../../shared/catalog/fulfillment/apis.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import type { StoredShipment } from './collections.ts';

/** Due work: one attempt to tell the receiver of one scan. */
export const DELIVER_WEBHOOK = 'deliver-webhook';

export interface Delivery {
  readonly shipmentId: string;
  readonly body: z.input<typeof TrackingUpdate>;
  /** How many attempts there were. */
  readonly attempts: number;
  /** What came of the last one. */
  readonly lastAnswer?: string;
  /** A fault kept it; none strikes it again. */
  readonly held?: true;
}

/** Tells the receiver of the newest scan of a parcel. Its `webhook-id` names parcel and scan, so every attempt carries the same. */
export function announce(shipment: StoredShipment, work: UnitOfWork): void {
  const { id, trackingNumber, events, estimatedDelivery } = shipment;
  const scan = events.at(-1);
  if (!scan) throw new Error(`The parcel ${id} was not scanned.`);
  const body: Delivery['body'] = {
    type: 'shipment.tracking.updated',
    timestamp: scan.occurredAt,
    data: {
      shipmentId: id,
      ...scan,
      ...(trackingNumber !== undefined && { trackingNumber }),
      ...(estimatedDelivery && { estimatedDelivery }),
    },
  };
  const delivery: Delivery = { shipmentId: id, body, attempts: 0 };
  work.schedule(DELIVER_WEBHOOK, `${id}.${events.length}`, work.now, delivery);
}
