import type { z } from 'zod';
import type { Payable } from '../../../shared/catalog/order/objects.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { payableReturns, returnCovers } from '../collections.ts';

export interface LeftOfReturn {
  readonly returnId: string;
  /** Minor units that neither refunds nor exchange credits have used. */
  readonly left: number;
}

/**
 * Brings the counter `worth` up to date with the return, so that the guard compares it with `used` atomically. Of several concurrent
 * first calls, all but one are retried.
 * @throws Problem `not_found` for a return that the order does not list
 */
export async function syncReturnCover(work: UnitOfWork, { returns }: z.output<typeof Payable>, returnId: string): Promise<LeftOfReturn> {
  const listed = returns?.find((one) => one.returnId === returnId);
  if (!listed) throw notFound('return', returnId);
  const [cover] = await work.counters(returnCovers, [returnId]);
  const used = cover?.used ?? 0;
  const known = await work.get(payableReturns, returnId);
  // A return may lose value after it was paid back. Then nothing is left of it.
  const worth = Math.max(listed.refundAmount.amount, used);
  if (known?.worth !== worth) {
    work.put(payableReturns, { id: returnId, worth });
    work.move(returnCovers, returnId, { worth: worth - (known?.worth ?? 0) });
  }
  return { returnId, left: Math.max(0, listed.refundAmount.amount - used) };
}
