import { allocateInventory as allocateInventoryApi } from '../../../shared/catalog/inventory/apis.ts';
import { getReservation } from '../../../shared/catalog/inventory/internal.ts';
import { reservationLifeCycle } from '../../../shared/catalog/inventory/objects.ts';
import { isAgain } from '../../../shared/catalog/life-cycle.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { again, handle, type Scope } from '../../../shared/work/handler.ts';
import { type Hold, holds, orderLineKey } from '../collections.ts';
import { findStock, insufficientStock, reserveStock } from '../holds.ts';
import {
  type AllocationRequest,
  findHoldTakenAgain,
  findReservationOfLine,
  type Reservation,
  readOrderStock,
  refuseForeignBasket,
  refuseOtherDemand,
  refuseSuperfluous,
  refuseUncovered,
  requireLine,
} from '../order-stock.ts';
import { beginRecording, mayWithdraw, recordAtSim, recordLater, withdraw } from '../recording-at-sim.ts';
import { listNodes, requireSku } from '../stock-levels.ts';

/**
 * If the request names a reservation, or the order already has one for the line, that reservation is the answer and no stock moves. Otherwise
 * stock is reserved for the order line, once, and then recorded at the SIM.
 */
export const allocateInventory = handle(allocateInventoryApi)(async ({ body }, { work, call, context }) => {
  await requireSku(work, body.sku);
  // Applications send the reservation of the order. Requests from outside are checked against the order.
  const order = context.chain.length === 0 ? await readOrderStock(body.orderId, call) : undefined;
  const line = order && requireLine(order, body);
  if (body.reservationId !== undefined) {
    const reservation = await requireOpenReservation(body.reservationId, call);
    if (order) refuseForeignBasket(reservation, order, body);
    refuseUncovered(reservation, body);
    return again(reservation);
  }
  const standing = line && (await findReservationOfLine(line, body, call));
  if (standing) return again(standing);
  const known = await work.findUnique(holds, 'orderLine', orderLineKey(body));
  if (known) refuseOtherDemand(known, body);
  const mine = work.id('res');
  // Another request may have finished the allocation that this request began. It still counts as made by this request.
  const answered = (reservation: Reservation) => (reservation.id === mine ? reservation : again(reservation));
  if (known && (known.line?.recorded || known.state === 'released')) return answered(await requireOpenReservation(known.id, call));

  if (order && !known) {
    refuseSuperfluous(order, body);
    const takenAgain = await findHoldTakenAgain(order, body, call);
    if (takenAgain) return again(takenAgain);
  }

  const hold = known ? await beginRecording(work, known) : await holdForLine(mine, body, work);
  const reservation = await recordAtSim(hold, { work, call }).catch((error: unknown) => {
    if (error instanceof Problem) return error;
    throw error;
  });
  if (reservation instanceof Problem) {
    if (mayWithdraw(hold, reservation)) withdraw(work, hold);
    else recordLater(work, hold);
    return reservation;
  }
  return answered(reservation);
});

/** @throws Problem `invalid_state_transition` for an ended reservation: an order line is not allocated again after a release */
async function requireOpenReservation(id: string, call: Scope['call']): Promise<Reservation> {
  const reservation = await call(getReservation, { params: { id } });
  isAgain(reservationLifeCycle, reservation, 'allocate');
  return reservation;
}

/** Reserves stock for the order line. Commits the reservation, with the work that finishes it, before the SIM is called. */
async function holdForLine(id: string, line: AllocationRequest, work: Scope['work']): Promise<Hold> {
  const byPriority = await listNodes(work);
  for (const locationId of line.preferredLocations ?? []) await listNodes(work, locationId);
  const nodes = [...new Set([...(line.preferredLocations ?? []), ...byPriority])];
  const { orderId, orderLineId, sku, qty } = line;
  const { held, short } = await findStock(work, { lines: [{ sku, qty }], nodes });
  if (short.length > 0) throw insufficientStock(short);
  reserveStock(work, held);
  // An earlier run of this request released the reservation with this id. After this read, `put` replaces it.
  await work.get(holds, id);
  return beginRecording(work, {
    id,
    state: 'held',
    allocations: held,
    line: { orderId, orderLineId, sku, qty, attempts: 0, recorded: false },
  });
}
