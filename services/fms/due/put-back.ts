import { handleDue } from '../../../shared/work/handler.ts';
import { returns } from '../returns/collections.ts';
import { putBackDue } from '../returns/due-work.ts';
import { putBack } from '../returns/returned-stock.ts';

/** A rejection came to nothing: what it took out of stock is on hand again. */
export const putBackLater = handleDue(putBackDue)(async ({ payload: { returnId, ...out } }, scope) => {
  const found = await scope.work.get(returns, returnId);
  if (found) await putBack(found, out, scope);
});
