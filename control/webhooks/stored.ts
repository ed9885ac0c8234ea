import { z } from 'zod';
import { KEPT_ATTEMPTS, KEPT_DELIVERIES } from '../../shared/catalog/control/webhooks.ts';
import { defineCollection } from '../../shared/store/collections.ts';
import { ACTIVE_WEBHOOKS, DELIVER_WEBHOOK } from '../../shared/store/ports/due-work.ts';
import { defineDueWork } from '../../shared/work/due-work.ts';

/**
 * What the gateway stores of registered webhooks. Objects are never removed from a store, so both collections have a fixed number of places
 * that are used again: twenty for webhooks, a thousand for the deliveries of each.
 */

const StoredWebhook = z.object({
  /** Number of its place. */
  id: z.string(),
  version: z.int(),
  state: z.enum(['active', 'disabled', 'deleted']),
  name: z.string(),
  /** Changes when the webhook is registered again after a deletion. Work of the earlier registration then ends when it runs. */
  registration: z.string(),
  url: z.string(),
  types: z.array(z.string()),
  timestamp: z.enum(['wall', 'rehearsal']),
  secret: z.string(),
  oldSecret: z.object({ secret: z.string(), until: z.number() }).optional(),
  /** Wall time. */
  createdAt: z.number(),
  /** Order of the last event that was considered. */
  position: z.int(),
  /** Number of the last delivery. */
  last: z.int(),
  /** Number of the last delivery of earlier registrations at this place. */
  before: z.int(),
  /** The oldest kept delivery is not accepted yet: further events wait in the list of events. */
  isFull: z.boolean(),
});
export type StoredWebhook = z.output<typeof StoredWebhook>;

export const webhooks = defineCollection({
  name: ACTIVE_WEBHOOKS.collection,
  schema: StoredWebhook,
  index: { [ACTIVE_WEBHOOKS.index]: ({ state }: StoredWebhook) => (state === 'active' ? ACTIVE_WEBHOOKS.value : undefined) },
});

const Attempt = z.object({
  at: z.number(),
  startedAt: z.number(),
  durationMs: z.number(),
  status: z.int(),
  answer: z.string().optional(),
  error: z.string().optional(),
  requestId: z.string(),
});
export type Attempt = z.output<typeof Attempt>;

const StoredDelivery = z.object({
  /** Place of the webhook, and of the delivery. */
  id: z.string(),
  version: z.int(),
  webhook: z.string(),
  registration: z.string(),
  number: z.int(),
  event: z.object({
    id: z.string(),
    type: z.string(),
    subject: z.string(),
    order: z.int(),
    correlationId: z.string(),
    hop: z.string().optional(),
  }),
  state: z.enum(['waiting', 'delivered', 'parked', 'cancelled']),
  /** A fault took it out of the order of its object. */
  isApart: z.boolean(),
  attempts: z.array(Attempt).max(KEPT_ATTEMPTS),
  nextAttemptAt: z.number().optional(),
  withheldBy: z.string().optional(),
});
export type StoredDelivery = z.output<typeof StoredDelivery>;

export const deliveries = defineCollection({
  name: 'deliveries',
  schema: StoredDelivery,
  index: {
    /** The unaccepted deliveries of a webhook. */
    waiting: ({ state, webhook }: StoredDelivery) => (state === 'waiting' ? webhook : undefined),
    /** The deliveries of a webhook about an object, which are made one after the other. */
    inOrder: ({ state, isApart, webhook, event }: StoredDelivery) =>
      state === 'waiting' && !isApart ? orderOf(webhook, event.subject) : undefined,
  },
});

export const orderOf = (webhook: string, subject: string): string => `${webhook}/${subject}`;

/** The place of a delivery. Its previous delivery had a number that is lower by `KEPT_DELIVERIES`. */
export const placeOf = (webhook: string, number: number): string => `${webhook}-${number % KEPT_DELIVERIES}`;

export const deliverWebhook = defineDueWork(
  DELIVER_WEBHOOK,
  z.object({
    webhook: z.string(),
    registration: z.string(),
    number: z.int(),
    order: z.int(),
    /** Attempts that failed so far. */
    tries: z.int(),
    /** A fault withheld it: no other fault applies. */
    held: z.boolean().optional(),
    /** One more attempt at a delivery that was accepted. */
    again: z.boolean().optional(),
  }),
);
export type DeliveryJob = z.output<typeof deliverWebhook.payload>;

export const keyOf = (name: string, number: number): string => `${name}/${number}`;
