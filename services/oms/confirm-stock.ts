import { confirmReservation, reserveInventory } from '../../shared/catalog/inventory/apis.ts';
import { didNothing, Problem, type ProblemCode } from '../../shared/catalog/problems.ts';
import type { Scope } from '../../shared/work/handler.ts';
import { orders, type StoredOrder } from './collections.ts';
import { NEW_HOLD_TTL_SECONDS } from './due-work.ts';
import { itemsOf, linesHeldBy, type Reservation, reservationsOf } from './lines.ts';
import { isRoutable, routesByItself } from './routing.ts';

/**
 * Outcome of securing the stock of an order; `order` is its newest version. `short`: no location has enough of some SKUs, which the
 * problem names. `unavailable`: the SIM certainly did nothing. `lost`: the new reservation ended before it was confirmed.
 */
type StockOutcome =
  | { readonly is: 'held'; readonly order: StoredOrder; readonly reservation: Reservation }
  | { readonly is: 'short' | 'unavailable' | 'lost'; readonly order: StoredOrder; readonly problem: Problem };

/**
 * Confirms the reservation of the order. If it has ended, makes one new reservation for all lines and confirms that.
 * @throws Problem when it is unknown whether the SIM acted; the intent then stays for the next attempt
 */
export async function secureStock(order: StoredOrder, scope: Scope): Promise<StockOutcome> {
  const confirmed = await confirmStored(order, scope);
  if (confirmed) return confirmed;
  const taken = await takeNewReservation(order, scope);
  if (taken.is !== 'taken') return taken;
  return (await confirmStored(taken.order, scope)) ?? holdLost(taken.order);
}

/** Problem codes of the SIM's answers about a reservation that has ended. */
const HOLD_IS_GONE: ReadonlySet<ProblemCode> = new Set(['reservation_expired', 'invalid_state_transition', 'not_found']);

/** @returns undefined if the order has no reservation, or it has ended */
async function confirmStored(order: StoredOrder, { call, context }: Scope): Promise<StockOutcome | undefined> {
  const [reservationId] = reservationsOf(order.lines);
  if (reservationId === undefined) return undefined;
  // If routing is manual, a client may still release the reservation before Route Order.
  const body = { orderId: order.id, forFulfilment: isRoutable(order) && routesByItself(context) };
  try {
    const reservation = await call(confirmReservation, { params: { id: reservationId }, body });
    return { is: 'held', order, reservation };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (didNothing(error)) return { is: 'unavailable', order, problem: error };
    if (!HOLD_IS_GONE.has(error.code) || error.retryable) throw error;
    return undefined;
  }
}

/**
 * Reserves stock for all lines and stores the reservation on the order before it is confirmed: one that was not stored expires, and a
 * confirmed one is always stored. Every attempt of this confirmation sends the same call, so the stock is reserved once.
 */
async function takeNewReservation(order: StoredOrder, { call, work }: Scope): Promise<StockOutcome | { is: 'taken'; order: StoredOrder }> {
  // The new reservation replaces all other reservations of the order or its basket.
  const body = { orderId: order.id, basketId: order.basketId, items: itemsOf(order.lines), ttlSeconds: NEW_HOLD_TTL_SECONDS };
  try {
    const { id } = await call(reserveInventory, { body }, { intent: order.id, step: `hold ${order.holdAttempts + 1}` });
    const noted = work.transition(orders, order, 'note', { lines: linesHeldBy(order.lines, id), holdAttempts: order.holdAttempts + 1 });
    await work.checkpoint();
    return { is: 'taken', order: noted };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (didNothing(error)) return { is: 'unavailable', order, problem: error };
    if (error.code === 'insufficient_stock' || error.code === 'not_found') return { is: 'short', order, problem: error };
    throw error;
  }
}

/** The new reservation ended before it was confirmed. It is not certain that any SKU is sold out, so the payments are not voided. */
const holdLost = (order: StoredOrder): StockOutcome => ({
  is: 'lost',
  order,
  problem: new Problem(
    'reservation_expired',
    `The new reservation of the order "${order.id}" ended before it was confirmed; confirm the order again.`,
    {
      objectType: 'order',
      id: order.id,
      skus: [],
      lines: order.lines.map(({ lineId, sku, qty }) => ({ lineId, sku, qty })),
      retryable: true,
      retryAfter: 1,
    },
  ),
});
