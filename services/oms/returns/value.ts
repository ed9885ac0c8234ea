import { valueOfUnits } from '../order/line-value.ts';
import type { OrderLine } from '../order/lines.ts';
import type { ReturnBooking } from './bookings.ts';

type Bookings = readonly Pick<ReturnBooking, 'lines' | 'status'>[];

interface BookedOn {
  /** Units in returns that were not rejected. */
  readonly units: number;
  /** Minor units booked for them, and what was paid back for units that were rejected afterwards. */
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

/** Units of a line that are with the customer and in no return. */
export const returnableOf = (line: OrderLine, bookings: Bookings): number => line.fulfilledQty - bookedOn(line.lineId, bookings).units;

/**
 * Minor units that `units` more of a line are worth: all that are gone then are worth the floor of their share of the line, less what
 * was booked for those before. So however a line comes back, in whatever parts, all of it is worth the line to the cent.
 */
export function valueOfReturned(line: OrderLine, units: number, bookings: Bookings): number {
  const before = bookedOn(line.lineId, bookings);
  const gone = line.cancelledQty + before.units + units;
  return Math.max(0, valueOfUnits(line, gone) - valueOfUnits(line, line.cancelledQty) - before.amount);
}

/** A rejected return is worth nothing more than what was paid back for it all the same, spread over its lines from the first. */
export function onlyPaidBack(lines: ReturnBooking['lines'], paidBack: number): ReturnBooking['lines'] {
  let left = paidBack;
  return lines.map((line) => {
    const amount = Math.min(left, line.amount);
    left -= amount;
    return { ...line, amount };
  });
}
