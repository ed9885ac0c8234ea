import { voidTransaction as voidTransactionApi } from '../../../shared/catalog/commerce/apis.ts';
import { again, handle, type Scope } from '../../../shared/work/handler.ts';
import { refuseOtherContent } from '../../../shared/work/repeats.ts';
import type { Sale } from '../collections.ts';
import { undoSaleDue } from '../due-work.ts';
import { compensate } from '../sale/compensation.ts';
import { refuseWhileBusy, settleUnknown } from '../tender/tenders.ts';
import { FIRST_RETRY_MS } from '../timing.ts';
import { markPaid, markVoided } from '../transaction/outcome.ts';
import { awaitingApproval, nothingOutstanding, transactionNotOpen } from '../transaction/refusals.ts';
import { isCovered, outstandingOf, saleById } from '../transaction/transactions.ts';
import { orderView } from '../transaction/views.ts';

/** Commits `voided` first, so that no tender can be added while the others are given back. */
export const voidTransaction = handle(voidTransactionApi)(async ({ params, body }, scope) => {
  const { work } = scope;
  const found = await saleById(work, params.id);
  if (found.state === 'voided') {
    const { id, voidReason: reason } = found;
    refuseOtherContent({ reason: body.reason }, { reason }, { objectType: 'transaction', id, what: 'was voided' });
    return again(orderView(found));
  }
  if (found.state !== 'open') throw transactionNotOpen(found, 'void');
  refuseWhileBusy(scope, found, 'void');
  const sale = await settleUnknown(scope, found);
  if (isCovered(sale)) return nothingOutstanding(await markPaid(work, sale));
  if (outstandingOf(sale).amount === 0) return awaitingApproval(sale, 'void');
  const voided = markVoided(work, sale, body.reason);
  await work.checkpoint();
  return orderView(await compensateNow(scope, voided));
});

/** Releases tenders and basket as far as the other applications answer. An application that is down delays the rest, but not the reply. */
async function compensateNow(scope: Scope, sale: Sale): Promise<Sale> {
  const { sale: compensated, problem } = await compensate(scope, sale);
  if (problem) {
    scope.log.warn({ err: problem, transactionId: sale.id }, 'compensation of the voided transaction failed; it is repeated later');
    scope.work.schedule(undoSaleDue, sale.id, scope.work.now + FIRST_RETRY_MS, null);
  }
  return compensated;
}
