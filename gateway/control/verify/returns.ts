import type { z } from 'zod';
import type { FulfillmentOrder as FulfillmentOrderSchema } from '../../../shared/catalog/fulfillment/fulfillment-orders.ts';
import type { Order as OrderSchema } from '../../../shared/catalog/order/objects.ts';
import type { Payment as PaymentSchema } from '../../../shared/catalog/payment/objects.ts';
import { floorShare } from '../../../shared/domain/money.ts';
import { isBack } from './fulfilment.ts';
import type { HeldWorld } from './held-world.ts';
import { findings, grouped, type InvariantResult, sums } from './invariant.ts';
import { keptBy } from './money.ts';
import type { Return } from './stored-records.ts';

type Order = z.output<typeof OrderSchema>;
type Payment = z.output<typeof PaymentSchema>;
/** What the OMS has booked for a return. */
interface Booking {
  readonly id: string;
  readonly orderId: string;
  readonly status: 'open' | 'refunding' | 'refunded' | 'exchanged' | 'rejected';
  readonly lines: readonly { readonly orderLineId: string; readonly qty: number; readonly amount: number }[];
}
/** A location as the FMS knows it. */
interface Node {
  readonly id: string;
  readonly isStore: boolean;
}
type Check = ReturnType<typeof findings>['check'];

/** Work that a return still owes when it has ended. */
const AFTER_ITS_END = ['book-returned-stock', 'put-back', 'close-return'] as const;

const bookingsIn = (held: HeldWorld): readonly Booking[] => held.records<Booking>('oms', 'return-bookings');
const isOpen = ({ status }: Booking): boolean => status === 'open' || status === 'refunding';

/** What FMS, OMS, Payment Hub and Inventory Service say of the same goods that come back. */
export function returns(held: HeldWorld): InvariantResult {
  const { check, result } = findings(
    'returns',
    'No unit comes back twice or without having been delivered, none is paid back beyond its worth, and what came back is accounted for',
  );
  const bookings = bookingsIn(held);
  const found = new Map(held.of<Return>('return').map((one) => [one.id, one]));
  const booked = new Set(bookings.map(({ id }) => id));
  const warehouses = new Set(held.records<Node>('fms', 'nodes').flatMap(({ id, isStore }) => (isStore ? [] : [id])));
  for (const one of found.values()) {
    const { id, state, dropOff, locationId } = one;
    check(booked.has(id), `return/${id}: the OMS has booked nothing for it`);
    check(dropOff === 'carrier' || !warehouses.has(locationId), `return/${id}: is brought to a store, and ${locationId} is none`);
    const givenUp = AFTER_ITS_END.filter((kind) => held.parked('fms', id, kind));
    check(!isEnded(one) || givenUp.length === 0, `return/${id}: ${state}, and ${givenUp.join(', ')} of it was given up`);
  }
  for (const booking of bookings) checkBooking(held, { booking, found: found.get(booking.id) }, check);
  checkMoney(held, bookings, found, check);
  const byOrder = grouped(bookings, ({ orderId }) => orderId);
  for (const order of held.of<Order>('order')) checkUnits(order, byOrder.get(order.id) ?? [], check);
  checkStock(held, [...found.values()], check);
  return result();
}

/** Units of a line that are back, or announced, and what they are worth. */
function checkUnits({ id, state, lines }: Order, bookings: readonly Booking[], check: Check): void {
  for (const { lineId, qty, fulfilledQty, cancelledQty, returnedQty, lineTotal } of lines) {
    const booked = bookings.flatMap((one) =>
      one.lines.filter(({ orderLineId }) => orderLineId === lineId).map((line) => ({ ...line, one })),
    );
    const units = (which: (one: Booking) => boolean): number =>
      booked.filter(({ one }) => which(one)).reduce((sum, line) => sum + line.qty, 0);
    const back = units(({ status }) => status === 'refunded' || status === 'exchanged');
    const announced = units(isOpen);
    const name = `order/${id} ${lineId}`;
    check(back === returnedQty, `${name}: ${returnedQty} returned, and its returns have ${back}`);
    check(back + announced <= fulfilledQty, `${name}: ${back} returned and ${announced} announced of ${fulfilledQty} delivered`);
    const worth = floorShare(lineTotal.amount, cancelledQty, qty) + booked.reduce((sum, { amount }) => sum + amount, 0);
    check(worth <= lineTotal.amount, `${name}: its returns and what was cancelled are worth ${worth} of ${lineTotal.amount}`);
    if (back + announced + cancelledQty === qty) {
      check(worth === lineTotal.amount, `${name}: all of it is gone, and that was worth ${worth} of ${lineTotal.amount}`);
    }
  }
  const open = bookings.filter(isOpen);
  const named = open.map((one) => `return/${one.id}`).join(', ') || 'none';
  if (open.length > 0 || state === 'return-in-progress') {
    check((state === 'return-in-progress') === open.length > 0, `order/${id}: ${state}, its open returns are ${named}`);
  }
}

const fitting: Readonly<Record<Booking['status'], readonly Return['state'][]>> = {
  open: ['requested', 'approved', 'in-transit', 'received', 'inspected'],
  refunding: ['inspected', 'in-transit'],
  refunded: ['refunded'],
  exchanged: ['exchanged'],
  rejected: ['rejected'],
};

function checkBooking(
  { queued }: HeldWorld,
  { booking, found }: { readonly booking: Booking; readonly found: Return | undefined },
  check: Check,
): void {
  const { id, status, lines } = booking;
  const isPaying = (status === 'refunding' || status === 'refunded') && queued('fms', id, 'settle-return');
  const isBusy = isPaying || ['undo-return', 'finish-rejection', 'close-return'].some((kind) => queued('fms', id, kind));
  if (!found) {
    check(status === 'rejected' || isBusy, `return/${id}: ${status} at the OMS, and the FMS does not have it`);
    return;
  }
  check(fitting[status].includes(found.state) || isBusy, `return/${id}: ${found.state}, and ${status} at the OMS`);
  check(found.orderId === booking.orderId, `return/${id}: of order/${found.orderId}, and booked on order/${booking.orderId}`);
  const units = (one: { readonly orderLineId: string; readonly qty: number }): string => `${one.orderLineId} × ${one.qty}`;
  check(
    found.lines.map(units).join() === lines.map(units).join(),
    `return/${id}: ${found.lines.map(units)}, booked are ${lines.map(units)}`,
  );
  const worth = lines.reduce((sum, { amount }) => sum + amount, 0);
  if (status !== 'rejected')
    check(found.refundAmount.amount === worth, `return/${id}: worth ${found.refundAmount.amount}, booked is ${worth}`);
}

function checkMoney(
  { of, queued, counters }: HeldWorld,
  bookings: readonly Booking[],
  found: ReadonlyMap<string, Return>,
  check: Check,
): void {
  const payments = of<Payment>('payment');
  const refunds = payments.flatMap((payment) => payment.refunds.map((refund) => ({ ...refund, orderId: payment.orderId })));
  const paid = sums(
    refunds,
    ({ returnId = '' }) => returnId,
    ({ amount }) => amount.amount,
  );
  const credits = payments.filter(({ tender }) => tender.type === 'exchange-credit');
  const credited = sums(credits, ({ returnId = '' }) => returnId, keptBy);
  const ofReturns = refunds.filter(({ returnId }) => returnId !== undefined);
  const orderOf = new Map(bookings.map(({ id, orderId }) => [id, orderId]));
  for (const { returnId = '', orderId } of ofReturns) {
    check(
      orderOf.get(returnId) === orderId,
      `return/${returnId}: a payment of order/${orderId} was refunded for it, which is not its order`,
    );
  }
  const exchanges = new Map(of<Order>('order').map(({ id, exchangeForReturnId }) => [id, exchangeForReturnId]));
  for (const { id, returnId, orderId } of credits) {
    check(orderOf.has(returnId ?? ''), `payment/${id}: a credit of return/${returnId}, for which the OMS has booked nothing`);
    check(exchanges.get(orderId) === returnId, `payment/${id}: a credit of return/${returnId} pays order/${orderId}, which is not for it`);
  }
  for (const [id, { used = 0 }] of Object.entries(counters('payment-hub', 'return-covers'))) {
    const [back, credit] = [paid.get(id) ?? 0, credited.get(id) ?? 0];
    check(used === back + credit, `return/${id}: ${used} count as used, ${back} were paid back and ${credit} credited`);
  }
  const byOrder = grouped(payments, ({ orderId }) => orderId);
  for (const { id, refundAmount, state, refunds: noted, orderId } of found.values()) {
    const back = paid.get(id) ?? 0;
    const credit = credited.get(id) ?? 0;
    const worth = refundAmount.amount;
    check(back + credit <= worth, `return/${id}: ${back} paid back and ${credit} credited of ${worth}`);
    const told = noted.reduce((sum, { amount }) => sum + amount.amount, 0);
    check(told === back || queued('fms', id), `return/${id}: it notes refunds of ${told}, its payments were refunded ${back} for it`);
    const left = (byOrder.get(orderId) ?? []).reduce((sum, one) => sum + one.capturedAmount.amount - one.refundedAmount.amount, 0);
    if (state === 'refunded') {
      check(back + credit === worth || left === 0, `return/${id}: refunded, and ${back} of ${worth} were paid back while ${left} could be`);
    }
  }
}

type FulfillmentOrder = z.output<typeof FulfillmentOrderSchema>;

const at = ({ sku, locationId }: { readonly sku: string; readonly locationId: string }): string => `${sku}|${locationId}`;

/** What was inspected is on hand again, or counted as thrown away; what went back to the customer is neither. */
function checkStock({ of, counters, queued }: HeldWorld, all: readonly Return[], check: Check): void {
  const moved = counters('inventory-service', 'units-moved');
  const settled = all.filter(({ id }) => !queued('fms', id));
  const busy = new Set(
    all.filter((one) => !settled.includes(one)).flatMap(({ lines, locationId }) => lines.map(({ sku }) => at({ sku, locationId }))),
  );
  const unitsOf = (disposition: 'restock' | 'scrap') =>
    settled
      .filter(({ state }) => state !== 'rejected' || disposition === 'scrap')
      .flatMap(({ lines, locationId }) =>
        lines.filter((line) => line.disposition === disposition).map(({ sku, qty }) => ({ sku, qty, locationId })),
      );
  const sender = of<FulfillmentOrder>('fulfillment-order').filter(isBack);
  for (const { lines, locationId } of sender.filter(({ id }) => queued('fms', id))) {
    for (const { sku } of lines) busy.add(at({ sku, locationId }));
  }
  const undelivered = sender.flatMap(({ lines, locationId }) => lines.map(({ sku, pickedQty }) => ({ sku, locationId, qty: pickedQty })));
  for (const [counter, units] of [
    ['returned', [...unitsOf('restock'), ...undelivered]],
    ['scrapped', unitsOf('scrap')],
  ] as const) {
    const expected = sums(units, at, ({ qty }) => qty);
    for (const key of new Set([...expected.keys(), ...Object.keys(moved)])) {
      const counted = moved[key]?.[counter] ?? 0;
      check(
        busy.has(key) || counted === (expected.get(key) ?? 0),
        `stock/${key}: ${counted} ${counter}, and ${expected.get(key) ?? 0} came back`,
      );
    }
  }
}

/** For whom an open return waits; undefined when nobody will move it. */
export function moverOfReturn(held: HeldWorld, found: Return): string | undefined {
  const { id, state, dropOff, rejecting, shipments } = found;
  const isQueued = held.queued('fms', id);
  if (rejecting !== undefined) return isQueued ? 'the OMS' : undefined;
  switch (state) {
    case 'requested':
      return 'customer service';
    case 'approved':
      return dropOff === 'store' ? 'its customer' : 'its customer and the carrier';
    case 'in-transit': {
      if (found.writtenOffAt !== undefined) return payerOf(held, id);
      const isStuck = shipments.some((parcel) => parcel.state === 'lost' || parcel.state === 'returned-to-sender');
      if (isStuck) return held.queued('fms', id, 'give-up-return') ? 'the carrier, or a week without its parcel' : undefined;
      return 'the carrier';
    }
    case 'received':
      return 'the warehouse';
    case 'inspected': {
      const exchange = held.of<Order>('order').some((one) => one.exchangeForReturnId === id && one.state !== 'cancelled');
      return exchange && !isQueued ? 'the order that it is exchanged for' : payerOf(held, id);
    }
    case 'refunded':
    case 'exchanged':
    case 'rejected':
      return undefined;
  }
}

/** Who pays a return back. The OMS marks what it pays back itself; what it left, a caller has to. */
function payerOf(held: HeldWorld, id: string): string | undefined {
  if (held.queued('fms', id)) return 'the FMS';
  return bookingsIn(held).some((booking) => booking.id === id && booking.status === 'open') ? 'a caller of Refund Payment' : undefined;
}

/** Whether a return has come to its end. */
export const isEnded = ({ state }: Return): boolean => state === 'refunded' || state === 'exchanged' || state === 'rejected';
