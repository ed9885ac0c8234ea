import { z } from 'zod';
import { Id, Quantity } from '../../../shared/catalog/shapes.ts';
import { defineCollection } from '../../../shared/store/collections.ts';
import { allPages } from '../../../shared/work/all-pages.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';

/**
 * Booking of a return, under the id of the return. Its units are in no other return until it is rejected.
 * `refunding`: it is being refunded, so no order can be exchanged for it any more.
 */
const ReturnBooking = z.object({
  id: Id,
  version: z.int().min(0),
  orderId: Id,
  lines: z.array(z.object({ orderLineId: Id, qty: Quantity, amount: z.int().min(0).describe('Value of these units in minor units.') })),
  status: z.enum(['open', 'refunding', 'refunded', 'exchanged', 'rejected']),
  /** The one basket whose order is exchanged for the return. */
  exchangeBasketId: Id.optional(),
});
export type ReturnBooking = z.output<typeof ReturnBooking>;

export const returnBookings = defineCollection({
  name: 'return-bookings',
  schema: ReturnBooking,
  index: { order: ({ orderId }) => orderId },
});

/** All bookings of an order, oldest first. Units returned one by one may fill several pages. */
export const bookingsOf = (work: UnitOfWork, orderId: string): Promise<ReturnBooking[]> =>
  allPages((cursor) => work.find(returnBookings, 'order', orderId, { cursor }));

/** Value of a return in minor units. */
export const returnValueOf = ({ lines }: Pick<ReturnBooking, 'lines'>): number => lines.reduce((sum, { amount }) => sum + amount, 0);

export const isOpen = ({ status }: Pick<ReturnBooking, 'status'>): boolean => status === 'open' || status === 'refunding';
