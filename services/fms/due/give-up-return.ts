import { handleDue } from '../../../shared/work/handler.ts';
import { returns } from '../returns/collections.ts';
import { giveUpReturnDue } from '../returns/due-work.ts';
import { giveUpReturn } from '../returns/parcel-scans.ts';

export const giveUpReturnLater = handleDue(giveUpReturnDue)(async ({ key }, scope) => {
  const found = await scope.work.get(returns, key);
  if (found) await giveUpReturn(found, scope);
});
