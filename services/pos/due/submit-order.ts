import { handleDue } from '../../../shared/work/handler.ts';
import { transactions } from '../collections.ts';
import { submitOrderDue } from '../due-work.ts';
import { mayBeSubmittedLater, submit, submitLater } from '../sale/submission.ts';
import { isSale } from '../transaction/transactions.ts';

/**
 * Store and forward: submits a paid sale until the OMS accepts it or reports missing money. Any other refusal parks the work after its last
 * attempt.
 */
export const submitOrder = handleDue(submitOrderDue)(async ({ key, payload, attempts }, scope) => {
  const sale = await scope.work.get(transactions, key);
  if (!isSale(sale) || sale.state !== 'paid') return;
  const tries = payload?.tries ?? 0;
  try {
    await submit(scope, sale, { attempts, tries });
  } catch (error) {
    if (!mayBeSubmittedLater(error)) throw error;
    submitLater(scope.work, sale, tries, error);
  }
});
