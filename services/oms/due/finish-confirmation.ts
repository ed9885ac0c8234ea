import { isDependencyProblem, Problem } from '../../../shared/catalog/problems.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { fulfillmentRecords, orders } from '../collections.ts';
import { continueConfirmation } from '../confirmation/confirmation.ts';
import * as dueWork from '../due-work.ts';
import { endConfirmation } from '../order/pending-action.ts';
import { paymentsToConfirmOn } from '../returns/exchange-credit.ts';

/** Failed attempts (5 s, 30 s and 5 min apart) after which the confirmation is undone, so that it blocks nobody for long. */
const ATTEMPTS = 3;

/**
 * A Confirm Order did not come to its end: it is carried on. When the others stay away, the intent is taken back instead: the order
 * is the draft it was, and whatever hold it has ends with its confirmation, its cancellation or its expiry.
 */
export const finishConfirmation = handleDue(dueWork.finishConfirmation)(async ({ key, attempts }, scope) => {
  const order = await scope.work.get(orders, key);
  if (order?.pendingAction?.action !== 'confirm') return;
  try {
    const payments = await paymentsToConfirmOn(order, scope);
    const outcome = await continueConfirmation({ order, payments, resumed: true }, scope);
    // No request waits for the routing.
    if (!(outcome instanceof Problem) && (await scope.work.get(fulfillmentRecords, key)))
      scope.work.schedule(dueWork.routeOrder, key, scope.work.now, { asked: false });
  } catch (error) {
    if (!isDependencyProblem(error) || attempts < ATTEMPTS) throw error;
    const latest = await scope.work.get(orders, key);
    if (latest?.pendingAction?.action === 'confirm') endConfirmation(scope.work, latest);
  }
});
