import { refusal } from '../../shared/catalog/life-cycle.ts';
import type { Problem } from '../../shared/catalog/problems.ts';
import { allPages } from '../../shared/work/all-pages.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { endedId, endedOwners, reservations, type StoredReservation } from './collections.ts';
import { isOpen } from './reservation-rules.ts';

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
}

interface Ended {
  readonly id: string;
  readonly state: string;
}

const NEVER_WRITTEN = 0;

const keysOf = ({ basketId, orderId }: Owner): (readonly ['order' | 'basket', string])[] => [
  ...(orderId === undefined ? [] : [['order', orderId] as const]),
  ...(basketId === undefined ? [] : [['basket', basketId] as const]),
];

/** @returns 409 when the order or basket has ended; undefined otherwise, and then the commit fails if it ends in the meantime */
export async function findEnd(work: UnitOfWork, owner: Owner): Promise<Problem | undefined> {
  for (const [objectType, id] of keysOf(owner)) {
    const key = endedId(objectType, id);
    const ended = await work.get(endedOwners, key);
    if (ended) return ownerEnded(objectType, id, ended.state);
    work.expect(endedOwners, { id: key, version: NEVER_WRITTEN, state: 'none' });
  }
  return undefined;
}

/** Records that an order or basket has ended. From then on no stock is reserved for it. */
export async function markEnded(work: UnitOfWork, objectType: 'order' | 'basket', { id, state }: Ended): Promise<void> {
  const key = endedId(objectType, id);
  if (!(await work.get(endedOwners, key))) work.put(endedOwners, { id: key, state });
}

const ownerEnded = (objectType: 'order' | 'basket', id: string, currentState: string): Problem =>
  refusal(
    objectType,
    { id, state: currentState },
    'reserve',
    `The ${objectType} "${id}" has ended (${currentState}); no stock is reserved for it any more.`,
  );
