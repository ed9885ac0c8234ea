import type { z } from 'zod';
import type { Payable } from '../../shared/catalog/order/objects.ts';
import type { UnitOfWork } from '../../shared/store/unit-of-work.ts';
import { orderCovers, payableOrders } from './collections.ts';

/**
 * What the payments of an order promise together, in minor units. The order's total is noted beside it on the first payment, so
 * that the guard can compare the two in one step; of several first payments at once all but one run again.
 */
export async function committedTo(work: UnitOfWork, { orderId, total }: z.output<typeof Payable>): Promise<number> {
  const known = await work.get(payableOrders, orderId);
  if (known?.total.amount !== total.amount) {
    work.put(payableOrders, { id: orderId, total });
    work.move(orderCovers, orderId, { payable: total.amount - (known?.total.amount ?? 0) });
  }
  const [cover] = await work.counters(orderCovers, [orderId]);
  return cover?.committed ?? 0;
}
