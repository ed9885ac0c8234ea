import { getReturn } from '../../../shared/catalog/fulfillment/internal.ts';
import { returnLifeCycle } from '../../../shared/catalog/fulfillment/returns.ts';
import { refuseTransition } from '../../../shared/catalog/life-cycle.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { orders } from '../collections.ts';
import { type ReturnBooking, returnBookings } from './bookings.ts';
import { closedOtherwise } from './closing.ts';

/**
 * Only an inspected return pays for another order, and only one that was announced as an exchange.
 * @throws Problem `not_found`, `invalid_state_transition` of the return, `dependency_*`
 */
export async function refuseUnexchangeable(returnId: string, { call }: Scope): Promise<void> {
  const found = await call(getReturn, { params: { id: returnId } });
  if (found.state !== 'inspected') throw refuseTransition(returnLifeCycle, found, 'exchange');
  if (found.resolution === 'exchange') return;
  throw new Problem(
    'invalid_state_transition',
    `The return "${returnId}" is paid back, not exchanged: that was chosen when it was created.`,
    {
      objectType: 'return',
      id: returnId,
      currentState: found.state,
      action: 'exchange',
      allowedFrom: [],
    },
  );
}

/**
 * Notes for which basket a return pays: one, once, and only as long as it is not paid back. A part of the commit before that basket is
 * converted, so that of two at once one is refused before anything has happened to its basket.
 * @throws Problem `invalid_state_transition` of the return
 */
export async function claimReturn(work: UnitOfWork, returnId: string, basketId: string): Promise<void> {
  const booking = await work.get(returnBookings, returnId);
  if (booking?.exchangeBasketId === basketId) return;
  if (!booking) throw new Problem('not_found', `There is no return "${returnId}".`, { objectType: 'return', id: returnId });
  if (booking.exchangeBasketId !== undefined) throw closedOtherwise(booking, 'exchange', 'has paid for another order already');
  if (booking.status !== 'open') throw closedOtherwise(booking, 'exchange', 'is paid back already');
  work.put(returnBookings, { ...booking, exchangeBasketId: basketId });
}

/** Whether a return may still pay for this basket. */
export async function isClaimable(work: UnitOfWork, returnId: string, basketId: string): Promise<boolean> {
  const booking = await work.get(returnBookings, returnId);
  return booking?.exchangeBasketId === basketId || (booking?.status === 'open' && booking.exchangeBasketId === undefined);
}

/** The basket did not become an order: the return may pay for another one. */
export async function releaseReturn(work: UnitOfWork, returnId: string, basketId: string): Promise<void> {
  const booking = await work.get(returnBookings, returnId);
  if (booking?.exchangeBasketId !== basketId) return;
  const { exchangeBasketId: _basket, ...released } = booking;
  work.put(returnBookings, released);
}

/**
 * Whether an order is, or may yet be, exchanged for a return.
 * @throws Problem `invalid_state_transition` with `retryable: true` while a basket is being converted for it
 */
export async function exchangeOf(work: UnitOfWork, booking: ReturnBooking): Promise<'coming' | 'none'> {
  if (booking.exchangeBasketId === undefined) return 'none';
  const order = await work.findUnique(orders, 'exchangeFor', booking.id);
  if (order) return order.state === 'cancelled' ? 'none' : 'coming';
  // Its basket became an order all the same, by another request that did not name the return.
  if (await work.findUnique(orders, 'basket', booking.exchangeBasketId)) return 'none';
  throw new Problem('invalid_state_transition', `An order is just being created that is exchanged for the return "${booking.id}".`, {
    objectType: 'return',
    id: booking.id,
    currentState: 'inspected',
    action: 'refund',
    allowedFrom: ['inspected'],
    retryable: true,
    retryAfter: 1,
  });
}
