import { refusal } from '../../shared/catalog/life-cycle.ts';
import { invalid, Problem } from '../../shared/catalog/problems.ts';
import type { StoredReservation } from './collections.ts';

/** Whether the reservation holds stock. */
export const isOpen = ({ state }: Pick<StoredReservation, 'state'>): boolean => state === 'requested' || state === 'confirmed';

/** A reservation for the till has no time limit and is never confirmed, because the customer takes the goods along. */
export const isTillHold = ({ state, expiresAt }: Pick<StoredReservation, 'state' | 'expiresAt'>): boolean =>
  state === 'requested' && expiresAt === undefined;

/** @throws Problem `validation_failed` when a reservation of one order is confirmed for another */
export function refuseOtherOrder({ id, orderId }: StoredReservation, requested: string | undefined): void {
  if (orderId === undefined || requested === undefined || orderId === requested) return;
  throw invalid('/orderId', 'other_order', `The reservation "${id}" is of order "${orderId}", not of "${requested}".`);
}

interface BasketOfOrder {
  readonly id: string;
  readonly orderId?: string;
  /** At the till, the order gets the id of the transaction. */
  readonly transactionId?: string;
}

/** @throws Problem `validation_failed` for another order than the basket's own, which would otherwise lose its stock */
export function refuseForeignOrder({ id, orderId, transactionId }: BasketOfOrder, requested: string | undefined): void {
  const own = orderId ?? transactionId;
  if (requested === undefined || requested === own) return;
  const why = own === undefined ? 'is not an order yet; omit orderId until it is one' : `became the order "${own}"`;
  throw invalid(
    '/orderId',
    'other_order',
    `No stock of the basket "${id}" can be reserved for the order "${requested}": the basket ${why}.`,
  );
}

/** 409 for a reservation that expired before it was confirmed. `skus` lists its units. */
export function reservationExpired({ id, items, expiresAt }: StoredReservation): Problem {
  return new Problem('reservation_expired', `The reservation "${id}" expired at ${expiresAt}; reserve again.`, {
    objectType: 'reservation',
    id,
    skus: items.map(({ sku, qty }) => ({ sku, requested: qty })),
  });
}

/** 409 for releasing the stock of an order that is being sent: its goods may have left already. */
export function stockBeingSent({ id, state }: StoredReservation, orderId: string | undefined): Problem {
  const order = orderId === undefined ? 'an order' : `the order "${orderId}"`;
  return unreleasable({ id, state }, `holds the stock of ${order}, which is being sent; cancel the order instead`, { orderId });
}

/** 409 for releasing goods that lie on the counter of a till. */
export function stockAtTill({ id, state }: StoredReservation, transactionId: string | undefined): Problem {
  const transaction = transactionId === undefined ? 'a transaction' : `the transaction "${transactionId}"`;
  return unreleasable({ id, state }, `holds the goods of ${transaction} at the till; void the transaction instead, unless it is paid`, {
    transactionId,
  });
}

function unreleasable(
  { id, state }: Pick<StoredReservation, 'id' | 'state'>,
  why: string,
  about: Record<string, string | undefined>,
): Problem {
  return refusal('reservation', { id, state }, 'release', `The reservation "${id}" ${why}.`, about);
}
