import { confirmReservation, reserveInventory } from '../../../shared/catalog/inventory/apis.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import { type FulfillmentRecord, orders, type StoredOrder } from '../collections.ts';
import { itemsOf, linesServedFrom, type OrderLine, type Reservation, reservationsOf } from '../order/lines.ts';
import { NEW_HOLD_TTL_SECONDS } from '../timing.ts';
import { tryConfirmHold } from './confirm-hold.ts';

/** `nearest`: the first location by priority that can serve a line. `most-stock`: the one that can promise most of it. */
export type Strategy = NonNullable<FulfillmentRecord['strategy']>;

/** How an order is routed that nobody says it of. */
export const NEAREST = 'nearest' satisfies Strategy;

/**
 * The order with a live hold for every line. Lines that have one keep their node; for those whose hold was released, a new
 * one is taken by the strategy, noted, and confirmed.
 * @throws Problem `insufficient_stock` when a line has no node; nothing has changed then
 */
export async function ensureHeldForRouting(order: StoredOrder, strategy: Strategy, scope: Scope): Promise<StoredOrder> {
  const held = new Set<string>();
  for (const id of reservationsOf(order.lines)) if (await tryConfirmHold(id, order.id, scope)) held.add(id);
  const without = order.lines.filter(({ reservationId }) => reservationId === undefined || !held.has(reservationId));
  if (without.length === 0) return order;
  const taken = await reserveLines(without, { order, strategy }, scope);
  const noted = scope.work.transition(orders, order, 'note', {
    lines: order.lines.map((line) => (without.includes(line) ? withHold(line, taken) : line)),
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

/** Its units are counted that somebody had held for the order, its basket or these lines meanwhile: the new hold takes these over. */
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

function withHold(line: OrderLine, { id, allocations }: Reservation): OrderLine {
  return linesServedFrom([{ ...line, reservationId: id }], allocations)[0] ?? line;
}
