import { z } from 'zod';
import { FulfillmentOrder, fulfillmentOrder, ParcelData, PickingStatus } from '../../shared/catalog/fulfillment/objects.ts';
import { Address, Id, Instant, ShippingMethod } from '../../shared/catalog/shapes.ts';
import { defineCollection } from '../../shared/store/collections.ts';

const version = z.int().min(0);

/** The fulfillment order as it is published, and what only the FMS needs to know of it. */
export const StoredFulfillmentOrder = FulfillmentOrder.extend({
  /** With which routing of the order it came. */
  attempt: z.int().min(1),
  /** Holds the stock of its lines until they leave. */
  reservationId: Id,
  shippingAddress: Address,
  shippingMethod: ShippingMethod,
  /** What the warehouse has reported so far: each status counts once. */
  pickingSteps: z.array(PickingStatus),
});
export type StoredFulfillmentOrder = z.output<typeof StoredFulfillmentOrder>;

/** A fulfillment order as everybody else sees it. */
export const published = (stored: StoredFulfillmentOrder): z.output<typeof FulfillmentOrder> => FulfillmentOrder.parse(stored);

export const fulfillmentOrders = defineCollection({
  name: 'fulfillment-orders',
  schema: StoredFulfillmentOrder,
  index: { order: ({ orderId }) => orderId },
  object: fulfillmentOrder,
});

/**
 * What happened to the fulfilment of an order, by the order's id. Every creation and cancellation writes it, so that of two at once
 * one learns of the other; with `cancelled` it stays behind as a tombstone, also where there was nothing to cancel.
 */
export const orderFulfilments = defineCollection({
  name: 'order-fulfilments',
  schema: z.object({ id: Id, version, attempts: z.array(z.int().min(1)), cancelled: z.boolean() }),
});

const StoredParcel = z.object({
  id: Id,
  version,
  /** What the carrier is told of it. */
  data: ParcelData,
  /** Whether its goods have left the stock records. */
  stockTaken: z.boolean(),
  /** Whether the carrier knows it. */
  registered: z.boolean(),
  /** `left`: the FMS need not have it made; somebody else does, or it was. */
  label: z.enum(['wanted', 'left']),
});
export type Parcel = z.output<typeof StoredParcel>;

/** What is to be done, and was, to hand a parcel over; the id is the shipment's. */
export const parcels = defineCollection({ name: 'parcels', schema: StoredParcel });

const StoredTracking = z.object({
  id: Id,
  version,
  /** What it carries: one of the two. */
  fulfillmentOrderId: Id.optional(),
  returnId: Id.optional(),
  trackingNumber: z.string().optional(),
  /** When the newest scan happened that moved it. */
  newestScanAt: Instant.optional(),
  /** How often nobody took it. */
  deliveryAttempts: z.int().min(0),
});
export type Tracking = z.output<typeof StoredTracking>;

/**
 * How far the carrier's scans of a parcel are known; the id is the shipment's. Apart from the parcel, since a fast carrier scans
 * while the dispatch still notes what it did, and neither should keep the other from its commit.
 */
export const trackings = defineCollection({
  name: 'trackings',
  schema: StoredTracking,
  index: { trackingNumber: ({ trackingNumber }) => trackingNumber },
});

/** `webhook-id`s that were accepted: what comes again with one of them moves nothing. */
export const acceptedWebhooks = defineCollection({ name: 'accepted-webhooks', schema: z.object({ id: z.string(), version }) });

/** From where parcels are sent and where goods are handed in, by location id. */
export const nodes = defineCollection({ name: 'nodes', schema: z.object({ id: Id, version, address: Address, isStore: z.boolean() }) });
