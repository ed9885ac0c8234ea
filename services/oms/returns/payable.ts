import type { z } from 'zod';
import type { Payable } from '../../../shared/catalog/order/objects.ts';
import { money } from '../../../shared/domain/money.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import type { StoredOrder } from '../collections.ts';
import { requiredFor } from '../order/lines.ts';
import { bookingsOf, returnValueOf } from './bookings.ts';

/** Amounts that may be paid for an order and refunded for its returns. */
export async function payableOf(work: UnitOfWork, order: StoredOrder): Promise<z.output<typeof Payable>> {
  const { id, channel, state, totals, basketId, customerId, loyaltyAccountId } = order;
  const { currency } = totals.total;
  const bookings = await bookingsOf(work, id);
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
      returns: bookings.map((one) => ({
        returnId: one.id,
        refundAmount: money(one.status === 'rejected' ? 0 : returnValueOf(one), currency),
      })),
    }),
  };
}
