import { BEFORE_DISPATCH, isAtCounter } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { type Check, grouped } from './invariant.ts';
import { type Basket, type FulfillmentOrder, isOnWayToStore, type Order, type Reservation } from './stored-records.ts';
import type { WorldRecords } from './world-records.ts';

/** States of an order that ships no more goods. */
const OVER: ReadonlySet<string> = new Set(['completed', 'return-in-progress', 'cancelled']);
const isOpen = ({ state }: Reservation): boolean => state === 'requested' || state === 'confirmed';

/** A basket has at most one open reservation. An order, basket or transaction that has ended holds no stock. */
export function checkEndedReservations(world: WorldRecords, check: Check): void {
  const open = world.of<Reservation>('reservation').filter(isOpen);
  const ofBaskets = open.filter(({ basketId }) => basketId !== undefined);
  for (const [basketId, reservations] of grouped(ofBaskets, ({ basketId = '' }) => basketId)) {
    const named = reservations.map(({ id }) => `reservation/${id}`).join(', ');
    check(reservations.length === 1, `basket/${basketId}: it has ${reservations.length} open reservations: ${named}`);
  }
  const owners = createOwners(world);
  for (const reservation of open) {
    for (const { of, state, isBeingEnded } of owners.endedOwnersOf(reservation)) {
      check(isBeingEnded, `reservation/${reservation.id}: ${reservation.state}, and its ${of} is ${state}`);
    }
  }
}

/** An ended owner of a reservation, and whether work is queued that releases the reservation. */
interface EndedOwner {
  readonly of: string;
  readonly state: string;
  readonly isBeingEnded: boolean;
}

/** Whether its goods are promised to the customer, and have not left. */
const isPromised = (one: FulfillmentOrder): boolean => BEFORE_DISPATCH.has(one.state) || isAtCounter(one) || isOnWayToStore(one);

function createOwners({ of, records, queued }: WorldRecords) {
  const orders = new Map(of<Order>('order').map((order) => [order.id, order]));
  const baskets = new Map(of<Basket>('basket').map((basket) => [basket.id, basket]));
  const transactions = new Map(
    records<{ readonly id: string; readonly state: string; readonly collection?: unknown }>('pos', 'transactions')
      // The payment of an order that is collected reserves nothing.
      .filter(({ collection }) => collection === undefined)
      .map((transaction) => [transaction.id, transaction]),
  );
  const replacing = new Set(
    records<{ readonly id: string; readonly forReplacement?: true }>('sim', 'attempts').flatMap(({ id, forReplacement }) =>
      forReplacement ? [id] : [],
    ),
  );
  const sentFrom = grouped(of<FulfillmentOrder>('fulfillment-order'), ({ reservationId }) => reservationId);

  function endedOwnersOf({ id, basketId, orderId }: Reservation): EndedOwner[] {
    const basket = baskets.get(basketId ?? '');
    const ended: EndedOwner[] = [];
    for (const order of new Set([orders.get(orderId ?? ''), orders.get(basket?.orderId ?? '')])) {
      if (!order || !OVER.has(order.state)) continue;
      const isReleased = queued('oms', order.id, 'compensate') || queued('oms', order.id, 'release-holds');
      const sent = sentFrom.get(id) ?? [];
      const isMoved = sent.some((one) => queued('fms', one.id));
      const isSending = sent.some((one) => one.replacementId !== undefined && isPromised(one));
      // Until the FMS has its fulfillment order, the units of a replacement expire, or the OMS has work queued for it.
      const isFresh = replacing.has(id) && (queued('sim', id) || (order.replacements ?? []).some((one) => queued('oms', one.id)));
      ended.push({ of: `order/${order.id}`, state: order.state, isBeingEnded: isReleased || isMoved || isSending || isFresh });
    }
    if (basket?.state === 'abandoned' || basket?.state === 'merged') {
      const isBeingEnded =
        queued('ecommerce-platform', basket.id, 'undo-checkout') || queued('ecommerce-platform', basket.id, 'release-holds');
      ended.push({ of: `basket/${basket.id}`, state: basket.state, isBeingEnded });
    }
    for (const transaction of new Set([transactions.get(orderId ?? ''), transactions.get(basket?.transactionId ?? '')])) {
      if (!transaction || (transaction.state !== 'voided' && transaction.state !== 'given-up')) continue;
      const isBeingEnded = queued('pos', transaction.id) || queued('ecommerce-platform', basket?.id ?? '') || queued('oms', transaction.id);
      ended.push({ of: `transaction/${transaction.id}`, state: transaction.state, isBeingEnded });
    }
    return ended;
  }
  return { endedOwnersOf };
}
