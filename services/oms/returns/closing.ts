import { returnLifeCycle } from '../../../shared/catalog/fulfillment/returns.ts';
import { refusal } from '../../../shared/catalog/life-cycle.ts';
import type { Problem } from '../../../shared/catalog/problems.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { orders, type StoredOrder } from '../collections.ts';
import { bookingsOf, isOpen, onlyPaidBack, type ReturnBooking, returnBookings } from './bookings.ts';

/** Ends a booking whose units count as returned, as part of the last commit. */
export async function completeBooking(
  work: UnitOfWork,
  order: StoredOrder,
  { booking, as }: { readonly booking: ReturnBooking; readonly as: 'refunded' | 'exchanged' },
): Promise<ReturnBooking> {
  const unitsOf = new Map(booking.lines.map(({ orderLineId, qty }) => [orderLineId, qty]));
  const lines = order.lines.map((line) => ({ ...line, returnedQty: line.returnedQty + (unitsOf.get(line.lineId) ?? 0) }));
  const ended = work.put(returnBookings, { ...booking, status: as });
  await endReturn(work, order, { returnId: booking.id, lines });
  return ended;
}

/** Ends a booking whose units stay with the customer, in the last commit. @param paidBack minor units refunded nevertheless */
export async function rejectBooking(
  work: UnitOfWork,
  order: StoredOrder,
  { booking, paidBack }: { booking: ReturnBooking; paidBack: number },
): Promise<void> {
  work.put(returnBookings, { ...booking, status: 'rejected', lines: onlyPaidBack(booking.lines, paidBack) });
  await endReturn(work, order, { returnId: booking.id, lines: order.lines });
}

/** When its last open return ends, the order is completed again. */
async function endReturn(
  work: UnitOfWork,
  order: StoredOrder,
  { returnId, lines }: { readonly returnId: string; readonly lines: StoredOrder['lines'] },
): Promise<void> {
  const others = (await bookingsOf(work, order.id)).some((one) => one.id !== returnId && isOpen(one));
  work.transition(orders, order, 'end-return', { lines }, others ? 'return-in-progress' : 'completed');
}

const states = { open: 'inspected', refunding: 'inspected', refunded: 'refunded', exchanged: 'exchanged', rejected: 'rejected' } as const;

/** 409 for an outcome that is no longer possible. */
export const closedOtherwise = ({ id, status }: ReturnBooking, action: 'refund' | 'reject' | 'exchange', why: string): Problem =>
  refusal(returnLifeCycle, { id, state: states[status] }, action, `The return "${id}" ${why}.`);
