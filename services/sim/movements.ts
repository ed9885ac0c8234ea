import type { z } from 'zod';
import { type HeldAt, moveReservation as moveReservationCall } from '../../shared/catalog/inventory/internal.ts';
import { reservationLifeCycle } from '../../shared/catalog/inventory/objects.ts';
import { refusal, rowFor } from '../../shared/catalog/life-cycle.ts';
import type { Problem } from '../../shared/catalog/problems.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { again, handle } from '../../shared/work/handler.ts';
import { refuseWhileReplaced } from './attempts.ts';
import { movementId, movements, reservations, type StoredReservation } from './collections.ts';
import { giveBackStockDue, moveStockDue } from './due-work.ts';
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
  const verb = verbAfter(allocations);
  if (verb === 'release') work.schedule(giveBackStockDue, id, work.now, {}, { beforeReply: true });
  const items = body.kind === 'give-back' ? withoutUnits(found.items, moved) : found.items;
  return work.transition(reservations, found, verb, { allocations, items });
});

/** The items of a reservation whose order wants fewer units. */
const withoutUnits = (items: StoredReservation['items'], moved: readonly Moved[]): StoredReservation['items'] =>
  items.flatMap((item) => {
    const gone = moved.reduce((sum, { sku, qty }) => sum + (sku === item.sku ? qty : 0), 0);
    return item.qty > gone ? [{ ...item, qty: item.qty - gone }] : [];
  });

type MoveRequest = Pick<z.output<typeof moveReservationCall.request>, 'kind' | 'locationId' | 'to' | 'lines'>;
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
 * Applies a movement to the allocations. Units on the way to a store leave it only by `receive` and `not-received`.
 * @returns the new allocations, and the moved units per SKU and location
 * @throws Problem `invalid_state_transition` when a line has more units than are reserved for it
 */
function applyMovement(reservation: StoredReservation, { kind, locationId, to, lines }: MoveRequest) {
  const isSent = kind === 'receive' || kind === 'not-received';
  let next = reservation.allocations;
  const moved = new Map<string, Moved>();
  for (const line of lines) {
    let left = line.qty;
    next = next.flatMap((allocation) => {
      const isConcerned = isForLine(allocation, line, locationId) && (allocation.inTransitTo !== undefined) === isSent;
      const units = isConcerned ? Math.min(left, openOf(allocation)) : 0;
      if (units === 0) return [allocation];
      left -= units;
      const place = kind === 'receive' ? (allocation.inTransitTo ?? locationId) : locationId;
      const key = `${line.sku}|${place}`;
      moved.set(key, { locationId: place, sku: line.sku, qty: units + (moved.get(key)?.qty ?? 0) });
      return withMoved(allocation, units, { kind, to });
    });
    if (left > 0) throw notHeld(reservation, `${line.qty - left} × ${line.sku} at ${locationId} for this line, not ${line.qty}`);
  }
  return { allocations: next, moved: [...moved.values()] };
}

/** An allocation after a movement of some of its open units. Units on the way to a store are a separate allocation, and stay one there. */
function withMoved(allocation: Allocation, units: number, { kind, to }: Pick<MoveRequest, 'kind' | 'to'>): Allocation[] {
  if (kind === 'consume') return [{ ...allocation, fulfilledQty: allocation.fulfilledQty + units }];
  if (kind === 'give-back') return allocation.qty > units ? [{ ...allocation, qty: allocation.qty - units }] : [];
  if (kind === 'short') return [{ ...allocation, cancelledQty: allocation.cancelledQty + units }];
  const { inTransitTo, ...kept } = allocation;
  const own = { ...kept, qty: units, fulfilledQty: 0, cancelledQty: 0 };
  const rest = allocation.qty > units ? [{ ...allocation, qty: allocation.qty - units }] : [];
  switch (kind) {
    case 'send':
      return [...rest, { ...own, inTransitTo: to }];
    case 'receive':
      return [...rest, { ...own, locationId: inTransitTo ?? own.locationId }];
    case 'not-received':
      return [...rest, { ...own, fulfilledQty: units }];
  }
}

const notHeld = (reservation: StoredReservation, held: string): Problem =>
  refusal(reservationLifeCycle, reservation, 'move-part', `The reservation "${reservation.id}" holds ${held}.`);

/** A reservation ends with its last unit. */
function verbAfter(allocations: readonly Allocation[]): 'move-part' | 'fulfil' | 'cancel' | 'release' {
  if (allocations.length === 0) return 'release';
  if (allocations.some((allocation) => openOf(allocation) > 0)) return 'move-part';
  return allocations.some(({ fulfilledQty }) => fulfilledQty > 0) ? 'fulfil' : 'cancel';
}
