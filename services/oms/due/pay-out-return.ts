import { handleDue } from '../../../shared/work/handler.ts';
import { orders } from '../collections.ts';
import { payOutReturnDue } from '../due-work.ts';
import { returnBookings } from '../returns/bookings.ts';
import { payOut } from '../returns/payout.ts';

/** Refunds the value of a return, less the part that its exchange credit uses, to the payments of the returned order. */
export const payOutReturn = handleDue(payOutReturnDue)(async ({ key }, scope) => {
  const booking = await scope.work.get(returnBookings, key);
  if (booking?.status !== 'exchanged' && booking?.status !== 'refunded') return;
  const order = await scope.work.get(orders, booking.orderId);
  if (order) await payOut({ order, booking }, scope);
});
