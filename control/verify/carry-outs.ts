import type { z } from 'zod';
import type { Order as OrderSchema } from '../../shared/catalog/order/objects.ts';
import { type Check, sums } from './invariant.ts';
import type { Reservation } from './reserved-units.ts';
import type { WorldRecords } from './world-records.ts';

type Order = z.output<typeof OrderSchema>;

/** Each unit that a customer carried out of a store left the reservation of the sale once, or was booked without a reservation. */
export function checkCarryOuts({ of, records }: WorldRecords, check: Check): void {
  const reservations = new Map(of<Reservation>('reservation').map((reservation) => [reservation.id, reservation]));
  const booked = new Map(records<{ id: string; qty: number }>('inventory-service', 'stock-movements').map(({ id, qty }) => [id, qty]));
  const counted = new Set(records<{ id: string }>('inventory-service', 'skus').map(({ id }) => id));
  const sales = of<Order>('order').filter(({ channel, completedAt }) => channel === 'pos' && completedAt !== undefined);
  for (const { id, lines } of sales) {
    const holds = new Set(lines.flatMap(({ reservationId }) => reservations.get(reservationId ?? '') ?? []));
    const skuOf = ({ sku }: { readonly sku: string }): string => sku;
    const left = sums(
      [...holds].flatMap(({ allocations }) => allocations),
      skuOf,
      ({ fulfilledQty }) => fulfilledQty,
    );
    for (const [sku, qty] of sums(lines, skuOf, ({ fulfilledQty }) => fulfilledQty)) {
      const unheld = booked.get(`carry-out ${id} ${sku}`) ?? 0;
      const accounted = (left.get(sku) ?? 0) + unheld;
      check(
        qty === accounted || !counted.has(sku),
        `order/${id}: ${qty} × ${sku} were carried out, ${left.get(sku) ?? 0} left its reservation and ${unheld} were booked without a reservation`,
      );
    }
  }
}
