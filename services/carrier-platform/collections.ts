import { z } from 'zod';
import { CarrierService, Scan, Shipment, shipment } from '../../shared/catalog/fulfillment/objects.ts';
import { Address, Id, Instant } from '../../shared/catalog/shapes.ts';
import { defineCollection } from '../../shared/store/collections.ts';

const version = z.int().min(0);

export const StoredShipment = Shipment.extend({
  from: Address,
  to: Address,
  /** What makes the label's address one that nobody can guess. */
  labelToken: z.string().optional(),
});
export type StoredShipment = z.output<typeof StoredShipment>;

/** A parcel as everybody else sees it. */
export const published = (stored: StoredShipment): z.output<typeof Shipment> => Shipment.parse(stored);

export const shipments = defineCollection({
  name: 'shipments',
  schema: StoredShipment,
  unique: {
    trackingNumber: ({ trackingNumber }) => trackingNumber,
    labelToken: ({ labelToken }) => labelToken,
  },
  object: shipment,
});

/**
 * How far a labelled parcel is on the way that its service plans; the id is the shipment's. Not part of the shipment: a change of
 * plan is no change of the parcel.
 */
export const journeys = defineCollection({
  name: 'journeys',
  schema: z.object({
    id: Id,
    version,
    open: z.boolean(),
    labelledAt: Instant,
    /** How many of the planned scans are behind it. */
    passed: z.int().min(0),
    /** When the next planned scan happens by itself, as epoch milliseconds. */
    scanAt: z.int().optional(),
  }),
  index: { open: ({ open }) => (open ? 'yes' : undefined) },
});
export type Journey = z.output<typeof journeys.schema>;

/** What the carrier promises and plans for its services; the id is the service. */
export const carrierServices = defineCollection({
  name: 'carrier-services',
  schema: z.object({
    id: CarrierService,
    version,
    estimate: z.object({ fromMs: z.int(), toMs: z.int() }),
    scans: z.array(z.object({ scan: Scan, afterMs: z.int().min(0), location: z.string(), message: z.string() })),
  }),
});
export type PlannedScan = z.output<typeof carrierServices.schema>['scans'][number];

/** Where scans are sent to; a receiver that answers 410 is gone, and gets nothing any more. */
export const webhookEndpoints = defineCollection({
  name: 'webhook-endpoints',
  schema: z.object({ id: z.string(), version, goneSince: Instant }),
});
