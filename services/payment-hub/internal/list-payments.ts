import { listPayments as listPaymentsCall } from '../../../shared/catalog/payment/internal.ts';
import { handle } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { payments, published, type StoredPayment } from '../collections.ts';

export const listPayments = handle(listPaymentsCall)(async ({ query }, { work }) => ({
  items: (await listAll(work, query.orderId)).map(published),
}));

/** Every page, in order of creation: callers compare the sum with a total. */
async function listAll(work: UnitOfWork, orderId: string): Promise<StoredPayment[]> {
  const found: StoredPayment[] = [];
  let cursor: string | undefined;
  do {
    const page = await work.find(payments, 'order', orderId, { cursor });
    found.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}
