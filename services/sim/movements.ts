import type { z } from 'zod';
import { type HeldAt, moveReservation as moveReservationCall } from '../../shared/catalog/inventory/internal.ts';
import { reservationLifeCycle } from '../../shared/catalog/inventory/objects.ts';
import { refusal, rowFor } from '../../shared/catalog/life-cycle.ts';
import type { Problem } from '../../shared/catalog/problems.ts';
import { again, handle } from '../../shared/work/handler.ts';
import { requireObject } from '../../shared/work/require-object.ts';
import { refuseWhileReplaced } from './attempts.ts';
import { movementId, movements, reservations, type StoredReservation } from './collections.ts';
import { moveStockDue } from './due-work.ts';
import { isTillReservation } from './reservation-rules.ts';

/** Commits the record first; the stock moves before the reply if possible. ATP does not change: the units were reserved. */
export const moveReservation = handle(moveReservationCall)(async ({ params: { id }, body }, { work }) => {
  const found = await requireObject(work, reservations, id);
  const known = movementId(id, body.reference);
  if (await work.get(movements, known)) return again(found);
  // A reservation for the till is never confirmed. All its units leave together, so its life cycle has no `move-part`.
  if (!isTillReservation(found)) rowFor(reservationLifeCycle, found, 'move-part');
  const { allocations, moved } = applyMovement(found, body);
  await refuseWhileReplaced(found, work);
  work.put(movements, { id: known, reservationId: id, reference: body.reference, kind: body.kind, allocations: moved, pending: true });
  work.schedule(moveStockDue, id, work.now, {}, { beforeReply: true });
  return work.transition(reservations, found, verbAfter(allocations), { allocations });
});

type MoveRequest = Pick<z.output<typeof moveReservationCall.request>, 'kind' | 'locationId' | 'lines'>;
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
function applyMovement(reservation: StoredReservation, { kind, locationId, lines }: MoveRequest) {
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
function verbAfter(allocations: readonly Allocation[]): 'move-part' | 'fulfil' | 'cancel' {
  if (allocations.some((allocation) => openOf(allocation) > 0)) return 'move-part';
  return allocations.some(({ fulfilledQty }) => fulfilledQty > 0) ? 'fulfil' : 'cancel';
}
