import type { InputOf } from '../../shared/catalog/define.ts';
import { isTransfer } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { moveReservation } from '../../shared/catalog/inventory/internal.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { StoredFulfillmentOrder } from './collections.ts';

type StockMove = InputOf<typeof moveReservation>['body']['kind'];

/**
 * The movements of the picked units so far, in their order. Units that are sent to a store are received there, and leave it when they are
 * handed over. Units that will not arrive there leave their reservation: they are given up after a loss, or the carrier brought them back.
 */
export function stockMovesOf(found: StoredFulfillmentOrder): readonly StockMove[] {
  const { state, givenUp, collection, shipments } = found;
  if (shipments.length === 0) return [];
  const isHandedOver = state === 'delivered';
  if (!isTransfer(found)) return collection === undefined || isHandedOver ? ['consume'] : [];
  if (collection?.readyAt !== undefined) return isHandedOver ? ['send', 'receive', 'consume'] : ['send', 'receive'];
  return state === 'returned-to-sender' || givenUp ? ['send', 'not-received'] : ['send'];
}

/** Reports a movement of units to the SIM, once per fulfillment order and kind. @throws Problem */
export async function moveUnits(
  { id, reservationId, locationId: sender, collection, lines }: StoredFulfillmentOrder,
  kind: StockMove,
  { call }: Pick<Scope, 'call'>,
  timeoutMs?: number,
): Promise<void> {
  const store = collection?.locationId;
  const locationId = kind === 'consume' ? (store ?? sender) : sender;
  const counted = lines.map(({ orderLineId, sku, pickedQty, shortQty }) => ({
    orderLineId,
    sku,
    qty: kind === 'short' ? shortQty : pickedQty,
  }));
  const moved = counted.filter(({ qty }) => qty > 0);
  if (moved.length === 0) return;
  await call(
    moveReservation,
    {
      params: { id: reservationId },
      body: { reference: `${id} ${kind}`, kind, locationId, to: kind === 'send' ? store : undefined, lines: moved },
    },
    { step: `${id} ${kind}`, timeoutMs },
  );
}
