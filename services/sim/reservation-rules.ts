import { refusal } from '../../shared/catalog/life-cycle.ts';
import { invalid, Problem } from '../../shared/catalog/problems.ts';
import { allPages } from '../../shared/handlers/all-pages.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { endedId, endedOwners, fulfillmentHolds, reservations, type StoredReservation } from './collections.ts';

/** Whether the reservation holds stock. */
export const isOpen = ({ state }: Pick<StoredReservation, 'state'>): boolean => state === 'requested' || state === 'confirmed';

/** A reservation for the till has no time limit and is never confirmed, because the customer takes the goods along. */
export const isTillReservation = ({ state, expiresAt }: Pick<StoredReservation, 'state' | 'expiresAt'>): boolean =>
  state === 'requested' && expiresAt === undefined;

/** @throws Problem `validation_failed` when a reservation of one order is confirmed for another */
export function refuseOtherOrder({ id, orderId }: StoredReservation, requested: string | undefined): void {
  if (orderId === undefined || requested === undefined || orderId === requested) return;
  throw invalid('/orderId', 'other_order', `The reservation "${id}" belongs to the order "${orderId}", not to "${requested}".`);
}

/** @throws Problem `validation_failed` if this is not the order of the basket: that order would lose its stock */
export function refuseForeignOrder(
  { id, orderId, transactionId }: { id: string; orderId?: string; transactionId?: string },
  requested: string | undefined,
): void {
  const own = orderId ?? transactionId;
  if (requested === undefined || requested === own) return;
  const why = own === undefined ? 'is not an order yet; omit orderId until it is one' : `became the order "${own}"`;
  const detail = `No stock of the basket "${id}" can be reserved for the order "${requested}": the basket ${why}.`;
  throw invalid('/orderId', 'other_order', detail);
}

/** 409 for a reservation that expired before it was confirmed. `skus` lists its units. */
export function reservationExpired({ id, items, expiresAt }: StoredReservation): Problem {
  const detail = `The reservation "${id}" expired at ${expiresAt}; reserve again.`;
  const about = { objectType: 'reservation', id, skus: items.map(({ sku, qty }) => ({ sku, requested: qty })) };
  return new Problem('reservation_expired', detail, about);
}

/** Its goods may have left already. @throws Problem; otherwise a concurrent Confirm Reservation for the fulfilment makes the commit fail */
export async function refuseWhileSent(found: StoredReservation, work: UnitOfWork): Promise<void> {
  const held = await work.get(fulfillmentHolds, found.id);
  if (held) throw stockBeingSent(found, held.orderId);
  work.expect(fulfillmentHolds, { id: found.id, version: NEVER_WRITTEN });
}

/** 409 for replacing the stock of an order by a request that names none. */
export const stockOfOrder = (found: StoredReservation, orderId: string): Problem =>
  unreleasable(found, `holds the stock of the order "${orderId}"; only a request for that order replaces it`, { orderId });

/** 409 for releasing or replacing the stock of an order that is being sent. */
function stockBeingSent(found: StoredReservation, orderId: string | undefined): Problem {
  const order = orderId === undefined ? 'an order' : `the order "${orderId}"`;
  return unreleasable(found, `holds the stock of ${order}, which is being sent; cancel the order instead`, { orderId });
}

/** 409 for releasing goods that lie on the counter of a till. */
export function stockAtTill(found: StoredReservation, transactionId: string | undefined): Problem {
  const transaction = transactionId === undefined ? 'a transaction' : `the transaction "${transactionId}"`;
  const why = `holds the goods of ${transaction} at the till; void the transaction instead, unless it is paid`;
  return unreleasable(found, why, { transactionId });
}

function unreleasable({ id, state }: StoredReservation, why: string, about: Record<string, string | undefined>): Problem {
  return refusal('reservation', { id, state }, 'release', `The reservation "${id}" ${why}.`, about);
}

/** A basket has at most one open reservation. */
export async function findOpenReservation(work: UnitOfWork, basketId: string): Promise<StoredReservation | undefined> {
  const { items } = await work.find(reservations, 'basket', basketId);
  return items.find(isOpen);
}

/** All open reservations of an order, a basket, or both, each sorted by creation. */
export async function findOpenReservations(work: UnitOfWork, { orderId, basketId }: Owner): Promise<StoredReservation[]> {
  const found: StoredReservation[] = [];
  for (const [index, value] of [['order', orderId] as const, ['basket', basketId] as const]) {
    if (value === undefined) continue;
    const all = await allPages((cursor) => work.find(reservations, index, value, { cursor }));
    found.push(...all.filter(isOpen));
  }
  return [...new Map(found.map((one) => [one.id, one])).values()];
}

interface Owner {
  readonly basketId?: string;
  readonly orderId?: string;
  /** A completed order may get goods in place of others. */
  readonly forReplacement?: true;
}

const NEVER_WRITTEN = 0;

const keysOf = ({ basketId, orderId }: Owner): (readonly ['order' | 'basket', string])[] => [
  ...(orderId === undefined ? [] : [['order', orderId] as const]),
  ...(basketId === undefined ? [] : [['basket', basketId] as const]),
];

/** Reads, together with other reads, what `findEnd` looks at. */
export const readEnds = (work: UnitOfWork, owner: Owner): readonly Promise<unknown>[] =>
  keysOf(owner).map(([objectType, id]) => work.get(endedOwners, endedId(objectType, id)));

/** @returns 409 when the order or basket has ended; undefined otherwise, and then the commit fails if it ends in the meantime */
export async function findEnd(work: UnitOfWork, owner: Owner): Promise<Problem | undefined> {
  for (const [objectType, id] of keysOf(owner)) {
    const key = endedId(objectType, id);
    const ended = await work.get(endedOwners, key);
    if (ended && !(owner.forReplacement && ended.state !== 'cancelled')) return ownerEnded(objectType, id, ended.state);
    if (!ended) work.expect(endedOwners, { id: key, version: NEVER_WRITTEN, state: 'none' });
  }
  return undefined;
}

/** Records that an order or basket has ended. From then on no stock is reserved for it. */
export async function markEnded(
  work: UnitOfWork,
  objectType: 'order' | 'basket',
  { id, state }: { id: string; state: string },
): Promise<void> {
  const key = endedId(objectType, id);
  if (!(await work.get(endedOwners, key))) work.put(endedOwners, { id: key, state });
}

const ownerEnded = (objectType: 'order' | 'basket', id: string, currentState: string): Problem => {
  const detail = `The ${objectType} "${id}" has ended (${currentState}); no stock is reserved for it any more.`;
  return refusal(objectType, { id, state: currentState }, 'reserve', detail);
};
