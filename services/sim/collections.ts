import { z } from 'zod';
import { NodePreference } from '../../shared/catalog/inventory/apis.ts';
import { HeldAt } from '../../shared/catalog/inventory/internal.ts';
import { reservation } from '../../shared/catalog/inventory/objects.ts';
import { Id, Instant, SkuQuantity } from '../../shared/catalog/shapes.ts';
import { defineCollection } from '../../shared/store/collections.ts';

const version = z.int().min(0);

export const reservations = defineCollection({
  name: 'reservations',
  schema: reservation.schema,
  object: reservation,
  index: { basket: ({ basketId }) => basketId, order: ({ orderId }) => orderId },
});
export type StoredReservation = z.output<typeof reservation.schema>;

/**
 * The intent of a Reserve Inventory to take stock at the Inventory Service. Due work, or the next request for the same basket, can
 * finish it. The id is the reservation's. After `aborting` and `ended` the id is never used again.
 */
const StoredAttempt = z.object({
  id: Id,
  version,
  status: z.enum(['under-way', 'done', 'aborting', 'ended']),
  basketId: Id.optional(),
  orderId: Id.optional(),
  locationId: Id.optional(),
  collectAt: Id.optional(),
  prefer: NodePreference.optional(),
  items: z.array(SkuQuantity),
  /** The time limit. The till's reservations have none. */
  expiresAt: Instant.optional(),
  /** The requested lifetime. */
  ttlSeconds: z.int().optional(),
  /** Whether an application requested it for a checkout or an order. Callers from outside cannot replace it during that time. */
  forCheckout: z.literal(true).optional(),
  /** Whether its units replace others of an order, which may be completed. */
  forReplacement: z.literal(true).optional(),
  /** Open reservations of the same basket or order. This reservation takes over their stock. */
  replaces: z.array(Id).optional(),
  /** Whether a second worker has requested the stock, or is about to. */
  carriedOn: z.boolean().optional(),
});
export type Attempt = z.output<typeof StoredAttempt>;
export const attempts = defineCollection({ name: 'attempts', schema: StoredAttempt });

/** The newest attempt of each basket, by its id. Attempts for a basket conflict here, so it has one open reservation at most. */
export const basketAttempts = defineCollection({ name: 'basket-attempts', schema: z.object({ id: Id, version, attempt: Id }) });

/** Orders and baskets that have ended; the id is `endedId`. Later requests to reserve stock for them are refused. */
export const endedOwners = defineCollection({ name: 'ended-owners', schema: z.object({ id: z.string(), version, state: z.string() }) });
export const endedId = (owner: 'order' | 'basket', id: string): string => `${owner}|${id}`;

/**
 * Reservations whose order is being sent, or is about to be; the id is the reservation's. Their units may have left the shelf,
 * so only the OMS, which can stop the fulfilment, releases them.
 */
export const fulfillmentHolds = defineCollection({
  name: 'fulfilment-holds',
  schema: z.object({ id: Id, version, orderId: Id.optional() }),
});

const StoredMovement = z.object({
  id: z.string(),
  version,
  reservationId: Id,
  reference: z.string(),
  kind: z.enum(['consume', 'short', 'give-back', 'send', 'receive', 'not-received']),
  allocations: z.array(HeldAt),
  /** Whether the Inventory Service has not yet confirmed that it moved the stock. */
  pending: z.boolean(),
});
export type Movement = z.output<typeof StoredMovement>;

/** Movements of the units of a reservation, once per reference, sorted by recording. */
export const movements = defineCollection({
  name: 'movements',
  schema: StoredMovement,
  index: { pending: ({ pending, reservationId }) => (pending ? reservationId : undefined) },
});
export const movementId = (reservationId: string, reference: string): string => `${reservationId}|${reference}`;
