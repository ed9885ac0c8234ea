import { handleDue } from '../../../shared/work/handler.ts';
import { transactions } from '../collections.ts';
import { abandonOpeningDue } from '../due-work.ts';
import { abandonBasketOf } from '../sale/compensation.ts';
import { save } from '../transaction/transactions.ts';

/**
 * Commits `given-up` first, so that a running request cannot open the transaction. Then the eCommerce Platform abandons the basket, if it
 * locked one.
 */
export const abandonOpening = handleDue(abandonOpeningDue)(async ({ key }, scope) => {
  const found = await scope.work.get(transactions, key);
  if (found?.state !== 'opening' && found?.state !== 'given-up') return;
  if (found.state === 'opening') {
    save(scope.work, found, { state: 'given-up' });
    await scope.work.checkpoint();
  }
  await abandonBasketOf(scope, key);
});
