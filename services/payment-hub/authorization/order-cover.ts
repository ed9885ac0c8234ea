import type { z } from 'zod';
import type { Payable } from '../../../shared/catalog/order/objects.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { orderCovers, payableOrders } from '../collections.ts';
import { requiredFor } from './payable-rules.ts';

/**
 * What the payments of an order promise together, in minor units. What the order costs is noted beside it, so that the guard can compare
 * the two in one step; of several first payments at once all but one run again.
 */
export async function committedTo(work: UnitOfWork, order: z.output<typeof Payable>): Promise<number> {
  const { orderId: id } = order;
  const known = await work.get(payableOrders, id);
  const [cover] = await work.counters(orderCovers, [id]);
  const committed = cover?.committed ?? 0;
  // Of units that are cancelled nothing may be paid any more, and what was paid for them goes back only later.
  const payable = Math.max(requiredFor(order), committed);
  if (known?.payable !== payable) {
    work.put(payableOrders, { id, payable });
    work.move(orderCovers, id, { payable: payable - (known?.payable ?? 0) });
  }
  return committed;
}
