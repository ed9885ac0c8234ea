import { getTransaction } from '../../shared/catalog/commerce/internal.ts';
import { getReservation } from '../../shared/catalog/inventory/internal.ts';
import { reservationLifeCycle } from '../../shared/catalog/inventory/objects.ts';
import { allowedFrom } from '../../shared/catalog/life-cycle.ts';
import { getOrderStock } from '../../shared/catalog/order/internal.ts';
import { invalid, Problem } from '../../shared/catalog/problems.ts';
import type { Scope } from '../../shared/work/handler.ts';
import { type Allocating, type Reservation, refuseUncovered } from './allocation-rules.ts';
import { insufficientStock } from './node-choice.ts';

type Line = { readonly lineId: string; readonly sku: string; readonly qty: number; readonly reservationId?: string | undefined };

/** An order as far as its stock goes. A sale that is not paid yet is one too, though only its till knows it. */
export interface OrderStock {
  readonly state: string;
  readonly basketId: string;
  readonly isSale: boolean;
  readonly lines: readonly Line[];
}

/** States in which an order may come to need stock; later its goods are on their way, or have left. */
const NEEDS_STOCK: readonly string[] = ['draft', 'confirmed'];
const OVER: ReadonlySet<string> = new Set(['completed', 'return-in-progress', 'cancelled']);

/** @returns undefined for an order that nobody in the estate has: it is somebody else's */
export async function stockOfOrder(orderId: string, call: Scope['call']): Promise<OrderStock | undefined> {
  const order = await call(getOrderStock, { params: { id: orderId } }).catch(unknown);
  if (order) return { state: order.state, basketId: order.basketId, isSale: order.channel === 'pos', lines: order.lines };
  const sale = await call(getTransaction, { params: { id: orderId } }).catch(unknown);
  if (!sale) return undefined;
  const { id: basketId, lines, reservationId } = sale.basket;
  return {
    state: sale.state === 'voided' ? 'cancelled' : 'draft',
    basketId,
    isSale: true,
    lines: lines.map(({ lineId, sku, qty }) => ({ lineId, sku, qty, reservationId })),
  };
}

function unknown(error: unknown): undefined {
  if (error instanceof Problem && error.code === 'not_found') return undefined;
  throw error;
}

/**
 * The line of the order that stock is allocated to.
 * @throws Problem `invalid_state_transition` when the order is over; `validation_failed` when it has no such line, or the line needs less
 */
export function lineToServe({ state, lines }: OrderStock, asked: Allocating): Line {
  if (OVER.has(state)) throw notAllocable(asked.orderId, state, `is ${state}; no stock is held for it any more`);
  const line = lines.find(({ lineId }) => lineId === asked.orderLineId);
  if (!line) throw invalid('/orderLineId', 'unknown_line', `The order "${asked.orderId}" has no line "${asked.orderLineId}".`);
  if (line.sku !== asked.sku)
    throw invalid('/sku', 'differs_from_line', `The line "${line.lineId}" is of ${line.sku}, not of ${asked.sku}.`);
  if (line.qty < asked.qty) {
    throw invalid('/qty', 'exceeds_line', `The line "${line.lineId}" needs ${line.qty} × ${line.sku}, not ${asked.qty}.`);
  }
  return line;
}

/** The reservation that holds the stock of a line. @returns undefined when it holds nothing any more, or there is none */
export async function holdOfLine({ reservationId }: Line, asked: Allocating, call: Scope['call']): Promise<Reservation | undefined> {
  if (reservationId === undefined) return undefined;
  const reservation = await call(getReservation, { params: { id: reservationId } });
  if (!allowedFrom(reservationLifeCycle, 'allocate').includes(reservation.state)) return undefined;
  refuseUncovered(reservation, asked);
  return reservation;
}

/** @throws Problem for an order that has no hold and needs none: its goods lie on a counter, are on their way or have left */
export function refuseSuperfluous({ state, isSale }: OrderStock, { orderId, sku, qty }: Allocating): void {
  if (isSale) throw insufficientStock([{ sku, requested: qty, available: 0 }]);
  if (!NEEDS_STOCK.includes(state)) throw notAllocable(orderId, state, `is ${state}; its goods are on their way, or have left`);
}

const notAllocable = (id: string, state: string, why: string): Problem =>
  new Problem('invalid_state_transition', `The order "${id}" ${why}.`, {
    ...{ objectType: 'order', id, currentState: state, action: 'allocate', allowedFrom: NEEDS_STOCK },
  });
