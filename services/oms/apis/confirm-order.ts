import { confirmOrder as confirmOrderApi } from '../../../shared/catalog/order/apis.ts';
import { orderLifeCycle } from '../../../shared/catalog/order/objects.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { again, handle } from '../../../shared/contract/handler.ts';
import { isAgain } from '../../../shared/domain/life-cycle.ts';
import { carryOnConfirmation } from '../confirmation.ts';
import { orderById } from '../order-by-id.ts';
import { paymentIncomplete, paymentsToDecideOn } from '../order-payments.ts';
import { viewNow, viewOf } from '../order-view.ts';
import { beginIntent, refuseWhileOther } from '../pending-action.ts';

/**
 * Payments are looked at before anything is written: an order that is not paid leaves no trace. Then comes the intent, then the
 * stock, then the commit of `confirmed`, which is the point of no return.
 */
export const confirmOrder = handle(confirmOrderApi)(async ({ params }, scope) => {
  const { work } = scope;
  const found = await orderById(work, params.id);
  if (isAgain(orderLifeCycle, found, 'confirm')) return again(await viewNow(found, scope));
  refuseWhileOther(found, 'confirm');
  const resumed = found.pendingAction !== undefined;
  const payments = await paymentsToDecideOn(found, scope);
  const incomplete = resumed ? undefined : paymentIncomplete(found, payments);
  if (incomplete) throw incomplete;
  const order = await beginIntent(work, found, 'confirm');
  const outcome = await carryOnConfirmation({ order, payments, resumed }, scope);
  return outcome instanceof Problem ? outcome : viewOf(outcome, payments);
});
