import { z } from 'zod';
import { CarrierService, Scan, ShelfLabel, Shipment, shipment } from '../../shared/catalog/fulfillment/shipments.ts';
import { Address, Id, Instant } from '../../shared/catalog/shapes.ts';
import { defineCollection, publishedBy } from '../../shared/store/collections.ts';

const version = z.int().min(0);

export const StoredShipment = Shipment.extend({
  from: Address,
  to: Address,
  /** The secret part of the label's address. */
  labelToken: z.string().optional(),
  /** Number of all scans; `events` has only the newest. Absent before the first scan after the label. */
  scanCount: z.int().optional(),
});
export type StoredShipment = z.output<typeof StoredShipment>;

export const published = publishedBy(Shipment);

export const shipments = defineCollection({
  name: 'shipments',
  schema: StoredShipment,
  unique: { trackingNumber: ({ trackingNumber }) => trackingNumber, labelToken: ({ labelToken }) => labelToken },
  object: shipment,
});

/** The label of goods at a counter, in place of the label of their parcel; the id is the shipment's. Only the store needs it, so no event has it. */
export const shelfLabels = defineCollection({ name: 'shelf-labels', schema: z.object({ id: Id, version, label: ShelfLabel }) });

/** The planned scans of a labelled parcel; the id is the shipment's. They are stored apart, because a new plan does not change the parcel. */
export const journeys = defineCollection({
  name: 'journeys',
  schema: z.object({
    id: Id,
    version,
    open: z.boolean(),
    labelledAt: Instant,
    /** How many planned scans are done. */
    passed: z.int().min(0),
    /** Time of the next planned scan, in epoch milliseconds. */
    scanAt: z.int().optional(),
  }),
  index: { open: ({ open }) => (open ? 'yes' : undefined) },
});
export type Journey = z.output<typeof journeys.schema>;

/** The promise and the planned scans of each service; the id is the service. */
export const carrierServices = defineCollection({
  name: 'carrier-services',
  reference: true,
  schema: z.object({
    id: CarrierService,
    version,
    estimate: z.object({ fromMs: z.int(), toMs: z.int() }),
    scans: z.array(z.object({ scan: Scan, afterMs: z.int().min(0), location: z.string(), message: z.string() })),
  }),
});
export type PlannedScan = z.output<typeof carrierServices.schema>['scans'][number];

/** Receivers of webhooks that answered 410: they get no more webhooks. */
export const webhookEndpoints = defineCollection({
  name: 'webhook-endpoints',
  schema: z.object({ id: z.string(), version, goneSince: Instant }),
});
