import { z } from 'zod';
import { type CollectionStatus, collectionStatusOf } from '../../shared/catalog/fulfillment/counter.ts';
import { FulfillmentOrder, fulfillmentOrder } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { PickingStatus } from '../../shared/catalog/fulfillment/picking-orders.ts';
import { ParcelData } from '../../shared/catalog/fulfillment/shipments.ts';
import { PaidAtCollection } from '../../shared/catalog/inventory/collection.ts';
import { StoreHours } from '../../shared/catalog/inventory/opening-hours.ts';
import { Address, Id, Instant, Quantity, ShippingMethod } from '../../shared/catalog/shapes.ts';
import { allPages } from '../../shared/handlers/all-pages.ts';
import { defineCollection, publishedBy } from '../../shared/store/collections.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';

const version = z.int().min(0);

/** A fulfillment order with the members that are not published. */
export const StoredFulfillmentOrder = FulfillmentOrder.extend({
  /** The attempt of the order's routing that created it. */
  attempt: z.int().min(1),
  /** The reservation that holds the stock of its lines until they leave. */
  reservationId: Id,
  /** Absent if the customer collects the goods. */
  shippingAddress: Address.optional(),
  shippingMethod: ShippingMethod,
  /** Present if the customer collects the goods: the store finds them by it. */
  orderNumber: z.string().optional(),
  /** The customer of a collection. */
  customerId: Id.optional(),
  payAt: PaidAtCollection,
  /** Whether its goods replace delivered ones, which are paid. */
  free: z.literal(true).optional(),
  /** Whether its goods, which a carrier lost on their way to a store, are refunded or replaced. If they are found, they go to the shelf. */
  givenUp: z.literal(true).optional(),
  /** The secret part of the address of the QR code. */
  qrToken: z.string().optional(),
  /** The statuses that the warehouse has reported; each counts once. */
  pickingSteps: z.array(PickingStatus),
  /** The units that the customer refused at the counter. */
  refused: z.array(z.object({ orderLineId: Id, qty: Quantity, reason: z.string() })).optional(),
});
export type StoredFulfillmentOrder = z.output<typeof StoredFulfillmentOrder>;

export const published = publishedBy(FulfillmentOrder);

/** The lists of collections that contain it. */
export const collectionKey = {
  store: (locationId: string): string => `at ${locationId}`,
  status: (locationId: string, status: CollectionStatus): string => `${status} at ${locationId}`,
  customer: (customerId: string): string => `for ${customerId}`,
  orderNumber: (orderNumber: string): string => `number ${orderNumber}`,
} as const;

function collectionKeysOf(found: StoredFulfillmentOrder): readonly string[] | undefined {
  const { collection, customerId, orderNumber } = found;
  if (!collection) return undefined;
  return [
    collectionKey.store(collection.locationId),
    collectionKey.status(collection.locationId, collectionStatusOf(found)),
    ...(customerId === undefined ? [] : [collectionKey.customer(customerId)]),
    ...(orderNumber === undefined ? [] : [collectionKey.orderNumber(orderNumber)]),
  ];
}

export const fulfillmentOrders = defineCollection({
  name: 'fulfillment-orders',
  schema: StoredFulfillmentOrder,
  index: { order: ({ orderId }) => orderId, collection: collectionKeysOf },
  unique: { qrToken: ({ qrToken }) => qrToken },
  object: fulfillmentOrder,
});

/**
 * The fulfilment of an order, by the order's id. Every creation and cancellation writes it, so that concurrent ones conflict.
 * With `cancelled` it is a tombstone, even for an order without fulfillment orders.
 */
export const orderFulfillments = defineCollection({
  name: 'order-fulfilments',
  schema: z.object({
    id: Id,
    version,
    attempts: z.array(z.int().min(1)),
    cancelled: z.boolean(),
    /** Where its goods are sent since a change of the order. A request that arrives late has the address before. */
    shippingAddress: Address.optional(),
    /** Who collects its goods since a change of the order. */
    collector: z.object({ person: z.string().optional() }).optional(),
  }),
});

const StoredParcel = z.object({
  id: Id,
  version,
  /** The registration at the carrier. */
  data: ParcelData,
  /** Whether the stock records have every movement of its goods so far. */
  stockTaken: z.boolean(),
  /** Whether it is registered at the carrier. */
  registered: z.boolean(),
  /** `left`: nothing is left to do, because the label exists or an explicit call makes it. */
  label: z.enum(['wanted', 'left']),
});
export type Parcel = z.output<typeof StoredParcel>;

/** How far a parcel is handed over; the id is the shipment's. */
export const parcels = defineCollection({ name: 'parcels', schema: StoredParcel });

const StoredTracking = z.object({
  id: Id,
  version,
  /** The parcel carries either a fulfillment order or a return. */
  fulfillmentOrderId: Id.optional(),
  returnId: Id.optional(),
  trackingNumber: z.string().optional(),
  /** Time of the newest scan of the Carrier Platform that moved it, its label included. */
  newestScanAt: Instant.optional(),
  /** Time of the newest scan by a carrier outside the estate that moved it, on that carrier's clock. */
  newestOutsideScanAt: Instant.optional(),
  /** Number of failed delivery attempts. */
  deliveryAttempts: z.int().min(0),
});
export type Tracking = z.output<typeof StoredTracking>;

/**
 * The scans of a parcel so far; the id is the shipment's. It is stored apart from the parcel: a fast carrier scans while the dispatch
 * is still being committed, and the two must not conflict.
 */
export const trackings = defineCollection({
  name: 'trackings',
  schema: StoredTracking,
  index: { trackingNumber: ({ trackingNumber }) => trackingNumber },
});

/** Accepted `webhook-id`s. A repeated `webhook-id` changes nothing. */
export const acceptedWebhooks = defineCollection({ name: 'accepted-webhooks', schema: z.object({ id: z.string(), version }) });

/** Locations that send parcels and take returns, by location id. Stores where customers collect orders have opening hours. */
export const nodes = defineCollection({
  name: 'nodes',
  reference: true,
  schema: z.object({ id: Id, version, name: z.string(), address: Address, isStore: z.boolean(), hours: StoreHours.optional() }),
});

/** Wrong codes at the counter, by the id of the fulfillment order. */
export const collectionChecks = defineCollection({
  name: 'collection-checks',
  schema: z.object({ id: Id, version, wrongCodes: z.int().min(0), lockedUntil: Instant.optional() }),
});

/** All fulfillment orders of an order, sorted by creation. */
export const fulfillmentOrdersOf = (work: UnitOfWork, orderId: string): Promise<StoredFulfillmentOrder[]> =>
  allPages((cursor) => work.find(fulfillmentOrders, 'order', orderId, { cursor }));
