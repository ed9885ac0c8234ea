import { voidTransaction as voidTransactionApi } from '../../../shared/catalog/commerce/apis.ts';
import { again, handle, type Scope } from '../../../shared/work/handler.ts';
import { refuseOtherContent } from '../../../shared/work/repeats.ts';
import type { Sale } from '../collections.ts';
import { undoSale } from '../due-work.ts';
import { markPaid } from '../sale/submission.ts';
import { compensate, markVoided } from '../sale/compensation.ts';
import { isCovered, outstandingOf } from '../tender/listed-tenders.ts';
import { refuseWhileBusy, settleUnknown } from '../tender/tenders.ts';
import { AGAIN_MS } from '../timing.ts';
import { orderView } from '../transaction/views.ts';
import { awaitingApproval, closed, nothingOutstanding, saleById } from '../transaction/transactions.ts';

/** That it is over is committed first: no tender can be added any more while those that there are are given back. */
export const voidTransaction = handle(voidTransactionApi)(async ({ params, body }, scope) => {
  const { work } = scope;
  const found = await saleById(work, params.id);
  if (found.state === 'voided') {
    const { id, voidReason: reason } = found;
    refuseOtherContent({ reason: body.reason }, { reason }, { objectType: 'transaction', id, what: 'was voided' });
    return again(orderView(found));
  }
  if (found.state !== 'open') throw closed(found, 'void');
  refuseWhileBusy(scope, found, 'void');
  const sale = await settleUnknown(scope, found);
  if (isCovered(sale)) return nothingOutstanding(await markPaid(work, sale));
  if (outstandingOf(sale).amount === 0) return awaitingApproval(sale, 'void');
  const voided = markVoided(work, sale, body.reason);
  await work.checkpoint();
  return orderView(await undoNow(scope, voided));
});

/** Nobody who is down keeps a transaction from being voided: what is still to be undone is visible on it, and done later. */
async function undoNow(scope: Scope, sale: Sale): Promise<Sale> {
  const { sale: undone, problem } = await compensate(scope, sale);
  if (problem) {
    scope.log.warn({ err: problem, transactionId: sale.id }, 'the transaction is voided, and what it took is given back later');
    scope.work.schedule(undoSale, sale.id, scope.work.now + AGAIN_MS, null);
  }
  return undone;
}
