import { expect, test } from '@jest/globals';
import { orders, type StoredOrder } from '../../services/oms/collections.ts';
import { bookReturn } from '../../services/oms/internal/book-return.ts';
import { bookingsOf } from '../../services/oms/returns/bookings.ts';
import * as oms from '../../services/oms/service.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { startInside } from '../support/inside.ts';
import { eur } from '../support/steps/tender.ts';

const AT = '2026-03-01T10:00:00.000Z';

/** Three delivered mugs. */
const delivered = {
  ...{ id: 'ord_1', orderNumber: '1', channel: 'web', basketId: 'bsk_1', voucherCodes: [], holdAttempts: 0 },
  ...{ validatedAt: AT, completedAt: AT },
  lines: [
    {
      ...{ lineId: 'line-1', sku: 'mug-blue', qty: 3, fulfilledQty: 3, returnedQty: 0, cancelledQty: 0 },
      ...{ unitPrice: eur(1299), discount: eur(0), tax: eur(0), lineTotal: eur(3897) },
    },
  ],
  totals: { subtotal: eur(3897), discount: eur(0), shipping: eur(0), tax: eur(0), total: eur(3897) },
} satisfies Partial<StoredOrder>;

/** The handler as the pipeline runs it, on a unit of work of the test. */
const book = (returnId: string, qty: number) => (work: UnitOfWork) => {
  const lines = [{ orderLineId: 'line-1', qty }];
  const input = { params: { id: 'ord_1' }, query: {}, body: { returnId, lines, byParcel: false, locationNamed: true } };
  return bookReturn.handler(input as never, { work } as Scope);
};

test.each([0, 1])('Of two concurrent returns of the same units, beside %i others, one commits', async (before) => {
  await using inside = await startInside(oms);
  await inside.commitAs('oms', async (work) => {
    let order = work.create(orders, 'create', delivered);
    for (const verb of ['confirm', 'begin-fulfilment', 'complete'] as const) order = work.transition(orders, order, verb);
  });
  if (before > 0) await inside.commitAs('oms', book('ret_0', before));
  const outcomes = await inside.overlapping('oms', book('ret_1', 2), book('ret_2', 2));
  expect(outcomes.filter((outcome) => outcome === 'committed')).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome.includes('ord_1'))).toHaveLength(1);
  // Run again, the other one finds the booking.
  await expect(inside.commitAs('oms', book('ret_3', 2))).rejects.toMatchObject({ code: 'return_quantity_exceeded' });
  const units = await inside.commitAs('oms', async (work) => (await bookingsOf(work, 'ord_1')).flatMap(({ lines }) => lines));
  expect(units.reduce((sum, { qty }) => sum + qty, 0)).toBe(2 + before);
});
