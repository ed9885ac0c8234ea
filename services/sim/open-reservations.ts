import { allPages } from '../../shared/work/all-pages.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { reservations, type StoredReservation } from './collections.ts';
import type { Owner } from './ended-owners.ts';
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
