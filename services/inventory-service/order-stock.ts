import type { z } from 'zod';
import { getTransaction } from '../../shared/catalog/commerce/internal.ts';
import { getReservation, listOrderHolds } from '../../shared/catalog/inventory/internal.ts';
import { type Reservation as ReservationSchema, reservationLifeCycle } from '../../shared/catalog/inventory/objects.ts';
import { allowedFrom, refusal } from '../../shared/catalog/life-cycle.ts';
import { getOrderStock } from '../../shared/catalog/order/internal.ts';
import { invalid, notFound, type Problem, undefinedIfNotFound } from '../../shared/catalog/problems.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { Hold } from './collections.ts';
import { insufficientStock } from './reservations.ts';

type Line = { readonly lineId: string; readonly sku: string; readonly qty: number; readonly reservationId?: string };

/** The stock side of an order, or of an unpaid sale that only its till has stored. */
interface OrderStock {
  readonly state: string;
  readonly basketId: string;
  readonly isSale: boolean;
  readonly lines: readonly Line[];
}

/** The states of an order that may need stock. Later its goods are in transit or have left. */
const STATES_NEEDING_STOCK: readonly string[] = ['draft', 'confirmed'];
const ENDED_STATES: ReadonlySet<string> = new Set(['completed', 'return-in-progress', 'cancelled']);

/**
 * Reads an order from the OMS, or from its till while only the till has it.
 * @throws Problem `not_found`, because the stock of an unknown order would never be released
 */
export async function readOrderStock(orderId: string, call: Scope['call']): Promise<OrderStock> {
  const order = await call(getOrderStock, { params: { id: orderId } }).catch(undefinedIfNotFound);
  if (order) return { state: order.state, basketId: order.basketId, isSale: order.channel === 'pos', lines: order.lines };
  const sale = await call(getTransaction, { params: { id: orderId } }).catch(undefinedIfNotFound);
  if (!sale) throw notFound('order', orderId);
  const { id: basketId, lines, reservationId } = sale.basket;
  return {
    state: sale.state === 'voided' ? 'cancelled' : 'draft',
    basketId,
    isSale: true,
    lines: lines.map(({ lineId, sku, qty }) => ({ lineId, sku, qty, reservationId })),
  };
}

/** Finds the line. @throws Problem `invalid_state_transition` of an ended order; `validation_failed` for an unknown line, SKU or number */
export function requireLine({ state, lines }: OrderStock, request: AllocationRequest): Line {
  if (ENDED_STATES.has(state)) throw notAllocable(request.orderId, state, `is ${state}; no stock is reserved for it any more`);
  const line = lines.find(({ lineId }) => lineId === request.orderLineId);
  if (!line) throw invalid('/orderLineId', 'unknown_line', `The order "${request.orderId}" has no line "${request.orderLineId}".`);
  if (line.sku !== request.sku)
    throw invalid('/sku', 'differs_from_line', `The line "${line.lineId}" is of ${line.sku}, not of ${request.sku}.`);
  if (line.qty < request.qty) {
    throw invalid('/qty', 'exceeds_line', `The line "${line.lineId}" needs ${line.qty} × ${line.sku}, not ${request.qty}.`);
  }
  return line;
}

/** @returns the open reservation of the line, if there is one */
export async function findReservationOfLine(
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
 * Finds a newer reservation of the basket or the order, made after the reservation of its lines had ended. Stock that was allocated to
 * one line serves no other line. Lines of the same SKU share the units of a reservation.
 */
export async function findHoldTakenAgain(
  { basketId, lines }: OrderStock,
  { orderId, sku }: AllocationRequest,
  call: Scope['call'],
): Promise<Reservation | undefined> {
  const { items } = await call(listOrderHolds, { params: { orderId }, query: { basketId } });
  const needed = lines.filter((line) => line.sku === sku).reduce((sum, { qty }) => sum + qty, 0);
  return items.find((reservation) => reservation.orderLineId === undefined && unitsHeld(reservation, sku) >= needed);
}

/** @throws Problem for an order that has no reservation and needs none: its goods are on a counter, on their way, or have left */
export function refuseSuperfluous({ state, isSale }: OrderStock, { orderId, sku, qty }: AllocationRequest): void {
  if (isSale) throw insufficientStock([{ sku, requested: qty, available: 0 }]);
  if (!STATES_NEEDING_STOCK.includes(state)) throw notAllocable(orderId, state, `is ${state}; its goods are on their way, or have left`);
}

const notAllocable = (id: string, state: string, why: string): Problem =>
  refusal('order', { id, state }, 'allocate', `The order "${id}" ${why}.`, { allowedFrom: STATES_NEEDING_STOCK });

export type Reservation = z.output<typeof ReservationSchema>;

export interface AllocationRequest {
  readonly orderId: string;
  readonly orderLineId: string;
  readonly sku: string;
  readonly qty: number;
  readonly preferredLocations?: readonly string[];
}

/** A reservation of a basket serves only the order that the basket became. @throws Problem `validation_failed` */
export function refuseForeignBasket(
  { id, basketId }: Reservation,
  order: { readonly basketId: string },
  { orderId }: AllocationRequest,
): void {
  if (basketId === undefined || basketId === order.basketId) return;
  throw invalid('/reservationId', 'other_order', `The reservation "${id}" is of basket "${basketId}", which did not become "${orderId}".`);
}

/** An order line is allocated once. Answering a different request with that allocation would promise units that are not reserved. */
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

/** @throws Problem `validation_failed` for the reservation of another order; `insufficient_stock` when it holds too few units */
export function refuseUncovered(reservation: Reservation, request: AllocationRequest): void {
  if (reservation.orderId !== undefined && reservation.orderId !== request.orderId) {
    throw invalid('/reservationId', 'other_order', `The reservation "${reservation.id}" is of order "${reservation.orderId}".`);
  }
  const held = unitsHeld(reservation, request.sku);
  if (held < request.qty) throw insufficientStock([{ sku: request.sku, requested: request.qty, available: held }]);
}

/** Units of the SKU that the reservation still holds. */
const unitsHeld = ({ allocations }: Reservation, sku: string): number =>
  allocations
    .filter((allocation) => allocation.sku === sku)
    .reduce((sum, { qty, fulfilledQty, cancelledQty }) => sum + qty - fulfilledQty - cancelledQty, 0);
