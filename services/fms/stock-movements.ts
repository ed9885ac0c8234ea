import { moveReservation } from '../../shared/catalog/inventory/internal.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { StoredFulfillmentOrder } from './collections.ts';

/** Reports to the SIM that units left (`consume`) or were missing (`short`), once per fulfillment order and kind. @throws Problem */
export async function moveUnits(
  { id, reservationId, locationId, lines }: StoredFulfillmentOrder,
  kind: 'consume' | 'short',
  { call }: Pick<Scope, 'call'>,
  timeoutMs?: number,
): Promise<void> {
  const counted = lines.map(({ orderLineId, sku, pickedQty, shortQty }) => ({
    orderLineId,
    sku,
    qty: kind === 'consume' ? pickedQty : shortQty,
  }));
  const moved = counted.filter(({ qty }) => qty > 0);
  if (moved.length === 0) return;
  await call(
    moveReservation,
    { params: { id: reservationId }, body: { reference: `${id} ${kind}`, kind, locationId, lines: moved } },
    { step: `${id} ${kind}`, timeoutMs },
  );
}
