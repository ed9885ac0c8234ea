import type { z } from 'zod';
import type { Reservation as ReservationSchema } from '../../shared/catalog/inventory/objects.ts';
import { invalid } from '../../shared/catalog/problems.ts';
import type { Hold } from './collections.ts';
import { insufficientStock } from './node-choice.ts';

export type Reservation = z.output<typeof ReservationSchema>;

export interface AllocationRequest {
  readonly orderId: string;
  readonly orderLineId: string;
  readonly sku: string;
  readonly qty: number;
  readonly preferredLocations?: readonly string[];
}

/**
 * A reservation of a basket serves only the order that the basket became.
 * @throws Problem `validation_failed`
 */
export function refuseForeignBasket(
  { id, basketId }: Reservation,
  order: { readonly basketId: string },
  { orderId }: AllocationRequest,
): void {
  if (basketId === undefined || basketId === order.basketId) return;
  throw invalid('/reservationId', 'other_order', `The reservation "${id}" is of basket "${basketId}", which did not become "${orderId}".`);
}

/** An order line is allocated once. Answering another demand with that allocation would promise units that are not held. */
export function refuseOtherDemand({ line }: Hold, request: AllocationRequest): void {
  if (!line) return;
  for (const member of ['sku', 'qty'] as const) {
    if (line[member] === request[member]) continue;
    throw invalid(
      `/${member}`,
      'differs_from_allocation',
      `The order line "${line.orderLineId}" is allocated with ${line.qty} × ${line.sku}; it cannot be allocated with ${request.qty} × ${request.sku} too.`,
    );
  }
}

/**
 * @throws Problem `validation_failed` for a reservation of another order; `insufficient_stock` when it holds fewer units than the line needs
 */
export function refuseUncovered(reservation: Reservation, request: AllocationRequest): void {
  if (reservation.orderId !== undefined && reservation.orderId !== request.orderId) {
    throw invalid('/reservationId', 'other_order', `The reservation "${reservation.id}" is of order "${reservation.orderId}".`);
  }
  const held = unitsHeld(reservation, request.sku);
  if (held < request.qty) throw insufficientStock([{ sku: request.sku, requested: request.qty, available: held }]);
}

/** Units of the SKU that the reservation still holds. */
export const unitsHeld = ({ allocations }: Reservation, sku: string): number =>
  allocations
    .filter((allocation) => allocation.sku === sku)
    .reduce((sum, { qty, fulfilledQty, cancelledQty }) => sum + qty - fulfilledQty - cancelledQty, 0);
