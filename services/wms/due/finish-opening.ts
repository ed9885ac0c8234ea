import { Problem } from '../../../shared/catalog/problems.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { pickingOrders } from '../collections.ts';
import { finishOpeningDue } from '../due-work.ts';
import { carryOutOpening } from '../picking/picking.ts';

/** The FMS may have begun a picking that nobody here knows of: it is asked once more, and what it answers is stored. */
export const finishOpening = handleDue(finishOpeningDue)(async ({ key, payload: { fulfillmentOrderId } }, scope) => {
  if (await scope.work.get(pickingOrders, key)) return;
  const opened = await carryOutOpening(fulfillmentOrderId, scope);
  if (opened instanceof Problem && opened.retryable) throw opened;
});
