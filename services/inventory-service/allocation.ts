import type { z } from 'zod';
import { getTransaction } from '../../shared/catalog/commerce/internal.ts';
import type { InputOf } from '../../shared/catalog/define.ts';
import { allocateInventory as allocateInventoryApi } from '../../shared/catalog/inventory/apis.ts';
import { getReservation, listOrderHolds, recordReservation } from '../../shared/catalog/inventory/internal.ts';
import { type Reservation as ReservationSchema, reservationLifeCycle } from '../../shared/catalog/inventory/objects.ts';
import { allowedFrom, isAgain, refusal } from '../../shared/catalog/life-cycle.ts';
import { getOrderStock } from '../../shared/catalog/order/internal.ts';
import { asProblem, didNothing, invalid, notFound, Problem, undefinedIf } from '../../shared/catalog/problems.ts';
import { defineDueWork } from '../../shared/work/due-work.ts';
import { again, handle, handleDue, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { type Hold, holds, orderLineKey } from './collections.ts';
import { listNodes, requireSku } from './levels.ts';
import { findStock, giveBack, insufficientStock, reserveStock } from './reservations.ts';

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
    const takenAgain = await findReservationTakenAgain(order, body, call);
    if (takenAgain) return again(takenAgain);
  }

  const hold = known ? await beginRecording(work, known) : await reserveForLine(mine, body, work);
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
async function reserveForLine(id: string, line: AllocationRequest, work: Scope['work']): Promise<Hold> {
  const byPriority = await listNodes(work);
  for (const locationId of line.preferredLocations ?? []) await listNodes(work, locationId);
  const nodes = [...new Set([...(line.preferredLocations ?? []), ...byPriority])];
  const { orderId, orderLineId, sku, qty } = line;
  const { held, short } = await findStock(work, { lines: [{ sku, qty }], nodes });
  if (short.length > 0) throw insufficientStock(short, work.figures);
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

/** As `beginRecording`, for an attempt by the due work: it is running, so it must not be scheduled again. */
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
  giveBack(work, hold, { state: 'given-back', reference: 'the SIM has no record of it' });
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

type AllocationRequest = InputOf<typeof allocateInventoryApi>['body'];
type Line = { readonly lineId: string; readonly sku: string; readonly qty: number; readonly reservationId?: string };

/** The stock side of an order, or of an unpaid sale that only its till has stored. */
interface OrderStock {
  readonly state: string;
  /** Absent for an order with given prices. */
  readonly basketId?: string;
  readonly isSale: boolean;
  readonly lines: readonly Line[];
}

/** The states of an order that may need stock. Later its goods are in transit or have left. */
const STATES_NEEDING_STOCK: readonly string[] = ['draft', 'confirmed'];
const ENDED_STATES: ReadonlySet<string> = new Set(['completed', 'return-in-progress', 'cancelled']);

/** Reads an order from the OMS, or from its till while only the till has it. @throws Problem `not_found` */
async function readOrderStock(orderId: string, call: Scope['call']): Promise<OrderStock> {
  const order = await call(getOrderStock, { params: { id: orderId } }).catch(undefinedIf('not_found'));
  if (order) return { state: order.state, basketId: order.basketId, isSale: order.channel === 'pos', lines: order.lines };
  const sale = await call(getTransaction, { params: { id: orderId } }).catch(undefinedIf('not_found'));
  if (!sale) throw notFound('order', orderId);
  const { id: basketId, lines, reservationId } = sale.basket;
  return {
    state: sale.state === 'voided' ? 'cancelled' : 'draft',
    basketId,
    isSale: true,
    lines: lines.map(({ lineId, sku, qty }) => ({ lineId, sku, qty, reservationId })),
  };
}

/** Finds the line. @throws Problem `invalid_state_transition` for an ended order; `validation_failed` for an unknown line, SKU or number */
function requireLine({ state, lines }: OrderStock, request: AllocationRequest): Line {
  if (ENDED_STATES.has(state)) throw notAllocable(request.orderId, state, `is ${state}; no stock is reserved for it any more`);
  const line = lines.find(({ lineId }) => lineId === request.orderLineId);
  if (!line) throw invalid('/orderLineId', 'unknown_line', `The order "${request.orderId}" has no line "${request.orderLineId}".`);
  if (line.sku !== request.sku)
    throw invalid('/sku', 'differs_from_line', `The line "${line.lineId}" has the SKU ${line.sku}, not ${request.sku}.`);
  if (line.qty < request.qty) {
    throw invalid('/qty', 'exceeds_line', `The line "${line.lineId}" needs ${line.qty} × ${line.sku}, not ${request.qty}.`);
  }
  return line;
}

/** @returns the open reservation of the line, if there is one */
async function findReservationOfLine(
  { reservationId }: Line,
  request: AllocationRequest,
  call: Scope['call'],
): Promise<Reservation | undefined> {
  if (reservationId === undefined) return undefined;
  const reservation = await call(getReservation, { params: { id: reservationId } });
  if (!allowedFrom(reservationLifeCycle, 'allocate').includes(reservation.state)) return undefined;
  refuseUncovered(reservation, request);
  return reservation;
}

/**
 * Finds the reservation of the basket or the order that was made after the reservation of its lines had ended. Stock that was allocated to
 * one line serves no other line. Lines of the same SKU share the units of a reservation.
 */
async function findReservationTakenAgain(
  { basketId, lines }: OrderStock,
  { orderId, sku }: AllocationRequest,
  call: Scope['call'],
): Promise<Reservation | undefined> {
  const { items } = await call(listOrderHolds, { params: { orderId }, query: { basketId } });
  const needed = lines.filter((line) => line.sku === sku).reduce((sum, { qty }) => sum + qty, 0);
  return items.find((reservation) => reservation.orderLineId === undefined && unitsHeld(reservation, sku) >= needed);
}

/** @throws Problem for an order that has no reservation and needs none: its goods are on a counter, on their way, or have left */
function refuseSuperfluous({ state, isSale }: OrderStock, { orderId, sku, qty }: AllocationRequest): void {
  if (isSale) throw insufficientStock([{ sku, requested: qty, available: 0 }]);
  if (!STATES_NEEDING_STOCK.includes(state)) throw notAllocable(orderId, state, `is ${state}; its goods are on their way, or have left`);
}

const notAllocable = (id: string, state: string, why: string): Problem =>
  refusal('order', { id, state }, 'allocate', `The order "${id}" ${why}.`, { allowedFrom: STATES_NEEDING_STOCK });

type Reservation = z.output<typeof ReservationSchema>;

/** A reservation of a basket serves only the order that the basket became. @throws Problem `validation_failed` */
function refuseForeignBasket({ id, basketId }: Reservation, order: { readonly basketId?: string }, { orderId }: AllocationRequest): void {
  if (basketId === undefined || basketId === order.basketId) return;
  throw invalid(
    '/reservationId',
    'other_order',
    `The reservation "${id}" belongs to the basket "${basketId}", which did not become the order "${orderId}".`,
  );
}

/** An order line is allocated once. Answering a different request with that allocation would promise units that are not reserved. */
function refuseOtherDemand({ line }: Hold, request: AllocationRequest): void {
  if (!line) return;
  for (const member of ['sku', 'qty'] as const) {
    if (line[member] === request[member]) continue;
    const detail = `The order line "${line.orderLineId}" is allocated with ${line.qty} × ${line.sku}; it cannot be allocated with ${request.qty} × ${request.sku} too.`;
    throw invalid(`/${member}`, 'differs_from_allocation', detail);
  }
}

/** @throws Problem `validation_failed` for the reservation of another order; `insufficient_stock` when it has too few units */
function refuseUncovered(reservation: Reservation, request: AllocationRequest): void {
  if (reservation.orderId !== undefined && reservation.orderId !== request.orderId) {
    throw invalid('/reservationId', 'other_order', `The reservation "${reservation.id}" belongs to the order "${reservation.orderId}".`);
  }
  const held = unitsHeld(reservation, request.sku);
  if (held < request.qty) throw insufficientStock([{ sku: request.sku, requested: request.qty, available: held }]);
}

/** Units of the SKU that the reservation still has. */
const unitsHeld = ({ allocations }: Reservation, sku: string): number =>
  allocations
    .filter((allocation) => allocation.sku === sku)
    .reduce((sum, { qty, fulfilledQty, cancelledQty }) => sum + qty - fulfilledQty - cancelledQty, 0);
