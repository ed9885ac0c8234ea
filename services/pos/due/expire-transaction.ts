import { handleDue } from '../../../shared/work/handler.ts';
import { transactions } from '../collections.ts';
import { expireTransactionDue } from '../due-work.ts';
import { settleUnknown } from '../tender/tenders.ts';
import { markPaid, markVoided } from '../transaction/outcome.ts';
import { isCovered, isSale, outstandingOf, renewIdleTimer } from '../transaction/transactions.ts';

/** Voids an idle transaction as Void Transaction does. */
export const expireTransaction = handleDue(expireTransactionDue)(async ({ key }, scope) => {
  const { work } = scope;
  const found = await work.get(transactions, key);
  if (!isSale(found) || found.state !== 'open') return;
  // Without an answer of the Payment Hub nothing is voided: the work fails and is tried again.
  const sale = await settleUnknown(scope, found);
  if (isCovered(sale)) await markPaid(work, sale);
  // A pending tender may cover the rest.
  else if (outstandingOf(sale).amount === 0) renewIdleTimer(work, key);
  else markVoided(work, sale, 'expired');
});
