import { mintedAt } from '../../shared/domain/ids.ts';
import { localDay } from '../../shared/domain/local-day.ts';
import { orderNumberOf } from '../../shared/domain/order-number.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { orders } from './collections.ts';

/** A till prints the number at the checkout, perhaps days earlier, so the number carries the day of the checkout. */
export async function findFreeNumber(
  work: UnitOfWork,
  { orderId, transactionId }: { readonly orderId: string; readonly transactionId?: string },
): Promise<string> {
  const day = localDay(transactionId === undefined ? work.now : mintedAt(orderId), work.figures.timeZone);
  for (let attempt = 0; ; attempt++) {
    const number = orderNumberOf(orderId, day, attempt);
    if (!(await work.findUnique(orders, 'number', number))) return number;
  }
}
