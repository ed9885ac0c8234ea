import { handleDue } from '../../../shared/work/handler.ts';
import { transactions } from '../collections.ts';
import { submitOrder as submitOrderWork } from '../due-work.ts';
import { isQueued, submit, submitLater } from '../sale/submission.ts';
import { isSale } from '../transaction/transactions.ts';

/**
 * Store and forward: a paid sale is submitted as often as it takes. When money is missing it is open again; what else the OMS
 * refuses is parked, for somebody to look at.
 */
export const submitOrder = handleDue(submitOrderWork)(async ({ key, payload, attempts }, scope) => {
  const sale = await scope.work.get(transactions, key);
  if (!isSale(sale) || sale.state !== 'paid') return;
  const tries = payload?.tries ?? 0;
  try {
    await submit(scope, sale, { attempts, tries });
  } catch (error) {
    if (!isQueued(error)) throw error;
    submitLater(scope.work, sale, tries);
  }
});
