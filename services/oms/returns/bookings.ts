import { z } from 'zod';
import { Id, Quantity } from '../../../shared/catalog/shapes.ts';
import { defineCollection } from '../../../shared/store/collections.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';

/**
 * What the OMS has booked for a return; the id is the return's. Its units are in no other one until it is rejected.
 * `refunding`: it is being paid back, so that no order may be exchanged for it any more.
 */
const ReturnBooking = z.object({
  id: Id,
  version: z.int().min(0),
  orderId: Id,
  lines: z.array(z.object({ orderLineId: Id, qty: Quantity, amount: z.int().min(0).describe('Minor units: what these units are worth.') })),
  status: z.enum(['open', 'refunding', 'refunded', 'exchanged', 'rejected']),
  /** The basket whose order is exchanged for it: one, once. */
  exchangeBasketId: Id.optional(),
});
export type ReturnBooking = z.output<typeof ReturnBooking>;

export const returnBookings = defineCollection({
  name: 'return-bookings',
  schema: ReturnBooking,
  index: { order: ({ orderId }) => orderId },
});

/** All of an order, in order of creation. An order of 200 lines with 9,999 units each is one page only as long as nobody returns them one by one. */
export async function bookingsOf(work: UnitOfWork, orderId: string): Promise<ReturnBooking[]> {
  const found: ReturnBooking[] = [];
  let cursor: string | undefined;
  do {
    const page = await work.find(returnBookings, 'order', orderId, { cursor });
    found.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

/** Minor units that a return is worth. */
export const returnValueOf = ({ lines }: Pick<ReturnBooking, 'lines'>): number => lines.reduce((sum, { amount }) => sum + amount, 0);

/** Whether it is still to come to an end. */
export const isOpen = ({ status }: Pick<ReturnBooking, 'status'>): boolean => status === 'open' || status === 'refunding';
