import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { OrderLine } from '../../../services/oms/lines.ts';
import { type ReturnBooking, returnableOf, valueOfReturned } from '../../../services/oms/return-bookings.ts';
import { eur } from '../../support/steps/tender.ts';

const PRICED = { unitPrice: eur(0), discount: eur(0), tax: eur(0) };
const lineOf = (lineTotal: number, qty: number, cancelledQty = 0): OrderLine => {
  const counters = { cancelledQty, fulfilledQty: qty - cancelledQty, returnedQty: 0 };
  return { lineId: 'line-1', sku: 'mug-blue', qty, ...counters, ...PRICED, lineTotal: eur(lineTotal) };
};

type Booking = Pick<ReturnBooking, 'lines' | 'status'>;
const booking = (qty: number, amount: number, status: Booking['status'] = 'open'): Booking => ({
  status,
  lines: [{ orderLineId: 'line-1', qty, amount }],
});

test('Returned units are worth their share rounded down, less the value of units returned earlier', () => {
  const line = lineOf(1_000, 3);
  expect(valueOfReturned(line, 1, [])).toBe(333);
  expect(valueOfReturned(line, 1, [booking(1, 333)])).toBe(333);
  expect(valueOfReturned(line, 1, [booking(1, 333), booking(1, 333, 'refunded')])).toBe(334);
  expect(valueOfReturned(line, 3, [])).toBe(1_000);
});

test('Returned units are worth the rest of the value of the line when other units were cancelled earlier', () => {
  const line = lineOf(1_000, 3, 1);
  expect(valueOfReturned(line, 2, [])).toBe(667);
  expect(returnableOf(line, [])).toBe(2);
});

test('Units of a rejected return have the same value when they are returned again', () => {
  const line = lineOf(101, 2);
  const first = valueOfReturned(line, 1, []);
  const second = valueOfReturned(line, 1, [booking(1, first)]);
  expect([first, second]).toEqual([50, 51]);
  const left = [booking(1, 0, 'rejected'), booking(1, second, 'refunded')];
  expect([returnableOf(line, left), valueOfReturned(line, 1, left)]).toEqual([1, 50]);
});

test('The values of returned units add up to the line without a cent too much or too little, in any sequence of returns and rejections', () => {
  const step = fc.record({ units: fc.integer({ min: 1, max: 5 }), ends: fc.constantFrom('open', 'refunded', 'exchanged', 'rejected') });
  const line = fc
    .record({ total: fc.integer({ min: 0, max: 5_000 }), qty: fc.integer({ min: 1, max: 12 }), cancelled: fc.nat(12) })
    .map(({ total, qty, cancelled }) => lineOf(total, qty, Math.min(cancelled, qty - 1)));
  fc.assert(
    fc.property(line, fc.array(step, { maxLength: 12 }), (one, steps) => {
      const bookings: Booking[] = [];
      const cancelled = Math.floor((one.lineTotal.amount * one.cancelledQty) / one.qty);
      const booked = () => bookings.flatMap(({ lines }) => lines).reduce((sum, { amount }) => sum + amount, 0);
      for (const { units, ends } of steps) {
        const qty = Math.min(units, returnableOf(one, bookings));
        if (qty === 0) continue;
        const amount = valueOfReturned(one, qty, bookings);
        expect(amount).toBeGreaterThanOrEqual(0);
        bookings.push(booking(qty, ends === 'rejected' ? 0 : amount, ends as Booking['status']));
        expect(cancelled + booked()).toBeLessThanOrEqual(one.lineTotal.amount);
      }
      const rest = returnableOf(one, bookings);
      if (rest > 0) bookings.push(booking(rest, valueOfReturned(one, rest, bookings)));
      expect(cancelled + booked()).toBe(one.lineTotal.amount);
    }),
    { numRuns: 2_000 },
  );
});
