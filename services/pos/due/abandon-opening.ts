import { handleDue } from '../../../shared/work/handler.ts';
import { transactions } from '../collections.ts';
import { abandonOpeningDue } from '../due-work.ts';
import { abandonBasketOf } from '../sale/compensation.ts';
import { save } from '../transaction/transactions.ts';

/** Commits `given-up` first, so that a running request cannot open it. Then the eCommerce Platform abandons a basket that it locked. */
export const abandonOpening = handleDue(abandonOpeningDue)(async ({ key }, scope) => {
  const found = await scope.work.get(transactions, key);
  if (found?.state !== 'opening' && found?.state !== 'given-up') return;
  if (found.state === 'opening') {
    save(scope.work, found, { state: 'given-up' });
    await scope.work.checkpoint();
  }
  await abandonBasketOf(scope, key);
});
