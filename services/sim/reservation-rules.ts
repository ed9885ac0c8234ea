import { reservationLifeCycle } from '../../shared/catalog/inventory/objects.ts';
import { allowedFrom } from '../../shared/catalog/life-cycle.ts';
import { invalid, Problem } from '../../shared/catalog/problems.ts';
import type { StoredReservation } from './collections.ts';

export interface Item {
  readonly sku: string;
  readonly qty: number;
}

const MOST_PER_LINE = 9_999;

/** Whether it holds stock. */
export const isOpen = ({ state }: Pick<StoredReservation, 'state'>): boolean => state === 'requested' || state === 'confirmed';

/** Held for a checkout at the till: without a time limit, and never confirmed, since the customer takes the goods along. */
export const isTillHold = ({ state, expiresAt }: Pick<StoredReservation, 'state' | 'expiresAt'>): boolean =>
  state === 'requested' && expiresAt === undefined;

/**
 * Repeated SKUs of a request are one line.
 * @throws Problem `validation_failed` pointing at the mention with which the line becomes too long
 */
export function mergedItems(items: readonly Item[]): Item[] {
  const merged = new Map<string, number>();
  for (const [index, { sku, qty }] of items.entries()) {
    const sum = (merged.get(sku) ?? 0) + qty;
    if (sum > MOST_PER_LINE) {
      throw invalid(`/items/${index}/qty`, 'too_big', `${sku} adds up to ${sum} units; a line has at most ${MOST_PER_LINE}.`);
    }
    merged.set(sku, sum);
  }
  return [...merged].map(([sku, qty]) => ({ sku, qty }));
}

/** @throws Problem `validation_failed` when a reservation of one order is confirmed for another */
export function refuseOtherOrder({ id, orderId }: StoredReservation, asked: string | undefined): void {
  if (orderId === undefined || asked === undefined || orderId === asked) return;
  throw invalid('/orderId', 'other_order', `The reservation "${id}" is of order "${orderId}", not of "${asked}".`);
}

interface BasketOfOrder {
  readonly id: string;
  readonly orderId?: string | undefined;
  /** Its order has the id of its transaction at the till. */
  readonly transactionId?: string | undefined;
}

/** @throws Problem `validation_failed` for another order than the one that the basket became: its own would find its stock taken */
export function refuseForeignOrder({ id, orderId, transactionId }: BasketOfOrder, asked: string | undefined): void {
  const own = orderId ?? transactionId;
  if (asked === undefined || asked === own) return;
  const why = own === undefined ? 'is no order yet; leave orderId out until it is one' : `became the order "${own}"`;
  throw invalid('/orderId', 'other_order', `Nothing is held for the order "${asked}" under the basket "${id}", which ${why}.`);
}

/** 409 for a hold whose time was over before it was confirmed; `skus` is what it held. */
export function reservationExpired({ id, items, expiresAt }: StoredReservation): Problem {
  return new Problem('reservation_expired', `The reservation "${id}" expired at ${expiresAt}; reserve again.`, {
    objectType: 'reservation',
    id,
    skus: items.map(({ sku, qty }) => ({ sku, requested: qty })),
  });
}

/** 409 for somebody who would give back what an order is sent from: its goods may be on their way already. */
export function beingSent({ id, state }: StoredReservation, orderId: string | undefined): Problem {
  const order = orderId === undefined ? 'an order' : `the order "${orderId}"`;
  return unreleasable({ id, state }, `holds the stock of ${order}, which is being sent; cancel the order instead`, { orderId });
}

/** 409 for somebody who would give back what lies on the counter of a till. */
export function heldForTill({ id, state }: StoredReservation, transactionId: string | undefined): Problem {
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
  return new Problem('invalid_state_transition', `The reservation "${id}" ${why}.`, {
    ...{
      objectType: 'reservation',
      id,
      currentState: state,
      action: 'release',
      allowedFrom: allowedFrom(reservationLifeCycle, 'release'),
    },
    ...Object.fromEntries(Object.entries(about).filter(([, value]) => value !== undefined)),
  });
}
