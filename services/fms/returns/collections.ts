import { z } from 'zod';
import { ReturnStep } from '../../../shared/catalog/fulfillment/reference-data.ts';
import { Return, returnObject } from '../../../shared/catalog/fulfillment/returns.ts';
import { Address, Id, Instant } from '../../../shared/catalog/shapes.ts';
import { allPages } from '../../../shared/handlers/all-pages.ts';
import { defineCollection, publishedBy } from '../../../shared/store/collections.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';

const version = z.int().min(0);

/** A return with the members that are not published. */
export const StoredReturn = Return.extend({
  /** Completion of the order. The return window begins with it. */
  completedAt: Instant,
  /** The address where a carrier collects the parcel. */
  customerAddress: Address.optional(),
  /** Present while the return is being rejected: its units leave the stock, and the OMS decides. No other verb moves it then. */
  rejecting: z
    .object({
      reason: z.string().optional(),
      since: Instant,
      /** The return's version at the beginning. The keys of calls name it, so that each call takes effect once per attempt. */
      attempt: z.int(),
    })
    .optional(),
});
export type StoredReturn = z.output<typeof StoredReturn>;

export const published = publishedBy(Return);

export const returns = defineCollection({
  name: 'returns',
  schema: StoredReturn,
  index: { order: ({ orderId }) => orderId, customer: ({ customerId }) => customerId },
  object: returnObject,
});

/** A request for a return, stored before the OMS books it, by the return's id. `undone`: nothing is booked for it. */
export const returnRequests = defineCollection({
  name: 'return-requests',
  schema: z.object({ id: Id, version, orderId: Id, state: z.enum(['open', 'done', 'undone']) }),
  index: { undecided: ({ orderId, state }) => (state === 'open' ? orderId : undefined) },
});

/** The automatic steps of a return; the id is the return's. They are stored apart, because a new plan does not change the return. */
export const returnTasks = defineCollection({
  name: 'return-tasks',
  schema: z.object({
    id: Id,
    version,
    open: z.boolean(),
    /** Time of the previous step; `stepAt` is the time of the next one. Both in epoch milliseconds. */
    since: z.int(),
    stepAt: z.int().optional(),
    /** Time of the refund, in epoch milliseconds: at the earliest a week after the inspection if the return may be exchanged. */
    refundAt: z.int().optional(),
  }),
  index: { open: ({ open }) => (open ? 'yes' : undefined) },
});

/** The delay of each step when returns move automatically; the id is the step. */
export const returnSteps = defineCollection({
  name: 'return-steps',
  reference: true,
  schema: z.object({ id: ReturnStep.shape.step, version, afterMs: z.int().min(0) }),
});

/** All returns of an order, sorted by creation. */
export const returnsOf = (work: UnitOfWork, orderId: string): Promise<StoredReturn[]> =>
  allPages((cursor) => work.find(returns, 'order', orderId, { cursor }));
