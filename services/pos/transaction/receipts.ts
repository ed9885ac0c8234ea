import type { z } from 'zod';
import type { Receipt } from '../../../shared/catalog/commerce/transaction.ts';
import { money } from '../../../shared/domain/money.ts';
import { instant } from '../../../shared/domain/time.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Sale, saleNumbers } from '../collections.ts';
import { coveredBy } from './coverage.ts';

/** Issues the next number of the lane and day. Of two concurrent sales, one is retried and gets the following number. */
export async function issueReceipt(work: UnitOfWork, { storeId, laneId }: Sale): Promise<NonNullable<Sale['receipt']>> {
  const issuedAt = instant(work.now);
  const day = issuedAt.slice(0, 10).replaceAll('-', '');
  const id = `${storeId}.${laneId}.${day}`;
  const { issued } = work.put(saleNumbers, { id, issued: ((await work.get(saleNumbers, id))?.issued ?? 0) + 1 });
  return { number: `${storeId}-${laneId}-${day}-${String(issued).padStart(4, '0')}`, issuedAt };
}

/** @returns undefined while the transaction is open */
export function receiptOf({ state, basket, tenders, receipt }: Sale): z.output<typeof Receipt> | undefined {
  if (!receipt || state === 'open') return undefined;
  return {
    ...receipt,
    lines: basket.lines.map(({ sku, qty, unitPrice, discount, lineTotal }) => ({ sku, qty, unitPrice, discount, lineTotal })),
    tenders: tenders
      .filter((listed) => coveredBy(listed) > 0)
      .map((listed) => ({
        paymentId: listed.id,
        type: listed.tender.type,
        last4: listed.tender.last4,
        amount: money(coveredBy(listed), listed.amount.currency),
      })),
    totals: basket.totals,
  };
}
