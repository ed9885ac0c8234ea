import { isDependencyProblem } from '../../../shared/catalog/problems.ts';
import { handleDue, type Scope } from '../../../shared/work/handler.ts';
import { orders, type StoredOrder } from '../collections.ts';
import * as dueWork from '../due-work.ts';
import { requiredFor } from '../order/line-value.ts';
import { giveUp } from '../order/pending-action.ts';
import { isLost } from '../payment/capture.ts';
import { AUTHORISATION_LOST } from '../payment/lost-authorizations.ts';
import { paymentsToDecideOn } from '../payment/payments.ts';
import { LOOK_AGAIN_MS, PAYMENTS_AGAIN_MS } from '../timing.ts';

/** A confirmed order whose authorisation was lost a day ago, and that nobody has covered since, is cancelled: it holds stock for nothing. */
export const giveUpUncovered = handleDue(dueWork.giveUpUncovered)(async ({ key }, scope) => {
  const { work } = scope;
  const order = await work.get(orders, key);
  if (order?.state !== 'confirmed') return;
  const outcome = order.pendingAction ? 'under-way' : await coverOf(order, scope);
  if (outcome === 'lost') giveUp(work, order, { cancelReason: AUTHORISATION_LOST });
  else if (outcome === 'under-way') work.schedule(dueWork.giveUpUncovered, key, work.now + LOOK_AGAIN_MS, {});
  else if (outcome === 'unknown') work.schedule(dueWork.giveUpUncovered, key, work.now + PAYMENTS_AGAIN_MS, {});
});

/** `under-way`: a payment that is still to be approved would cover it. */
async function coverOf(order: StoredOrder, scope: Scope): Promise<'covered' | 'lost' | 'under-way' | 'unknown'> {
  try {
    const payments = await paymentsToDecideOn(order, scope);
    if (isLost(payments, requiredFor(order))) return 'lost';
    return payments.some(({ state }) => state === 'pending') ? 'under-way' : 'covered';
  } catch (error) {
    if (!isDependencyProblem(error)) throw error;
    return 'unknown';
  }
}
