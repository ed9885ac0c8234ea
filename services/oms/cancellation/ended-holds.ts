import { releaseHolds } from '../../../shared/catalog/inventory/internal.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { FulfillmentRecord, StoredOrder } from '../collections.ts';
import { reservationsOf } from '../order/lines.ts';

/** Ids of the order's reservations: of its lines, and of replacements for short units. */
export const knownHolds = ({ lines }: StoredOrder, record: FulfillmentRecord | undefined): string[] => [
  ...new Set([...reservationsOf(lines), ...(record?.short ?? []).flatMap(({ held }) => (held ? [held.reservationId] : []))]),
];

/**
 * Calls the SIM to release all stock reserved for an ended order or its basket, except the reservations in `spare`.
 * A repeat sends the same body, although a return may have begun since the order was completed.
 */
export async function releaseHoldsOf(order: StoredOrder, spare: readonly string[], { call }: Pick<Scope, 'call'>): Promise<void> {
  const { id, basketId } = order;
  const state = order.state === 'cancelled' ? 'cancelled' : 'completed';
  await call(releaseHolds, { body: { order: { id, state }, basket: { id: basketId, state: 'converted' }, spare: [...spare] } });
}
