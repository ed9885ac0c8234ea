import { z } from 'zod';
import { returnLifeCycle } from '../../shared/catalog/fulfillment/returns.ts';
import { refusal } from '../../shared/catalog/life-cycle.ts';
import type { Payable } from '../../shared/catalog/order/objects.ts';
import { comingBackOf, withNobodyOf } from '../../shared/catalog/order/replaced.ts';
import type { Replacement } from '../../shared/catalog/order/replacements.ts';
import { requiredFor, valueOfUnits } from '../../shared/catalog/payment/cover.ts';
import type { Problem } from '../../shared/catalog/problems.ts';
import { Id, Instant, Quantity } from '../../shared/catalog/shapes.ts';
import { floorShare, money } from '../../shared/domain/money.ts';
import { allPages } from '../../shared/handlers/all-pages.ts';
import { defineCollection } from '../../shared/store/collections.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { type FulfillmentRecord, orders, type StoredOrder } from './collections.ts';
import type { OrderLine } from './lines.ts';

/** Booking of a return, by its id. Its units are in no other return until it is rejected. `refunding`: it can no longer pay for an order. */
const ReturnBooking = z.object({
  id: Id,
  version: z.int().min(0),
  orderId: Id,
  lines: z.array(
    z.object({
      orderLineId: Id,
      qty: Quantity,
      amount: z.int().min(0).describe('Value of these units in minor units.'),
      tax: z.int().min(0).optional().describe('Tax that was added to these units, contained in their value. Absent if prices include tax.'),
    }),
  ),
  status: z.enum(['open', 'refunding', 'refunded', 'exchanged', 'rejected']),
  /** The replacement that was sent for its units. They are worth nothing, and the customer keeps as many. */
  replacementId: Id.optional(),
  /** The one basket whose order is exchanged for the return. */
  exchangeBasketId: Id.optional(),
  /** When the Payment Hub announced the newest refund by a client. The refund may be in progress. */
  refundAnnouncedAt: Instant.optional(),
});
export type ReturnBooking = z.output<typeof ReturnBooking>;

export const returnBookings = defineCollection({
  name: 'return-bookings',
  schema: ReturnBooking,
  index: { order: ({ orderId }) => orderId },
});

/** All bookings of an order, oldest first. Units returned one by one may fill several pages. */
export const bookingsOf = (work: UnitOfWork, orderId: string): Promise<ReturnBooking[]> =>
  allPages((cursor) => work.find(returnBookings, 'order', orderId, { cursor }));

/** The returns of units that the customer refused at the counter and that are not booked yet. Until then the order counts them as delivered. */
export const toBookFirst = (record: Pick<FulfillmentRecord, 'seen'> | undefined, bookings: readonly ReturnBooking[]): string[] =>
  (record?.seen ?? [])
    .flatMap(({ refusedReturnId }) => refusedReturnId ?? [])
    .filter((id) => !bookings.some((booking) => booking.id === id));

export const bookedFirst = (orderId: string, returnId: string): string =>
  `The units of the order "${orderId}" that its customer refused at the counter become the return "${returnId}" first; repeat the request after that.`;

/** Value of a return in minor units. */
export const returnValueOf = ({ lines }: Pick<ReturnBooking, 'lines'>): number => lines.reduce((sum, { amount }) => sum + amount, 0);

/** Added tax in the value of a return, in minor units. Undefined if prices include tax. */
export function returnTaxOf({ lines }: Pick<ReturnBooking, 'lines'>): number | undefined {
  const taxes = lines.flatMap(({ tax }) => tax ?? []);
  return taxes.length === 0 ? undefined : taxes.reduce((sum, tax) => sum + tax, 0);
}

export const isOpen = ({ status }: Pick<ReturnBooking, 'status'>): boolean => status === 'open' || status === 'refunding';

type Bookings = readonly Pick<ReturnBooking, 'lines' | 'status' | 'replacementId'>[];

/**
 * Units of a line in returns that are not rejected, and minor units of value and tax booked for them. The amounts of rejected returns are 0.
 * @param replacementId the replacement that was sent for the units; undefined for units that the customer has given up
 */
function bookedOn(lineId: string, bookings: Bookings, replacementId?: string) {
  let units = 0;
  let amount = 0;
  let tax = 0;
  for (const { lines, status } of bookings.filter((one) => one.replacementId === replacementId)) {
    for (const line of lines.filter(({ orderLineId }) => orderLineId === lineId)) {
      if (status !== 'rejected') units += line.qty;
      amount += line.amount;
      tax += line.tax ?? 0;
    }
  }
  return { units, amount, tax };
}

/** Units of a line that the customer has and that are in no return. */
export const returnableOf = (line: OrderLine, bookings: Bookings): number => line.fulfilledQty - bookedOn(line.lineId, bookings).units;

const backFor = (lineId: string, bookings: Bookings) => (one: Replacement) => bookedOn(lineId, bookings, one.id).units;

/** Delivered units of a line that the customer has no longer, and whose replacement failed. */
export const withNobody = (lineId: string, replacements: readonly Replacement[] | undefined, bookings: Bookings): number =>
  withNobodyOf(lineId, replacements, backFor(lineId, bookings));

/** Units of a line that may come back for a replacement. */
export const comingBack = (replacement: Replacement, lineId: string, placed: readonly Replacement[], bookings: Bookings): number =>
  comingBackOf(replacement, lineId, placed, backFor(lineId, bookings));

/**
 * Value in minor units of the next `units` of a line: the floor of the share of all units gone by then, less the amounts already booked. So
 * the returns of a line add up to its value exactly, however it is split.
 */
export function valueOfReturned(line: OrderLine, units: number, bookings: Bookings): number {
  const before = bookedOn(line.lineId, bookings);
  const gone = line.cancelledQty + before.units + units;
  return Math.max(0, valueOfUnits(line, gone) - valueOfUnits(line, line.cancelledQty) - before.amount);
}

/** Tax in minor units that was added to the next `units` of a line, shared as their value is. Undefined if prices include tax. */
export function taxOfReturned(
  { lineId, tax, taxRate, qty, cancelledQty }: OrderLine,
  units: number,
  bookings: Bookings,
): number | undefined {
  if (taxRate === undefined) return undefined;
  const before = bookedOn(lineId, bookings);
  const gone = cancelledQty + before.units + units;
  return Math.max(0, floorShare(tax.amount, gone, qty) - floorShare(tax.amount, cancelledQty, qty) - before.tax);
}

/** Ends a booking whose units count as returned, as part of the last commit. */
export async function completeBooking(
  work: UnitOfWork,
  order: StoredOrder,
  { booking, as }: { booking: ReturnBooking; as: 'refunded' | 'exchanged' },
): Promise<ReturnBooking> {
  const unitsOf = new Map(booking.lines.map(({ orderLineId, qty }) => [orderLineId, qty]));
  // The customer keeps as many units of a replacement.
  const isReplaced = booking.replacementId !== undefined;
  const lines = order.lines.map((line) =>
    isReplaced ? line : { ...line, returnedQty: line.returnedQty + (unitsOf.get(line.lineId) ?? 0) },
  );
  const ended = work.put(returnBookings, { ...booking, status: as });
  await endReturn(work, order, { returnId: booking.id, lines });
  return ended;
}

/** Ends a booking whose units stay with the customer, in the last commit. They have their value when they are returned again. */
export async function rejectBooking(work: UnitOfWork, order: StoredOrder, booking: ReturnBooking): Promise<void> {
  work.put(returnBookings, {
    ...booking,
    status: 'rejected',
    lines: booking.lines.map((line) => ({ ...line, amount: 0, tax: line.tax && 0 })),
  });
  await endReturn(work, order, { returnId: booking.id, lines: order.lines });
}

/** When its last open return ends, the order is completed again. */
async function endReturn(
  work: UnitOfWork,
  order: StoredOrder,
  { returnId, lines }: { returnId: string; lines: StoredOrder['lines'] },
): Promise<void> {
  const others = (await bookingsOf(work, order.id)).some((one) => one.id !== returnId && isOpen(one));
  work.transition(orders, order, 'end-return', { lines }, others ? 'return-in-progress' : 'completed');
}

const states = { open: 'inspected', refunding: 'inspected', refunded: 'refunded', exchanged: 'exchanged', rejected: 'rejected' } as const;

/** The 409 for a return that was closed in another way. */
export const closedOtherwise = ({ id, status }: ReturnBooking, action: 'refund' | 'reject' | 'exchange', why: string): Problem =>
  refusal(returnLifeCycle, { id, state: states[status] }, action, `The return "${id}" ${why}.`);

/** Amounts that may be paid for an order and refunded for its returns. */
export function payableOf(order: StoredOrder, bookings: readonly ReturnBooking[]): z.output<typeof Payable> {
  const { id, channel, state, totals, basketId, customerId, loyaltyAccountId } = order;
  const { currency } = totals.total;
  return {
    orderId: id,
    channel,
    state,
    total: totals.total,
    required: money(requiredFor(order), currency),
    basketId,
    customerId,
    loyaltyAccountId,
    ...(bookings.length > 0 && {
      // A rejected return is listed with the value 0.
      returns: bookings.map((one) => ({ returnId: one.id, refundAmount: money(returnValueOf(one), currency) })),
    }),
  };
}
