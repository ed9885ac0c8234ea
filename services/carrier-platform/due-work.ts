import { z } from 'zod';
import { TrackingUpdate } from '../../shared/catalog/fulfillment/apis.ts';
import { Id } from '../../shared/catalog/shapes.ts';
import { defineDueWork } from '../../shared/work/due-work.ts';

/** Plays the next planned scan of a parcel; the key is the shipment's id. */
export const plannedScanDue = defineDueWork('planned-scan');
/** Gives up a parcel without a scan for a long time; the key is the shipment's id. */
export const giveUpParcelDue = defineDueWork('give-up-parcel');

const Delivery = z.object({
  shipmentId: Id,
  /** Its members keep their order, because the signature covers the bytes. */
  body: z.custom<z.input<typeof TrackingUpdate>>((stored) => TrackingUpdate.safeParse(stored).success),
  /** Number of attempts so far. */
  attempts: z.int().min(0),
  /** A fault withheld it before, so no other fault strikes it. */
  held: z.literal(true).optional(),
});
/** The delivery of one scan to its receiver. */
export type Delivery = z.output<typeof Delivery>;

/** Makes one attempt at a delivery; the key is its `webhook-id`. The payload keeps its stored order of members. */
export const deliverWebhookDue = defineDueWork(
  'deliver-webhook',
  z.custom<Delivery>((stored) => Delivery.safeParse(stored).success, 'It is not the delivery of a scan'),
);
