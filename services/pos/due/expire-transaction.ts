import { isDependencyProblem } from '../../../shared/catalog/problems.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { transactions } from '../collections.ts';
import { expireTransactionDue } from '../due-work.ts';
import { settleUnknown } from '../tender/tenders.ts';
import { LONGEST_RETRY_MS } from '../timing.ts';
import { isCovered, outstandingOf } from '../transaction/coverage.ts';
import { markPaid, markVoided } from '../transaction/outcome.ts';
import { isSale, renewIdleTimer } from '../transaction/transactions.ts';

/** Voids an idle transaction as Void Transaction does. */
export const expireTransaction = handleDue(expireTransactionDue)(async ({ key }, scope) => {
  const { work } = scope;
  const found = await work.get(transactions, key);
  if (!isSale(found) || found.state !== 'open') return;
  const sale = await settleUnknown(scope, found).catch(undefinedIfUnanswered);
  // Without an answer of the Payment Hub nothing is voided, so the work is put off.
  if (!sale) work.schedule(expireTransactionDue, key, work.now + LONGEST_RETRY_MS, null);
  else if (isCovered(sale)) await markPaid(work, sale);
  // A tender that covers the rest awaits its approval.
  else if (outstandingOf(sale).amount === 0) renewIdleTimer(work, key);
  else markVoided(work, sale, 'expired');
});

function undefinedIfUnanswered(error: unknown): undefined {
  if (!isDependencyProblem(error)) throw error;
  return undefined;
}
