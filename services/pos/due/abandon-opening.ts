import { handleDue } from '../../../shared/work/handler.ts';
import { transactions } from '../collections.ts';
import { abandonOpening as abandonOpeningWork } from '../due-work.ts';
import { abandon } from '../sale/compensation.ts';
import { save } from '../transaction/transactions.ts';

/**
 * A transaction whose basket never came. That it is given up is committed first, so that its request, should it still be at it,
 * does not open it; then the eCommerce Platform gives back what it may have locked.
 */
export const abandonOpening = handleDue(abandonOpeningWork)(async ({ key }, scope) => {
  const found = await scope.work.get(transactions, key);
  if (found?.state !== 'opening' && found?.state !== 'given-up') return;
  if (found.state === 'opening') {
    save(scope.work, found, { state: 'given-up' });
    await scope.work.checkpoint();
  }
  await abandon(scope, key);
});
