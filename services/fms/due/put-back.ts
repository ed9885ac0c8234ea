import { handleDue } from '../../../shared/work/handler.ts';
import { returns } from '../returns/collections.ts';
import { putBackDue } from '../returns/due-work.ts';
import { putBack } from '../returns/returned-stock.ts';

/** After a refused rejection, the goods that it took out of stock are on hand again. */
export const putBackLater = handleDue(putBackDue)(async ({ payload: { returnId, ...out } }, scope) => {
  const found = await scope.work.get(returns, returnId);
  if (found) await putBack(found, out, scope);
});
