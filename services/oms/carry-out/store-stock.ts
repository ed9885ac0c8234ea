import { getReservation, moveReservation, recordStockMovement } from '../../../shared/catalog/inventory/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { StoredOrder } from '../collections.ts';
import { itemsOf, type Reservation, reservationsOf } from '../order/lines.ts';

type Units = { readonly sku: string; readonly qty: number };

const sumOf = (units: readonly Units[], sku: string): number =>
  units.filter((one) => one.sku === sku).reduce((sum, { qty }) => sum + qty, 0);

/**
 * The goods of a sale leave its store: what the till holds of them leaves that hold; what nobody knew to be there is booked as found
 * and sold, so that no counter goes negative. Every call names the order, and moves its units once however often it is sent.
 * @returns whether the store sold more than it was known to have
 * @throws Problem `dependency_*`
 */
export async function takeOutOfStore(order: StoredOrder, storeId: string, scope: Scope): Promise<boolean> {
  const left = await consumeHold(order, storeId, scope);
  const missing = itemsOf(order.lines)
    .map(({ sku, qty }) => ({ sku, qty: qty - sumOf(left, sku) }))
    .filter(({ qty }) => qty > 0);
  for (const { sku, qty } of missing) {
    const body = { reference: `carry-out ${order.id} ${sku}`, kind: 'found-and-sold' as const, locationId: storeId, sku, qty };
    await scope.call(recordStockMovement, { body }, { step: sku }).catch(unlessUncounted);
  }
  return missing.length > 0;
}

/** What left the hold of a sale: all that it held, or nothing when it has ended otherwise. */
async function consumeHold(order: StoredOrder, storeId: string, scope: Scope): Promise<Units[]> {
  const held = await holdOf(order, scope);
  if (!held || held.state === 'fulfilled') return held ? fulfilledOf(held) : [];
  const lines = held.allocations.map(({ sku, qty, fulfilledQty, cancelledQty }) => ({ sku, qty: qty - fulfilledQty - cancelledQty }));
  const body = {
    reference: `carry-out ${order.id}`,
    kind: 'consume' as const,
    locationId: storeId,
    lines: lines.filter(({ qty }) => qty > 0),
  };
  try {
    return fulfilledOf(await scope.call(moveReservation, { params: { id: held.id }, body }));
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'invalid_state_transition' || error.retryable) throw error;
    // Somebody ended it in between.
    const now = await holdOf(order, scope);
    if (now && now.state !== 'fulfilled') throw error;
    return now ? fulfilledOf(now) : [];
  }
}

const fulfilledOf = ({ allocations }: Reservation): Units[] => allocations.map(({ sku, fulfilledQty }) => ({ sku, qty: fulfilledQty }));

/** States in which a hold has its units, or has given them to this sale. */
const OF_USE: ReadonlySet<string> = new Set(['requested', 'confirmed', 'fulfilled']);

/** Undefined when there is none, since the store had nothing, or it was released. */
async function holdOf({ lines }: StoredOrder, { call }: Scope): Promise<Reservation | undefined> {
  const [id] = reservationsOf(lines);
  if (id === undefined) return undefined;
  const found = await call(getReservation, { params: { id } }).catch(undefinedIfNotFound);
  return found && OF_USE.has(found.state) ? found : undefined;
}

function undefinedIfNotFound(error: unknown): undefined {
  if (error instanceof Problem && error.code === 'not_found') return undefined;
  throw error;
}

/** A SKU that no location has ever had counters for: there is nothing to book. */
const unlessUncounted = undefinedIfNotFound;
