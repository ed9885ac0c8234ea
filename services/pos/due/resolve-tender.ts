import { isDependencyProblem } from '../../../shared/contract/client.ts';
import type { DueHandler } from '../../../shared/contract/handler.ts';
import { transactions } from '../collections.ts';
import { markPaid } from '../submission.ts';
import { isCovered } from '../tender-rules.ts';
import { leaveUnknown, settleUnknown } from '../tenders.ts';
import { isSale } from '../transactions.ts';

/** The request that asked for a tender died: the Payment Hub knows what came of it. While it does not say, the outcome is unknown. */
export const resolveTender: DueHandler = async ({ key }, scope) => {
  const { work, log } = scope;
  const sale = await work.get(transactions, key);
  if (!isSale(sale) || sale.state !== 'open' || sale.pending?.status !== 'running') return;
  const unknown = leaveUnknown(work, sale);
  try {
    const settled = await settleUnknown(scope, unknown);
    if (isCovered(settled)) await markPaid(work, settled);
  } catch (error) {
    if (!isDependencyProblem(error)) throw error;
    log.warn({ err: error, transactionId: key }, 'what became of a tender is not known yet');
  }
};
