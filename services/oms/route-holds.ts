import { checkAvailability, confirmReservation, reserveInventory } from '../../shared/catalog/inventory/apis.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import type { Scope } from '../../shared/contract/handler.ts';
import { type FulfilmentRecord, orders, type StoredOrder } from './collections.ts';
import { isKept } from './kept-hold.ts';
import { itemsOf, linesServedFrom, type OrderLine, type Reservation, reservationsOf } from './order-lines.ts';
import { NEW_HOLD_TTL_SECONDS } from './timing.ts';

/** `nearest`: the first location by priority that can serve a line. `most-stock`: the one that can promise most of it. */
export type Strategy = NonNullable<FulfilmentRecord['strategy']>;

/** How an order is routed that nobody says it of. */
export const NEAREST: Strategy = 'nearest';

/**
 * The order with a live hold for every line. Lines that have one keep their node; for those whose hold was released, new ones are
 * taken by the strategy, noted, and confirmed.
 * @throws Problem `insufficient_stock` when a line has no node; nothing has changed then, and holds that were taken end by themselves
 */
export async function heldForRouting(order: StoredOrder, strategy: Strategy, scope: Scope): Promise<StoredOrder> {
  const held = new Set<string>();
  for (const id of reservationsOf(order.lines)) if (await isKept(id, order.id, scope)) held.add(id);
  const without = order.lines.filter(({ reservationId }) => reservationId === undefined || !held.has(reservationId));
  if (without.length === 0) return order;
  const taken = await takenFor(without, { order, strategy }, scope);
  const noted = scope.work.transition(orders, order, 'note', {
    lines: order.lines.map((line) => (without.includes(line) ? heldBy(line, taken) : line)),
  });
  await scope.work.checkpoint();
  const body = { orderId: order.id, forFulfilment: true };
  for (const { id } of taken) await scope.call(confirmReservation, { params: { id }, body });
  return noted;
}

interface Routing {
  readonly order: StoredOrder;
  readonly strategy: Strategy;
}

async function takenFor(lines: readonly OrderLine[], { order, strategy }: Routing, { call }: Scope): Promise<Reservation[]> {
  // A hold for all of the order takes over what somebody had held for its basket.
  const basketOf = (some: readonly OrderLine[]) => (some.length === order.lines.length ? { basketId: order.basketId } : {});
  const reserve = (some: readonly OrderLine[], locationId?: string): Promise<Reservation> => {
    const items = itemsOf(some);
    const takesOverLines = some.map(({ lineId }) => lineId);
    const body = { orderId: order.id, items, locationId, ttlSeconds: NEW_HOLD_TTL_SECONDS, takesOverLines, ...basketOf(some) };
    return call(reserveInventory, { body }, { step: `hold ${locationId ?? 'nearest'} ${items.map(({ sku }) => sku).join(' ')}` });
  };
  if (strategy === NEAREST) return [await reserve(lines)];
  const byNode = new Map<string, OrderLine[]>();
  for (const line of lines) {
    const node = await richestNode(line, { call });
    byNode.set(node, [...(byNode.get(node) ?? []), line]);
  }
  const taken: Reservation[] = [];
  for (const [node, some] of byNode) taken.push(await reserve(some, node));
  return taken;
}

/** @throws Problem `insufficient_stock` when no location has the whole line */
async function richestNode({ sku, qty }: OrderLine, { call }: Pick<Scope, 'call'>): Promise<string> {
  const { nodes } = await call(checkAvailability, { params: { sku }, query: { qty } });
  const [best] = nodes.toSorted((a, b) => b.atp - a.atp);
  if (best && best.atp >= qty) return best.locationId;
  const available = Math.max(0, best?.atp ?? 0);
  throw new Problem('insufficient_stock', `No location has ${qty} of ${sku}; the best one has ${available}.`, {
    skus: [{ sku, requested: qty, available }],
  });
}

function heldBy(line: OrderLine, taken: readonly Reservation[]): OrderLine {
  const reservation = taken.find(({ allocations }) => allocations.some(({ sku }) => sku === line.sku));
  if (!reservation) throw new Error(`No hold was taken for ${line.sku}.`);
  return linesServedFrom([{ ...line, reservationId: reservation.id }], reservation.allocations)[0] ?? line;
}
