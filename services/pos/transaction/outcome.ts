import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import type { Sale } from '../collections.ts';
import { captureTendersDue, expireTransactionDue, resolveTenderDue, submitOrderDue, undoSaleDue } from '../due-work.ts';
import { CAPTURE_AT_TILL_MS } from '../timing.ts';
import { issueReceipt } from './receipts.ts';
import { save } from './transactions.ts';

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
  return save(work, sale, {
    state: 'voided',
    compensation: 'pending',
    pending: undefined,
    voidReason: reason,
  });
}
