import type { z } from 'zod';
import type { HeldAt, moveReservation } from '../../shared/catalog/inventory/internal.ts';
import { reservationLifeCycle } from '../../shared/catalog/inventory/objects.ts';
import { refusal } from '../../shared/catalog/life-cycle.ts';
import type { Problem } from '../../shared/catalog/problems.ts';
import type { StoredReservation } from './collections.ts';

type MoveRequest = Pick<z.output<typeof moveReservation.request>, 'kind' | 'locationId' | 'lines'>;
type Line = MoveRequest['lines'][number];
type Allocation = StoredReservation['allocations'][number];
type Moved = z.output<typeof HeldAt>;

const openOf = ({ qty, fulfilledQty, cancelledQty }: Allocation): number => qty - fulfilledQty - cancelledQty;

/** A reservation of a basket has no order lines, so any line may take its units. */
const isForLine = (allocation: Allocation, { sku, orderLineId }: Line, locationId: string): boolean =>
  allocation.sku === sku &&
  allocation.locationId === locationId &&
  (allocation.orderLineId === undefined || orderLineId === undefined || allocation.orderLineId === orderLineId);

/**
 * Applies units that left (`consume`) or were missing (`short`) to the allocations.
 * @returns the new allocations, and the moved units per SKU and location
 * @throws Problem `invalid_state_transition` when a line has more units than are reserved for it
 */
export function applyMovement(reservation: StoredReservation, { kind, locationId, lines }: MoveRequest) {
  const counter = kind === 'consume' ? 'fulfilledQty' : 'cancelledQty';
  const next = reservation.allocations.map((allocation) => ({ ...allocation }));
  const moved = new Map<string, Moved>();
  for (const line of lines) {
    let left = line.qty;
    for (const allocation of next.filter((one) => isForLine(one, line, locationId))) {
      const units = Math.min(left, openOf(allocation));
      allocation[counter] += units;
      left -= units;
    }
    if (left > 0) throw notHeld(reservation, `${line.qty - left} × ${line.sku} at ${locationId} for this line, not ${line.qty}`);
    moved.set(line.sku, { locationId, sku: line.sku, qty: line.qty + (moved.get(line.sku)?.qty ?? 0) });
  }
  return { allocations: next, moved: [...moved.values()] };
}

const notHeld = (reservation: StoredReservation, held: string): Problem =>
  refusal(reservationLifeCycle, reservation, 'move-part', `The reservation "${reservation.id}" holds ${held}.`);

/** A reservation ends with its last unit. */
export function verbAfter(allocations: readonly Allocation[]): 'move-part' | 'fulfil' | 'cancel' {
  if (allocations.some((allocation) => openOf(allocation) > 0)) return 'move-part';
  return allocations.some(({ fulfilledQty }) => fulfilledQty > 0) ? 'fulfil' : 'cancel';
}
