import type { z } from 'zod';
import type { Reservation as ReservationSchema } from '../../shared/catalog/inventory/objects.ts';
import { invalid } from '../../shared/catalog/problems.ts';
import type { Hold } from './collections.ts';
import { insufficientStock } from './node-choice.ts';

export type Reservation = z.output<typeof ReservationSchema>;

/** What Allocate Inventory is asked for. */
export interface Allocating {
  readonly orderId: string;
  readonly orderLineId: string;
  readonly sku: string;
  readonly qty: number;
  readonly preferredLocations?: readonly string[] | undefined;
}

/**
 * What a basket has held is of the order that it became.
 * @param order undefined: somebody else's, which no basket of the estate became
 * @throws Problem `validation_failed`
 */
export function refuseForeignBasket(
  { id, basketId }: Reservation,
  order: { readonly basketId: string } | undefined,
  { orderId }: Allocating,
): void {
  if (basketId === undefined || basketId === order?.basketId) return;
  throw invalid('/reservationId', 'other_order', `The reservation "${id}" is of basket "${basketId}", which did not become "${orderId}".`);
}

/** One order line has one demand: answering another one with the first allocation would promise what is not held. */
export function refuseOtherDemand({ line }: Hold, asked: Allocating): void {
  if (!line) return;
  for (const member of ['sku', 'qty'] as const) {
    if (line[member] === asked[member]) continue;
    throw invalid(
      `/${member}`,
      'differs_from_allocation',
      `The order line "${line.orderLineId}" is allocated with ${line.qty} × ${line.sku}; it cannot be allocated with ${asked.qty} × ${asked.sku} too.`,
    );
  }
}

/**
 * Whether a reservation is this order's and holds what the line needs.
 * @throws Problem `validation_failed` or `insufficient_stock`
 */
export function refuseUncovered(reservation: Reservation, asked: Allocating): void {
  if (reservation.orderId !== undefined && reservation.orderId !== asked.orderId) {
    throw invalid('/reservationId', 'other_order', `The reservation "${reservation.id}" is of order "${reservation.orderId}".`);
  }
  const held = reservation.allocations
    .filter(({ sku }) => sku === asked.sku)
    .reduce((sum, { qty, fulfilledQty, cancelledQty }) => sum + qty - fulfilledQty - cancelledQty, 0);
  if (held < asked.qty) throw insufficientStock([{ sku: asked.sku, requested: asked.qty, available: held }]);
}
