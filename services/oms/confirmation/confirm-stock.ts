import { confirmReservation, reserveInventory } from '../../../shared/catalog/inventory/apis.ts';
import { Problem, type ProblemCode } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import { orders, type StoredOrder } from '../collections.ts';
import { isRoutable, routesByItself } from '../fulfillment/routing.ts';
import { itemsOf, linesHeldBy, type Reservation, reservationsOf } from '../order/lines.ts';
import { NEW_HOLD_TTL_SECONDS } from '../timing.ts';

/**
 * How the attempt to keep an order's stock ended. `order` is its newest version; `short` names the SKUs that no location has;
 * `unavailable` means that the SIM said it did nothing, so that nothing needs to be found out later.
 */
export type Holding =
  | { readonly is: 'held'; readonly order: StoredOrder; readonly reservation: Reservation }
  | { readonly is: 'short' | 'unavailable' | 'lost'; readonly order: StoredOrder; readonly problem: Problem };

/**
 * Keeps the order's stock for good: confirms its hold, or, when that has run out, takes a new one for all lines, once.
 * @throws Problem when it is unknown whether the SIM did its work; the intent then stays, and whoever goes on with it asks again
 */
export async function secureStock(order: StoredOrder, scope: Scope): Promise<Holding> {
  const kept = await confirmHold(order, scope);
  if (kept) return kept;
  const taken = await takeNewHold(order, scope);
  if (taken.is !== 'taken') return taken;
  return (await confirmHold(taken.order, scope)) ?? holdLost(taken.order);
}

/** What the SIM answers when a hold holds nothing any more. */
const HOLD_IS_GONE: ReadonlySet<ProblemCode> = new Set(['reservation_expired', 'invalid_state_transition', 'not_found']);

/** @returns undefined when there is no hold, or none any more */
async function confirmHold(order: StoredOrder, { call, context }: Scope): Promise<Holding | undefined> {
  const [reservationId] = reservationsOf(order.lines);
  if (reservationId === undefined) return undefined;
  // Until somebody routes it by hand, nobody works on its goods: its hold may still be given up for another.
  const body = { orderId: order.id, forFulfilment: isRoutable(order) && routesByItself(context) };
  try {
    const reservation = await call(confirmReservation, { params: { id: reservationId }, body });
    return { is: 'held', order, reservation };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === 'dependency_unavailable') return { is: 'unavailable', order, problem: error };
    if (!HOLD_IS_GONE.has(error.code) || error.retryable) throw error;
    return undefined;
  }
}

/**
 * Takes a hold for all lines and notes it on the order before it is confirmed: what nobody noted ends by its own TTL, and what does
 * not end by itself is known here. Every request that carries on this confirmation sends the same call, so it holds once.
 */
async function takeNewHold(order: StoredOrder, { call, work }: Scope): Promise<Holding | { is: 'taken'; order: StoredOrder }> {
  // Named by order and basket, it takes over whatever else is held for either.
  const body = { orderId: order.id, basketId: order.basketId, items: itemsOf(order.lines), ttlSeconds: NEW_HOLD_TTL_SECONDS };
  try {
    const { id } = await call(reserveInventory, { body }, { intent: order.id, step: `hold ${order.holdAttempts + 1}` });
    const noted = work.transition(orders, order, 'note', { lines: linesHeldBy(order.lines, id), holdAttempts: order.holdAttempts + 1 });
    await work.checkpoint();
    return { is: 'taken', order: noted };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === 'dependency_unavailable') return { is: 'unavailable', order, problem: error };
    if (error.code === 'insufficient_stock' || error.code === 'not_found') return { is: 'short', order, problem: error };
    throw error;
  }
}

/** Somebody ended the new hold before it was confirmed. Nothing is known to be sold out, so the payments stay. */
const holdLost = (order: StoredOrder): Holding => ({
  is: 'lost',
  order,
  problem: new Problem('reservation_expired', `The new hold of the order "${order.id}" ended before it was confirmed; confirm again.`, {
    objectType: 'order',
    id: order.id,
    skus: [],
    lines: order.lines.map(({ lineId, sku, qty }) => ({ lineId, sku, qty })),
    retryable: true,
    retryAfter: 1,
  }),
});
