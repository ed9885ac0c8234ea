import { valueOfUnits } from '../order/line-value.ts';
import type { OrderLine } from '../order/lines.ts';
import type { ReturnBooking } from './bookings.ts';

type Bookings = readonly Pick<ReturnBooking, 'lines' | 'status'>[];

interface BookedOn {
  /** Units in returns that are not rejected. */
  readonly units: number;
  /** Minor units booked for them, and refunded for rejected returns. */
  readonly amount: number;
}

function bookedOn(lineId: string, bookings: Bookings): BookedOn {
  let units = 0;
  let amount = 0;
  for (const { lines, status } of bookings) {
    for (const line of lines.filter(({ orderLineId }) => orderLineId === lineId)) {
      if (status !== 'rejected') units += line.qty;
      amount += line.amount;
    }
  }
  return { units, amount };
}

/** Units of a line that the customer has and that are in no return. */
export const returnableOf = (line: OrderLine, bookings: Bookings): number => line.fulfilledQty - bookedOn(line.lineId, bookings).units;

/**
 * Value in minor units of the next `units` of a line: the floor of the share of all units gone by then, less the amounts booked for
 * those before. However a line is split into returns, they add up to its value exactly.
 */
export function valueOfReturned(line: OrderLine, units: number, bookings: Bookings): number {
  const before = bookedOn(line.lineId, bookings);
  const gone = line.cancelledQty + before.units + units;
  return Math.max(0, valueOfUnits(line, gone) - valueOfUnits(line, line.cancelledQty) - before.amount);
}

/** Reduces a rejected return to the minor units refunded for it nevertheless, spread over its lines from the first. */
export function onlyPaidBack(lines: ReturnBooking['lines'], paidBack: number): ReturnBooking['lines'] {
  let left = paidBack;
  return lines.map((line) => {
    const amount = Math.min(left, line.amount);
    left -= amount;
    return { ...line, amount };
  });
}
