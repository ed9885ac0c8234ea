import { progressionOf } from '../../../shared/catalog/control/progression.ts';
import { closeReturn as closeReturnCall } from '../../../shared/catalog/order/internal.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { again, handle, type Scope } from '../../../shared/work/handler.ts';
import { orderById, type StoredOrder } from '../collections.ts';
import { payOutReturnDue } from '../due-work.ts';
import { isOpen, type ReturnBooking, returnBookings } from '../returns/bookings.ts';
import { closedOtherwise, completeBooking, rejectBooking } from '../returns/closing.ts';
import { exchangeOf } from '../returns/exchange-claim.ts';
import { type Payout, paidBackFor, payOut } from '../returns/payout.ts';

const nothing: Payout = { settled: true, refunds: [] };

/** The FMS decides the outcome of a return; the OMS refunds it and counts its units. */
export const closeReturn = handle(closeReturnCall)(async ({ params, body }, scope) => {
  const { work } = scope;
  const order = await orderById(work, params.id);
  const booking = await work.get(returnBookings, params.returnId);
  if (booking && booking.orderId !== order.id) throw notFound('return', params.returnId);
  if (body.outcome === 'rejected')
    return reject(order, { returnId: params.returnId, booking, isKnown: body.paidBack !== undefined }, scope);
  if (!booking) throw notFound('return', params.returnId);
  if (booking.status === 'rejected') {
    throw closedOtherwise(booking, body.outcome === 'exchanged' ? 'exchange' : 'refund', 'was rejected; its units stay with the customer');
  }
  switch (body.outcome) {
    case 'refund':
      return payBack(order, booking, scope);
    case 'refunded':
      if (!isOpen(booking)) return again(nothing);
      await completeBooking(work, order, { booking, as: 'refunded' });
      return nothing;
    case 'exchanged':
      if (!isOpen(booking)) return again(nothing);
      await completeBooking(work, order, { booking, as: 'exchanged' });
      work.schedule(payOutReturnDue, booking.id, work.now, {});
      return { settled: false, refunds: [] };
  }
});

/** Refunds nothing while the return pays for an order. Otherwise the decision is committed first, so that no exchange can begin. */
async function payBack(order: StoredOrder, booking: ReturnBooking, scope: Scope): Promise<Payout> {
  const { work, context } = scope;
  if (!isOpen(booking)) return payOut({ order, booking }, scope);
  if ((await exchangeOf(work, booking)) === 'coming') return { settled: false, refunds: [] };
  const byHand = progressionOf(context).refund === 'manual';
  const paying = byHand || booking.status === 'refunding' ? booking : work.put(returnBookings, { ...booking, status: 'refunding' });
  await work.checkpoint();
  const payout = await payOut({ order, booking: paying }, scope);
  if (payout.settled) await completeBooking(work, order, { booking: paying, as: 'refunded' });
  return payout;
}

interface Rejecting {
  readonly returnId: string;
  readonly booking: ReturnBooking | undefined;
  /** Clients could see the return, so they may have refunded something for it. */
  readonly isKnown: boolean;
}

/**
 * A return without a booking gets a rejected one, so that it cannot be booked later. The Payment Hub returns the refunds of a
 * return, because the FMS may not have all of them yet.
 */
async function reject(order: StoredOrder, { returnId, booking, isKnown }: Rejecting, scope: Scope): Promise<Payout> {
  const { work } = scope;
  if (!booking) {
    work.put(returnBookings, { id: returnId, orderId: order.id, lines: [], status: 'rejected' });
    return nothing;
  }
  if (booking.status === 'rejected') return nothing;
  if (booking.status !== 'open') throw closedOtherwise(booking, 'reject', 'is refunded or exchanged');
  if ((await exchangeOf(work, booking)) === 'coming') throw closedOtherwise(booking, 'reject', 'pays for another order');
  const paidBack = isKnown ? await paidBackFor(booking, scope) : 0;
  await rejectBooking(work, order, { booking, paidBack });
  return nothing;
}
