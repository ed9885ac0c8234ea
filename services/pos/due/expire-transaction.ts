import { isDependencyProblem } from '../../../shared/catalog/problems.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { transactions } from '../collections.ts';
import { expireTransaction as expireTransactionWork } from '../due-work.ts';
import { markPaid } from '../sale/submission.ts';
import { markVoided } from '../sale/compensation.ts';
import { isCovered, outstandingOf } from '../tender/listed-tenders.ts';
import { settleUnknown } from '../tender/tenders.ts';
import { LAST_DELAY_MS } from '../timing.ts';
import { isSale, renewIdleTimer } from '../transaction/transactions.ts';

/** Nobody has touched it for a day, and it is not paid: as Void Transaction. */
export const expireTransaction = handleDue(expireTransactionWork)(async ({ key }, scope) => {
  const { work } = scope;
  const found = await work.get(transactions, key);
  if (!isSale(found) || found.state !== 'open') return;
  const sale = await settleUnknown(scope, found).catch(unlessSilent);
  // While the Payment Hub does not say what it has, nothing is given up: for however long that takes.
  if (!sale) work.schedule(expireTransactionWork, key, work.now + LAST_DELAY_MS, null);
  else if (isCovered(sale)) await markPaid(work, sale);
  // Somebody's approval of the last tender is awaited.
  else if (outstandingOf(sale).amount === 0) renewIdleTimer(work, key);
  else markVoided(work, sale, 'expired');
});

function unlessSilent(error: unknown): undefined {
  if (!isDependencyProblem(error)) throw error;
  return undefined;
}
