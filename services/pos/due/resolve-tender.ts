import { absentApplication, isDependencyProblem } from '../../../shared/catalog/problems.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { transactions } from '../collections.ts';
import { resolveTenderDue } from '../due-work.ts';
import { resolveLater, settleUnknown } from '../tender/tenders.ts';
import { markPaid } from '../transaction/outcome.ts';
import { isCovered, isSale, save } from '../transaction/transactions.ts';

/**
 * Reads the outcome of a tender whose answer was lost. While the Payment Hub is unavailable, the outcome stays unknown, and the next call
 * reads it.
 */
export const resolveTender = handleDue(resolveTenderDue)(async ({ key, payload }, scope) => {
  const { work } = scope;
  const found = await work.get(transactions, key);
  if (!isSale(found) || found.state !== 'open' || !found.pending) return;
  const unknown = save(work, found, { pending: { ...found.pending, status: 'unknown' } });
  try {
    const settled = await settleUnknown(scope, unknown);
    if (isCovered(settled)) await markPaid(work, settled);
  } catch (error) {
    if (!isDependencyProblem(error)) throw error;
    resolveLater(work, unknown, payload?.tries ?? 0, absentApplication(error));
  }
});
