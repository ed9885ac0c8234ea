import { confirmReservation, reserveInventory } from '../../../shared/catalog/inventory/apis.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import { type FulfillmentRecord, orders, type StoredOrder } from '../collections.ts';
import { itemsOf, linesServedFrom, type OrderLine, type Reservation, reservationsOf } from '../order/lines.ts';
import { NEW_HOLD_TTL_SECONDS } from '../timing.ts';

/** `nearest`: the first location by priority that can serve a line. `most-stock`: the location with the highest ATP. */
export type Strategy = NonNullable<FulfillmentRecord['strategy']>;

/** The strategy when a request names none. */
export const NEAREST = 'nearest' satisfies Strategy;

/**
 * Ensures a confirmed reservation for every line. Lines that have one keep their node. For the others, the
 * strategy chooses the locations of one new reservation, which is stored on the order and confirmed.
 * @throws Problem `insufficient_stock` when no location can serve a line; then nothing has changed
 */
export async function ensureHolds(order: StoredOrder, strategy: Strategy, scope: Scope): Promise<StoredOrder> {
  const held = new Set<string>();
  for (const id of reservationsOf(order.lines)) if (await tryConfirmHold(id, order.id, scope)) held.add(id);
  const without = order.lines.filter(({ reservationId }) => reservationId === undefined || !held.has(reservationId));
  if (without.length === 0) return order;
  const taken = await reserveLines(without, { order, strategy }, scope);
  const noted = scope.work.transition(orders, order, 'note', {
    lines: order.lines.map((line) => (without.includes(line) ? withReservation(line, taken) : line)),
  });
  await scope.work.checkpoint();
  const body = { orderId: order.id, forFulfilment: true };
  await scope.call(confirmReservation, { params: { id: taken.id }, body });
  return noted;
}

interface Routing {
  readonly order: StoredOrder;
  readonly strategy: Strategy;
}

/** The new reservation takes over units that are already reserved for the order, its basket or these lines. */
function reserveLines(lines: readonly OrderLine[], { order, strategy }: Routing, { call }: Scope): Promise<Reservation> {
  const items = itemsOf(lines);
  const body = {
    orderId: order.id,
    items,
    ttlSeconds: NEW_HOLD_TTL_SECONDS,
    takesOverLines: lines.map(({ lineId }) => lineId),
    ...(strategy !== NEAREST && { prefer: strategy }),
    ...(lines.length === order.lines.length && { basketId: order.basketId }),
  };
  return call(reserveInventory, { body }, { step: `hold ${strategy} ${items.map(({ sku }) => sku).join(' ')}` });
}

function withReservation(line: OrderLine, { id, allocations }: Reservation): OrderLine {
  return linesServedFrom([{ ...line, reservationId: id }], allocations)[0] ?? line;
}

/** A reservation reaches these states only after it was confirmed and passed to the FMS. */
const WORKED_ON: ReadonlySet<unknown> = new Set(['fulfilled', 'cancelled']);

/**
 * Confirms a reservation for fulfilment; afterwards clients cannot release it. An earlier attempt whose answer was lost may have confirmed
 * it, and its units may be dispatched or short by now. Then its fulfillment order exists, and the next request to the FMS finds it.
 * @returns false if the reservation ended before it was confirmed
 */
export async function tryConfirmHold(id: string, orderId: string, { call }: Scope): Promise<boolean> {
  try {
    await call(confirmReservation, { params: { id }, body: { orderId, forFulfilment: true } });
    return true;
  } catch (error) {
    if (!(error instanceof Problem) || error.retryable) throw error;
    if (error.code === 'invalid_state_transition') return WORKED_ON.has(error.context['currentState']);
    if (error.code !== 'reservation_expired' && error.code !== 'not_found') throw error;
    return false;
  }
}
