import { z } from 'zod';
import { ReturnStep } from '../../../shared/catalog/fulfillment/reference-data.ts';
import { Return, returnObject } from '../../../shared/catalog/fulfillment/returns.ts';
import { Address, Id, Instant } from '../../../shared/catalog/shapes.ts';
import { defineCollection } from '../../../shared/store/collections.ts';

const version = z.int().min(0);

/** The return as it is published, and what only the FMS needs to know of it. */
export const StoredReturn = Return.extend({
  /** When the goods were the customer's: the window counts from here. */
  completedAt: Instant,
  /** Where a carrier collects it. */
  customerAddress: Address.optional(),
  /** It is being rejected: its units leave the stock, and the OMS is asked, which may be paying it back already. Nothing else moves it meanwhile. */
  rejecting: z
    .object({
      reason: z.string().optional(),
      since: Instant,
      /** The return's version when it began: what is asked of others under it is asked once. */
      attempt: z.int(),
    })
    .optional(),
});
export type StoredReturn = z.output<typeof StoredReturn>;

/** A return as everybody else sees it. */
export const published = (stored: StoredReturn): z.output<typeof Return> => Return.parse(stored);

export const returns = defineCollection({
  name: 'returns',
  schema: StoredReturn,
  index: { order: ({ orderId }) => orderId, customer: ({ customerId }) => customerId },
  object: returnObject,
});

/**
 * A Create Return that the OMS was asked to book; the id is the return's. `undone`: nobody got an answer, or it was no, and nothing is
 * booked for it any more.
 */
export const returnRequests = defineCollection({
  name: 'return-requests',
  schema: z.object({ id: Id, version, orderId: Id, state: z.enum(['open', 'done', 'undone']) }),
});

/** When a return moves by itself next; the id is the return's. Apart from it: another plan is no change of the return. */
export const returnTasks = defineCollection({
  name: 'return-tasks',
  schema: z.object({
    id: Id,
    version,
    open: z.boolean(),
    /** When the step before was taken, and when the next one is, both as epoch milliseconds. */
    since: z.int(),
    stepAt: z.int().optional(),
  }),
  index: { open: ({ open }) => (open ? 'yes' : undefined) },
});
export type ReturnTask = z.output<typeof returnTasks.schema>;

/** How long store and warehouse take when returns move by themselves; the id is the step. */
export const returnSteps = defineCollection({
  name: 'return-steps',
  schema: z.object({ id: ReturnStep.shape.step, version, afterMs: z.int().min(0) }),
});
