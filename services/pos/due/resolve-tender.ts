import { isDependencyProblem } from '../../../shared/catalog/problems.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { transactions } from '../collections.ts';
import { resolveTender as resolveTenderWork } from '../due-work.ts';
import { markPaid } from '../sale/submission.ts';
import { isCovered } from '../tender/listed-tenders.ts';
import { resolveLater, settleUnknown } from '../tender/tenders.ts';
import { isSale, save } from '../transaction/transactions.ts';

/**
 * Nobody has heard what came of a tender: its answer got lost, or the request that asked for it died. The Payment Hub knows. While
 * it does not say, the outcome is unknown, and whoever acts on the transaction asks for himself.
 */
export const resolveTender = handleDue(resolveTenderWork)(async ({ key, payload }, scope) => {
  const { work } = scope;
  const found = await work.get(transactions, key);
  if (!isSale(found) || found.state !== 'open' || !found.pending) return;
  const unknown = save(work, found, { pending: { ...found.pending, status: 'unknown' } });
  try {
    const settled = await settleUnknown(scope, unknown);
    if (isCovered(settled)) await markPaid(work, settled);
  } catch (error) {
    if (!isDependencyProblem(error)) throw error;
    resolveLater(work, unknown, payload?.tries ?? 0);
  }
});
