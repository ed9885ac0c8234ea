import type { z } from 'zod';
import type { HeldAt, moveReservation } from '../../shared/catalog/inventory/internal.ts';
import { reservationLifeCycle } from '../../shared/catalog/inventory/objects.ts';
import { allowedFrom } from '../../shared/catalog/life-cycle.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import type { StoredReservation } from './collections.ts';

type Asked = Pick<z.output<typeof moveReservation.request>, 'kind' | 'locationId' | 'lines'>;
type Line = Asked['lines'][number];
type Allocation = StoredReservation['allocations'][number];
type Moved = z.output<typeof HeldAt>;

const openOf = ({ qty, fulfilledQty, cancelledQty }: Allocation): number => qty - fulfilledQty - cancelledQty;

/** A hold of a basket knows no order lines, so any of them may take its units. */
const serves = (allocation: Allocation, { sku, orderLineId }: Line, locationId: string): boolean =>
  allocation.sku === sku &&
  allocation.locationId === locationId &&
  (allocation.orderLineId === undefined || orderLineId === undefined || allocation.orderLineId === orderLineId);

/**
 * The allocations after units of them left (`consume`) or were not there (`short`), and what that is per SKU and location.
 * @throws Problem `invalid_state_transition` when a line wants more than is held for it, or left
 */
export function afterMovement(reservation: StoredReservation, { kind, locationId, lines }: Asked) {
  const counter = kind === 'consume' ? 'fulfilledQty' : 'cancelledQty';
  const next = reservation.allocations.map((allocation) => ({ ...allocation }));
  const moved = new Map<string, Moved>();
  for (const line of lines) {
    let left = line.qty;
    for (const allocation of next.filter((one) => serves(one, line, locationId))) {
      const units = Math.min(left, openOf(allocation));
      allocation[counter] += units;
      left -= units;
    }
    if (left > 0) throw notHeld(reservation, `${line.qty - left} × ${line.sku} at ${locationId} for this line, not ${line.qty}`);
    moved.set(line.sku, { locationId, sku: line.sku, qty: line.qty + (moved.get(line.sku)?.qty ?? 0) });
  }
  return { allocations: next, moved: [...moved.values()] };
}

const notHeld = ({ id, state }: StoredReservation, held: string): Problem =>
  new Problem('invalid_state_transition', `The reservation "${id}" holds ${held}.`, {
    objectType: 'reservation',
    id,
    currentState: state,
    action: 'move-part',
    allowedFrom: allowedFrom(reservationLifeCycle, 'move-part'),
  });

/** What becomes of the reservation: it ends with its last unit. */
export function verbAfter(allocations: readonly Allocation[]): 'move-part' | 'fulfil' | 'cancel' {
  if (allocations.some((allocation) => openOf(allocation) > 0)) return 'move-part';
  return allocations.some(({ fulfilledQty }) => fulfilledQty > 0) ? 'fulfil' : 'cancel';
}
