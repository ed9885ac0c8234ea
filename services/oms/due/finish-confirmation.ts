import { isDependencyProblem, Problem } from '../../../shared/catalog/problems.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { fulfillmentRecords, orders } from '../collections.ts';
import { continueConfirmation } from '../confirmation/confirmation.ts';
import { finishConfirmationDue, routeOrderDue } from '../due-work.ts';
import { withdrawConfirmation } from '../order/pending-action.ts';
import { paymentsToConfirmOn } from '../returns/exchange-credit.ts';

/** Failed attempts (5 s, 30 s and 5 min apart) after which the intent is withdrawn, so that it does not block other actions for long. */
const ATTEMPTS = 3;

/**
 * Continues an interrupted Confirm Order. If other applications stay unavailable, the intent is withdrawn and the order is a draft again. Its
 * reservation ends with the next confirmation, the cancellation or the expiry of the draft.
 */
export const finishConfirmation = handleDue(finishConfirmationDue)(async ({ key, attempts }, scope) => {
  const order = await scope.work.get(orders, key);
  if (order?.pendingAction?.action !== 'confirm') return;
  try {
    const payments = await paymentsToConfirmOn(order, scope);
    const outcome = await continueConfirmation({ order, payments, resumed: true }, scope);
    // No request waits for the routing, so it follows as due work.
    if (!(outcome instanceof Problem) && (await scope.work.get(fulfillmentRecords, key)))
      scope.work.schedule(routeOrderDue, key, scope.work.now, { asked: false });
  } catch (error) {
    if (!isDependencyProblem(error) || attempts < ATTEMPTS) throw error;
    const latest = await scope.work.get(orders, key);
    if (latest?.pendingAction?.action === 'confirm') withdrawConfirmation(scope.work, latest);
  }
});
