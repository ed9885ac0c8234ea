import type { z } from 'zod';
import type { Receipt } from '../../../shared/catalog/commerce/transaction.ts';
import { money } from '../../../shared/domain/money.ts';
import { instant } from '../../../shared/domain/time.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Sale, saleNumbers } from '../collections.ts';
import { captureTendersDue, expireTransactionDue, resolveTenderDue, submitOrderDue, undoSaleDue } from '../due-work.ts';
import { CAPTURE_AT_TILL_MS } from '../timing.ts';
import { coveredBy, save } from './transactions.ts';

/**
 * Ends the payment of a covered transaction, and schedules its submission. The sale is open again only if the OMS finds that money is
 * missing. When it is paid again, it keeps its receipt number.
 */
export async function markPaid(work: UnitOfWork, sale: Sale): Promise<Sale> {
  work.cancel(expireTransactionDue, sale.id);
  work.cancel(resolveTenderDue, sale.id);
  work.schedule(submitOrderDue, sale.id, work.now, null, { beforeReply: true });
  work.schedule(captureTendersDue, sale.id, work.now + CAPTURE_AT_TILL_MS, null);
  return save(work, sale, { state: 'paid', pending: undefined, receipt: sale.receipt ?? (await issueReceipt(work, sale)) });
}

/** Ends a transaction, and schedules that its tenders and its basket are given back. Nothing is paid for it from then on. */
export function markVoided(work: UnitOfWork, sale: Sale, reason: string | undefined): Sale {
  work.cancel(expireTransactionDue, sale.id);
  work.cancel(resolveTenderDue, sale.id);
  work.schedule(undoSaleDue, sale.id, work.now, null, { beforeReply: true });
  return save(work, sale, { state: 'voided', compensation: 'pending', pending: undefined, voidReason: reason });
}

/** Issues the next receipt number of the lane and day. Of two concurrent sales, one is retried and gets the following number. */
async function issueReceipt(work: UnitOfWork, { storeId, laneId }: Sale): Promise<NonNullable<Sale['receipt']>> {
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
