import { releaseHolds } from '../../../shared/catalog/inventory/internal.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { FulfillmentRecord, StoredOrder } from '../collections.ts';
import { reservationsOf } from '../order/lines.ts';

/** The holds that an order knows: of its lines, and of units that were short. */
export const knownHolds = ({ lines }: StoredOrder, record: FulfillmentRecord | undefined): string[] => [
  ...new Set([...reservationsOf(lines), ...(record?.short ?? []).flatMap(({ held }) => (held ? [held.reservationId] : []))]),
];

/** The order is over: the SIM releases what is still held for it or its basket, whoever asked for it, and holds nothing for it any more. */
export async function releaseHoldsOf(order: StoredOrder, spare: readonly string[], { call }: Pick<Scope, 'call'>): Promise<void> {
  const { id, state, basketId } = order;
  await call(releaseHolds, { body: { order: { id, state }, basket: { id: basketId, state: 'converted' }, spare: [...spare] } });
}
