import { Problem } from '../../../shared/catalog/problems.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { pickingOrders } from '../collections.ts';
import { finishOpeningDue } from '../due-work.ts';
import { carryOutOpening } from '../picking/open-picking-order.ts';

/** The FMS may have a picking order that is not stored here, so it is reported again. */
export const finishOpening = handleDue(finishOpeningDue)(async ({ key, payload: { fulfillmentOrderId } }, scope) => {
  if (await scope.work.get(pickingOrders, key)) return;
  const opened = await carryOutOpening(fulfillmentOrderId, scope);
  if (opened instanceof Problem && opened.retryable) throw opened;
});
