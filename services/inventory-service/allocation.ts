import { allocateInventory as allocateInventoryApi } from '../../shared/catalog/inventory/apis.ts';
import { getReservation, recordReservation } from '../../shared/catalog/inventory/internal.ts';
import { reservationLifeCycle } from '../../shared/catalog/inventory/objects.ts';
import { isAgain } from '../../shared/catalog/life-cycle.ts';
import { asProblem, didNothing, Problem } from '../../shared/catalog/problems.ts';
import { defineDueWork } from '../../shared/work/due-work.ts';
import { again, handle, handleDue, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { type Hold, holds, orderLineKey } from './collections.ts';
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
} from './order-stock.ts';
import { findStock, giveBack, insufficientStock, reserveStock } from './reservations.ts';
import { listNodes, requireSku } from './stock.ts';

/** Records stock that is reserved for an order line at the SIM. The key is the reservation's id. */
const finishAllocationDue = defineDueWork('finish-allocation');

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
  const reservation = await recordAtSim(hold, { work, call }).catch(asProblem);
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

/**
 * Commits one more attempt to record the reservation at the SIM, with the work that finishes it, before the SIM is called. This process keeps
 * the lease of the work until it has answered or died.
 * @returns the reservation at its new version
 */
async function beginRecording(work: UnitOfWork, hold: Omit<Hold, 'version'>): Promise<Hold> {
  const next = work.put(holds, { ...hold, line: countAttempt(hold) });
  work.schedule(finishAllocationDue, hold.id, work.now, {}, { beforeReply: true });
  await work.checkpoint();
  return next;
}

/** Commits one more attempt by the due work itself, which must not be scheduled again. */
async function repeatRecording(work: UnitOfWork, hold: Hold): Promise<Hold> {
  const next = work.put(holds, { ...hold, line: countAttempt(hold) });
  await work.checkpoint();
  return next;
}

const lineOf = ({ id, line }: Pick<Hold, 'id' | 'line'>) => {
  if (!line) throw new Error(`The reservation ${id} belongs to no order line.`);
  return line;
};

const countAttempt = (hold: Pick<Hold, 'id' | 'line'>) => ({ ...lineOf(hold), attempts: lineOf(hold).attempts + 1 });

/** @throws Problem when the SIM refuses the record, or when it is unknown whether the SIM has it */
async function recordAtSim(hold: Hold, { work, call }: Pick<Scope, 'work' | 'call'>): Promise<Reservation> {
  const line = lineOf(hold);
  const { orderId, orderLineId, sku, qty } = line;
  const allocations = hold.allocations.map((held) => ({ orderLineId, ...held, fulfilledQty: 0, cancelledQty: 0 }));
  const reservation = await call(recordReservation, {
    params: { id: hold.id },
    body: { orderId, orderLineId, items: [{ sku, qty }], allocations },
  });
  work.put(holds, { ...hold, line: { ...line, recorded: true } });
  work.cancel(finishAllocationDue, hold.id);
  return reservation;
}

/** Whether the order has ended, so that the SIM never accepts the record. */
const isFinalRefusal = ({ code }: Problem): boolean => code === 'invalid_state_transition';

/** Whether the SIM certainly has no record. One of several attempts may have succeeded although its answer was lost. */
const mayWithdraw = (hold: Hold, problem: Problem): boolean =>
  isFinalRefusal(problem) || (didNothing(problem) && lineOf(hold).attempts === 1);

function withdraw(work: UnitOfWork, hold: Hold): void {
  giveBack(work, hold, { state: 'given-back', reference: 'the SIM was not there' });
  work.cancel(finishAllocationDue, hold.id);
}

/** Keeps the stock, because the SIM may have the record. Due work repeats the record until the SIM has it. */
function recordLater(work: UnitOfWork, hold: Hold): void {
  work.schedule(finishAllocationDue, hold.id, work.now, {});
}

/** Finishes an interrupted Allocate Inventory. For an order that has ended, the stock is released. */
export const finishAllocation = handleDue(finishAllocationDue)(async ({ key }, { work, call }) => {
  const hold = await work.get(holds, key);
  if (hold?.state !== 'held' || !hold.line || hold.line.recorded) return;
  const next = await repeatRecording(work, hold);
  try {
    await recordAtSim(next, { work, call });
  } catch (error) {
    if (!(error instanceof Problem) || !isFinalRefusal(error)) throw error;
    withdraw(work, next);
  }
});
