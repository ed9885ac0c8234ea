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
 * A Reserve Inventory that has set out to take stock elsewhere: the intent that due work, or the next request for the same basket,
 * can carry to its end. The id is the reservation's. `ended` and `aborting` are never taken up again: their id is used up.
 */
const StoredAttempt = z.object({
  id: Id,
  version,
  status: z.enum(['under-way', 'done', 'aborting', 'ended']),
  basketId: Id.optional(),
  orderId: Id.optional(),
  locationId: Id.optional(),
  prefer: NodePreference.optional(),
  items: z.array(SkuQuantity),
  /** Absent: held without a time limit, for the till. */
  expiresAt: Instant.optional(),
  /** For how long it was asked for. */
  ttlSeconds: z.int().optional(),
  /** Taken for a checkout or an order by the application that owns it: nobody from outside replaces it while that stands. */
  forCheckout: z.literal(true).optional(),
  /** Open reservations of the same basket or order, whose stock it takes over. */
  replaces: z.array(Id).optional(),
  /** Somebody else than the request that set out has asked for the stock too, or is about to. */
  carriedOn: z.boolean().optional(),
});
export type Attempt = z.output<typeof StoredAttempt>;
export const attempts = defineCollection({ name: 'attempts', schema: StoredAttempt });

/**
 * The newest attempt of each basket; the id is the basket's. Whoever reserves for a basket writes here, so that two that do so at
 * once are put in order and a basket never has two open reservations.
 */
export const basketAttempts = defineCollection({ name: 'basket-attempts', schema: z.object({ id: Id, version, attempt: Id }) });

/** Orders and baskets that are over; the id is `endedId`. Nothing is held for them any more, however late it is asked for. */
export const endedOwners = defineCollection({ name: 'ended-owners', schema: z.object({ id: z.string(), version, state: z.string() }) });
export const endedId = (owner: 'order' | 'basket', id: string): string => `${owner}|${id}`;

/**
 * Holds whose order is being sent, or is about to be; the id is the reservation's. Their units may be on a trolley already, so that
 * only the OMS, which can stop that, releases them.
 */
export const fulfilmentHolds = defineCollection({
  name: 'fulfilment-holds',
  schema: z.object({ id: Id, version, orderId: Id.optional() }),
});

const StoredMovement = z.object({
  id: z.string(),
  version,
  reservationId: Id,
  reference: z.string(),
  kind: z.enum(['consume', 'short']),
  allocations: z.array(HeldAt),
  /** The Inventory Service has not moved the stock yet, as far as is known here. */
  pending: z.boolean(),
});
export type Movement = z.output<typeof StoredMovement>;

/** Units of a reservation that left, or were not there: once per reference, in the order in which they were recorded. */
export const movements = defineCollection({
  name: 'movements',
  schema: StoredMovement,
  index: { pending: ({ pending, reservationId }) => (pending ? reservationId : undefined) },
});
export const movementId = (reservationId: string, reference: string): string => `${reservationId}|${reference}`;
