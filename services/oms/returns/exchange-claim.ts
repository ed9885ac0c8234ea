import { getCustomer } from '../../../shared/catalog/customer/apis.ts';
import { getReturn } from '../../../shared/catalog/fulfillment/internal.ts';
import { returnLifeCycle } from '../../../shared/catalog/fulfillment/returns.ts';
import { refusal, refuseTransition } from '../../../shared/catalog/life-cycle.ts';
import { invalid, Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { orders } from '../collections.ts';
import { type ReturnBooking, returnBookings } from './bookings.ts';
import { closedOtherwise } from './closing.ts';

/** Only an inspected return for `exchange` pays. @throws Problem `not_found`, `invalid_state_transition`, `dependency_*` */
export async function refuseUnexchangeable(returnId: string, { call }: Scope): Promise<void> {
  const found = await call(getReturn, { params: { id: returnId } });
  if (found.state !== 'inspected') throw refuseTransition(returnLifeCycle, found, 'exchange');
  if (found.resolution === 'exchange') return;
  throw refusal(
    'return',
    { id: returnId, state: found.state },
    'exchange',
    `The return "${returnId}" was created to be refunded; only a return with the resolution "exchange" pays for an order.`,
  );
}

const GUESTS: ReadonlySet<string> = new Set(['anonymous', 'identified']);

/**
 * A return of a registered customer pays only for this customer's orders, and for a sale without a customer. A return of a guest belongs
 * to the bearer of the receipt.
 * @throws Problem `validation_failed`, `dependency_*` while the CRM does not answer
 */
export async function refuseForeignReturn(returnId: string, buyerId: string | undefined, { work, call }: Scope): Promise<void> {
  const booking = await work.get(returnBookings, returnId);
  const ownerId = booking && (await work.get(orders, booking.orderId))?.customerId;
  if (ownerId === undefined || buyerId === undefined || ownerId === buyerId) return;
  const { state } = await call(getCustomer, { params: { id: ownerId } });
  if (GUESTS.has(state)) return;
  throw invalid(
    '/exchangeForReturnId',
    'return_of_another',
    `The return "${returnId}" belongs to another registered customer. Leave it out, or use a basket of that customer.`,
  );
}

/**
 * Claims a return for a basket, as part of the commit before the basket is converted. A return pays for one basket, once, and not after
 * its refund. Of two concurrent claims one is refused before anything has happened to its basket.
 * @throws Problem `invalid_state_transition` of the return
 */
export async function claimReturn(work: UnitOfWork, returnId: string, basketId: string): Promise<void> {
  const booking = await work.get(returnBookings, returnId);
  if (booking?.exchangeBasketId === basketId) return;
  if (!booking) throw new Problem('not_found', `There is no return "${returnId}".`, { objectType: 'return', id: returnId });
  if (booking.exchangeBasketId !== undefined) throw closedOtherwise(booking, 'exchange', await takenBy(work, returnId));
  if (booking.status !== 'open') throw closedOtherwise(booking, 'exchange', 'is already refunded');
  work.put(returnBookings, { ...booking, exchangeBasketId: basketId });
}

/** Names the order that a return pays for. */
async function takenBy(work: UnitOfWork, returnId: string): Promise<string> {
  const order = await work.findUnique(orders, 'exchangeFor', returnId);
  if (!order) return 'already pays for another order';
  if (order.state !== 'cancelled') return `already pays for the order "${order.id}"`;
  const instead = 'A return pays for one order; this one is refunded instead, by Refund Payment where refunds are manual';
  return `paid for the order "${order.id}", which was cancelled. ${instead}`;
}

/** Whether a return may still pay for this basket. */
export async function isClaimable(work: UnitOfWork, returnId: string, basketId: string): Promise<boolean> {
  const booking = await work.get(returnBookings, returnId);
  return booking?.exchangeBasketId === basketId || (booking?.status === 'open' && booking.exchangeBasketId === undefined);
}

/** Gives up the claim of a basket that did not become an order. Without this claim nothing happens. */
export async function releaseReturn(work: UnitOfWork, returnId: string, basketId: string): Promise<void> {
  const booking = await work.get(returnBookings, returnId);
  if (booking?.exchangeBasketId !== basketId) return;
  const { exchangeBasketId: _basket, ...released } = booking;
  work.put(returnBookings, released);
}

/**
 * Whether a return pays for an order. `coming`: an order that is not cancelled names it.
 * @throws Problem `invalid_state_transition` with `retryable: true` while a basket is being converted for it
 */
export async function exchangeOf(work: UnitOfWork, booking: ReturnBooking): Promise<'coming' | 'none'> {
  if (booking.exchangeBasketId === undefined) return 'none';
  const order = await work.findUnique(orders, 'exchangeFor', booking.id);
  if (order) return order.state === 'cancelled' ? 'none' : 'coming';
  // Another request, which did not name the return, made an order of the basket.
  if (await work.findUnique(orders, 'basket', booking.exchangeBasketId)) return 'none';
  throw refusal(
    'return',
    { id: booking.id, state: 'inspected' },
    'refund',
    `An exchange order for the return "${booking.id}" is being created; send this request again when that has ended.`,
    { allowedFrom: ['inspected'], retryable: true, retryAfter: 1 },
  );
}
