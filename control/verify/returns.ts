import { lostIn } from '../../shared/catalog/payment/cover.ts';
import { committedOf, hasFailed, succeededOf } from '../../shared/catalog/payment/refunds.ts';
import { floorShare } from '../../shared/domain/money.ts';
import { backAt, isBackAtSender } from './fulfillment.ts';
import { type Check, findings, grouped, type InvariantResult, sums } from './invariant.ts';
import { netCommitment } from './money.ts';
import { bookingsIn } from './moving.ts';
import { keyOf } from './stock.ts';
import type { FulfillmentOrder, Order, Payment, Return, ReturnBooking, Shipment } from './stored-records.ts';
import type { WorldRecords } from './world-records.ts';

/** A location as the FMS stores it. */
interface Node {
  readonly id: string;
  readonly isStore: boolean;
}

const isOpen = ({ status }: ReturnBooking): boolean => status === 'open' || status === 'refunding';

/** FMS, OMS, Payment Hub and Inventory Service must agree on each return. */
export function returns(world: WorldRecords): InvariantResult {
  const { check, result } = findings('returns');
  const bookings = bookingsIn(world);
  const found = new Map(world.of<Return>('return').map((one) => [one.id, one]));
  const booked = new Set(bookings.map(({ id }) => id));
  const warehouses = new Set(world.records<Node>('fms', 'nodes').flatMap(({ id, isStore }) => (isStore ? [] : [id])));
  for (const one of found.values()) {
    const { id, dropOff, locationId } = one;
    check(booked.has(id), `return/${id}: it has no record at the OMS`);
    check(
      dropOff === 'carrier' || !warehouses.has(locationId),
      `return/${id}: the customer brings the goods to ${locationId}, which is not a store`,
    );
  }
  for (const booking of bookings) checkBooking(world, { booking, found: found.get(booking.id) }, check);
  checkRefunds(world, bookings, found, check);
  const byOrder = grouped(bookings, ({ orderId }) => orderId);
  for (const order of world.of<Order>('order')) checkUnits(order, byOrder.get(order.id) ?? [], check);
  checkUnitsOnTheWay(world, bookings, check);
  checkReturnedStock(world, [...found.values()], check);
  return result();
}

/** Returned and announced units of a line, and their worth, must not exceed its delivered units and its total. */
function checkUnits({ id, state, lines }: Order, bookings: readonly ReturnBooking[], check: Check): void {
  for (const { lineId, qty, fulfilledQty, cancelledQty, returnedQty, tax, taxRate, lineTotal } of lines) {
    // The customer keeps as many units as come back for a replacement.
    const booked = bookings.flatMap((one) =>
      one.replacementId !== undefined
        ? []
        : one.lines.filter(({ orderLineId }) => orderLineId === lineId).map((line) => ({ ...line, one })),
    );
    const units = (which: (one: ReturnBooking) => boolean): number =>
      booked.filter(({ one }) => which(one)).reduce((sum, line) => sum + line.qty, 0);
    const back = units(({ status }) => status === 'refunded' || status === 'exchanged');
    const announced = units(isOpen);
    const name = `order/${id} ${lineId}`;
    check(back === returnedQty, `${name}: ${returnedQty} returned, and its returns count ${back}`);
    check(back + announced <= fulfilledQty, `${name}: ${back} returned and ${announced} announced of ${fulfilledQty} delivered`);
    const worth = floorShare(lineTotal.amount, cancelledQty, qty) + booked.reduce((sum, { amount }) => sum + amount, 0);
    check(worth <= lineTotal.amount, `${name}: its returns and what was cancelled are worth ${worth} of ${lineTotal.amount}`);
    if (back + announced + cancelledQty === qty) {
      check(worth === lineTotal.amount, `${name}: all units are returned or cancelled, worth ${worth} of ${lineTotal.amount}`);
    }
    const taxed = floorShare(tax.amount, cancelledQty, qty) + booked.reduce((sum, line) => sum + (line.tax ?? 0), 0);
    const isAll = back + announced + cancelledQty === qty;
    check(
      taxRate === undefined || taxed === tax.amount || (!isAll && taxed < tax.amount),
      `${name}: the tax of its returns and of what was cancelled is ${taxed} of ${tax.amount}`,
    );
  }
  const open = bookings.filter(isOpen);
  const named = open.map((one) => `return/${one.id}`).join(', ') || 'none';
  if (open.length > 0 || state === 'return-in-progress') {
    check((state === 'return-in-progress') === open.length > 0, `order/${id}: ${state}, its open returns are ${named}`);
  }
}

/** The states of a return that fit the status of its booking. */
const fittingStates: Readonly<Record<ReturnBooking['status'], readonly Return['state'][]>> = {
  open: ['requested', 'approved', 'in-transit', 'received', 'inspected'],
  refunding: ['inspected', 'in-transit'],
  refunded: ['refunded'],
  exchanged: ['exchanged'],
  rejected: ['rejected'],
};

function checkBooking(
  { queued }: WorldRecords,
  { booking, found }: { readonly booking: ReturnBooking; readonly found: Return | undefined },
  check: Check,
): void {
  const { id, status, lines } = booking;
  const isPaying = (status === 'refunding' || status === 'refunded') && queued('fms', id, 'settle-return');
  const isBusy = isPaying || ['undo-return', 'finish-rejection', 'close-return'].some((kind) => queued('fms', id, kind));
  if (!found) {
    check(status === 'rejected' || isBusy, `return/${id}: ${status} at the OMS, and the FMS does not have it`);
    return;
  }
  check(fittingStates[status].includes(found.state) || isBusy, `return/${id}: ${found.state}, and ${status} at the OMS`);
  check(found.orderId === booking.orderId, `return/${id}: belongs to order/${found.orderId}, and is booked on order/${booking.orderId}`);
  const units = (one: { readonly orderLineId: string; readonly qty: number }): string => `${one.orderLineId} × ${one.qty}`;
  check(
    found.lines.map(units).join() === lines.map(units).join(),
    `return/${id}: ${found.lines.map(units)}, booked are ${lines.map(units)}`,
  );
  const worth = lines.reduce((sum, { amount }) => sum + amount, 0);
  if (status !== 'rejected')
    check(found.refundAmount.amount === worth, `return/${id}: worth ${found.refundAmount.amount}, booked is ${worth}`);
  const tax = lines.reduce((sum, line) => sum + (line.tax ?? 0), 0);
  const { refundTax } = found;
  if (status !== 'rejected')
    check(
      (refundTax?.amount ?? 0) === tax && tax <= worth,
      `return/${id}: a tax of ${refundTax?.amount ?? 0} of ${worth}, booked is ${tax}`,
    );
}

/** Refunds and exchange credits of a return must belong to its order, and must not exceed its worth. */
function checkRefunds(
  { of, queued, counters }: WorldRecords,
  bookings: readonly ReturnBooking[],
  found: ReadonlyMap<string, Return>,
  check: Check,
): void {
  const payments = of<Payment>('payment');
  const refunds = payments.flatMap((payment) => payment.refunds.map((refund) => ({ ...refund, orderId: payment.orderId })));
  const made = refunds.filter((refund) => !hasFailed(refund));
  const returnOf = ({ returnId = '' }: { readonly returnId?: string }): string => returnId;
  const paid = sums(made, returnOf, ({ amount }) => amount.amount);
  const credits = payments.filter(({ tender }) => tender.type === 'exchange-credit');
  const credited = sums(credits, returnOf, netCommitment);
  const ofReturns = refunds.filter(({ returnId }) => returnId !== undefined);
  const orderOf = new Map(bookings.map(({ id, orderId }) => [id, orderId]));
  for (const { returnId = '', orderId, state } of ofReturns) {
    const isRejected = found.get(returnId)?.state === 'rejected';
    check(!isRejected, `return/${returnId}: rejected, and it has a refund that is ${state}`);
    check(
      orderOf.get(returnId) === orderId,
      `return/${returnId}: a payment of order/${orderId} was refunded for it, and the return belongs to another order`,
    );
  }
  const exchanges = new Map(of<Order>('order').map(({ id, exchangeForReturnId }) => [id, exchangeForReturnId]));
  for (const { id, returnId, orderId } of credits) {
    check(orderOf.has(returnId ?? ''), `payment/${id}: a credit of return/${returnId}, which has no record at the OMS`);
    check(
      exchanges.get(orderId) === returnId,
      `payment/${id}: a credit of return/${returnId} pays order/${orderId}, which is not its exchange order`,
    );
  }
  for (const [id, { used = 0 }] of Object.entries(counters('payment-hub', 'return-covers'))) {
    const [back, credit] = [paid.get(id) ?? 0, credited.get(id) ?? 0];
    check(used === back + credit, `return/${id}: ${used} count as used, and ${back} were refunded and ${credit} credited`);
  }
  const kept = sums(
    payments,
    ({ orderId }) => orderId,
    ({ capturedAmount, refundedAmount }) => capturedAmount.amount - refundedAmount.amount,
  );
  const lost = sums(
    payments,
    ({ orderId }) => orderId,
    ({ disputes }) => lostIn(disputes),
  );
  const exchanged = sums(credits, ({ returnId = '' }) => orderOf.get(returnId) ?? '', netCommitment);
  for (const [orderId, { exchanged: counted = 0 }] of Object.entries(counters('payment-hub', 'order-covers'))) {
    const credit = exchanged.get(orderId) ?? 0;
    check(counted === credit, `order/${orderId}: ${counted} count as exchanged, and the credits of its returns hold ${credit}`);
  }
  for (const [orderId, credit] of exchanged) {
    const keeps = kept.get(orderId) ?? 0;
    check(credit === 0 || credit <= keeps, `order/${orderId}: the credits of its returns hold ${credit}, and its payments keep ${keeps}`);
  }
  const missing = ({ id, refundAmount }: Return): number => refundAmount.amount - (paid.get(id) ?? 0) - (credited.get(id) ?? 0);
  // Money that becomes free for a return whose refund has failed belongs to this return. A lost dispute has ended the others before.
  const failed = [...found.values()].filter(({ state, refunds: noted }) => state !== 'refunded' && noted.some(hasFailed));
  const waiting = sums(failed, ({ orderId }) => orderId, missing);
  for (const { id, refundAmount, state, refunds: noted, orderId } of found.values()) {
    const back = paid.get(id) ?? 0;
    const credit = credited.get(id) ?? 0;
    const worth = refundAmount.amount;
    check(back + credit <= worth, `return/${id}: ${back} refunded and ${credit} credited of ${worth}`);
    const committed = committedOf(noted);
    check(
      committed === back || queued('fms', id),
      `return/${id}: its refunds add up to ${committed}, and the Payment Hub refunded ${back} for it`,
    );
    const taken = (lost.get(orderId) ?? 0) + (exchanged.get(orderId) ?? 0) + (waiting.get(orderId) ?? 0);
    const left = Math.max(0, (kept.get(orderId) ?? 0) - taken);
    if (state === 'refunded') {
      const received = succeededOf(noted);
      check(received === committed || queued('fms', id), `return/${id}: refunded, and ${committed - received} of its refunds are pending`);
      check(
        back + credit === worth || left === 0,
        `return/${id}: refunded, and ${back} of ${worth} were refunded for it, although ${left} more could be`,
      );
    }
  }
}

/** Inspected units are on hand again or counted as scrapped; units that went back to the customer are neither. */
function checkReturnedStock({ of, counters, queued }: WorldRecords, all: readonly Return[], check: Check): void {
  const moved = counters('inventory-service', 'units-moved');
  const settled = all.filter(({ id }) => !queued('fms', id));
  const busy = new Set(
    all.filter((one) => !settled.includes(one)).flatMap(({ lines, locationId }) => lines.map(({ sku }) => keyOf({ sku, locationId }))),
  );
  const unitsOf = (disposition: 'restock' | 'scrap') =>
    settled
      .filter(({ state }) => state !== 'rejected' || disposition === 'scrap')
      .flatMap(({ lines, locationId }) =>
        lines.filter((line) => line.disposition === disposition).map(({ sku, qty }) => ({ sku, qty, locationId })),
      );
  const sender = of<FulfillmentOrder>('fulfillment-order').filter(isBackAtSender);
  for (const one of sender.filter(({ id }) => queued('fms', id))) {
    for (const { sku } of one.lines) busy.add(keyOf({ sku, locationId: backAt(one) }));
  }
  const undelivered = sender.flatMap((one) => one.lines.map(({ sku, pickedQty }) => ({ sku, locationId: backAt(one), qty: pickedQty })));
  for (const [counter, units] of [
    ['returned', [...unitsOf('restock'), ...undelivered]],
    ['scrapped', unitsOf('scrap')],
  ] as const) {
    const expected = sums(units, keyOf, ({ qty }) => qty);
    for (const key of new Set([...expected.keys(), ...Object.keys(moved)])) {
      const counted = moved[key]?.[counter] ?? 0;
      check(
        busy.has(key) || counted === (expected.get(key) ?? 0),
        `stock/${key}: ${counted} ${counter}, and returns and failed deliveries brought ${expected.get(key) ?? 0} back`,
      );
    }
  }
}

/** States of a parcel before the carrier has it. */
const BEFORE_HAND_OVER: ReadonlySet<string> = new Set(['pending', 'label-created']);

/**
 * Units sold, returned and on the way must agree per order line. A unit in a returned parcel is not with the customer, so it is in one
 * return, which must not be rejected, and which receives the parcel when it arrives.
 */
function checkUnitsOnTheWay(world: WorldRecords, bookings: readonly ReturnBooking[], check: Check): void {
  const shipments = new Map(world.of<Shipment>('shipment').map((shipment) => [shipment.id, shipment]));
  const returned = new Set(bookings.flatMap(({ id, status }) => (status === 'refunded' || status === 'exchanged' ? [id] : [])));
  const gone = new Map<string, number>();
  for (const found of world.of<Return>('return')) {
    const { id, state, orderId, lines, rejecting } = found;
    const parcel = parcelWithGoods(found, shipments);
    if (parcel) {
      check(state !== 'rejected', `return/${id}: rejected, and its goods are in shipment/${parcel.id}, which is ${parcel.state}`);
      const isWaiting = rejecting === undefined && found.writtenOffAt === undefined && (state === 'approved' || state === 'in-transit');
      check(!isWaiting || parcel.state !== 'delivered', `return/${id}: ${state}, and its shipment/${parcel.id} is delivered`);
    }
    if (found.replacementId !== undefined || (!parcel && !returned.has(id))) continue;
    for (const { orderLineId, qty } of lines) gone.set(`${orderId} ${orderLineId}`, (gone.get(`${orderId} ${orderLineId}`) ?? 0) + qty);
  }
  for (const { id, lines } of world.of<Order>('order')) {
    for (const { lineId, fulfilledQty } of lines) {
      const units = gone.get(`${id} ${lineId}`) ?? 0;
      check(units <= fulfilledQty, `order/${id} ${lineId}: ${units} returned or on their way back, and ${fulfilledQty} delivered`);
    }
  }
}

/** The parcel with the goods of a return; undefined while they are with the customer, or after their inspection. */
function parcelWithGoods({ shipments, lines }: Return, known: ReadonlyMap<string, Shipment>): Return['shipments'][number] | undefined {
  const parcel = shipments.at(-1);
  if (!parcel || BEFORE_HAND_OVER.has(parcel.state) || parcel.state === 'returned-to-sender') return undefined;
  if (lines.some(({ disposition }) => disposition !== undefined)) return undefined;
  const wasHandedOver = known.get(parcel.id)?.events.some(({ status }) => status !== 'label-created' && status !== 'lost') === true;
  return parcel.state === 'lost' && !wasHandedOver ? undefined : parcel;
}
