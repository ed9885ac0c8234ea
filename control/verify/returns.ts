import type { z } from 'zod';
import type { Order as OrderSchema } from '../../shared/catalog/order/objects.ts';
import { floorShare } from '../../shared/domain/money.ts';
import { type Check, findings, grouped, type InvariantResult } from './invariant.ts';
import { bookingsIn } from './return-actors.ts';
import { checkRefunds } from './return-refunds.ts';
import { checkReturnedStock } from './returned-stock.ts';
import type { Return, ReturnBooking } from './stored-records.ts';
import { checkUnitsOnTheWay } from './units-on-the-way.ts';
import type { WorldRecords } from './world-records.ts';

type Order = z.output<typeof OrderSchema>;
/** A location as the FMS stores it. */
interface Node {
  readonly id: string;
  readonly isStore: boolean;
}

const isOpen = ({ status }: ReturnBooking): boolean => status === 'open' || status === 'refunding';

/** FMS, OMS, Payment Hub and Inventory Service must agree on each return. */
export function returns(world: WorldRecords): InvariantResult {
  const { check, result } = findings(
    'returns',
    'No unit is returned twice, before its delivery or while a parcel has it, no refund exceeds what the unit cost, and returned stock is counted',
  );
  const bookings = bookingsIn(world);
  const found = new Map(world.of<Return>('return').map((one) => [one.id, one]));
  const booked = new Set(bookings.map(({ id }) => id));
  const warehouses = new Set(world.records<Node>('fms', 'nodes').flatMap(({ id, isStore }) => (isStore ? [] : [id])));
  for (const one of found.values()) {
    const { id, dropOff, locationId } = one;
    check(booked.has(id), `return/${id}: it has no record at the OMS`);
    check(dropOff === 'carrier' || !warehouses.has(locationId), `return/${id}: is returned at a store, and ${locationId} is not a store`);
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
  for (const { lineId, qty, fulfilledQty, cancelledQty, returnedQty, lineTotal } of lines) {
    const booked = bookings.flatMap((one) =>
      one.lines.filter(({ orderLineId }) => orderLineId === lineId).map((line) => ({ ...line, one })),
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
