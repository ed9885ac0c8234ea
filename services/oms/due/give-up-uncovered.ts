import { handleDue, type Scope } from '../../../shared/work/handler.ts';
import { orders, type StoredOrder } from '../collections.ts';
import { giveUpUncoveredDue } from '../due-work.ts';
import { requiredFor } from '../order/lines.ts';
import { giveUp } from '../order/pending-action.ts';
import { isLost } from '../payment/capture.ts';
import { AUTHORISATION_LOST } from '../payment/lost-authorizations.ts';
import { paymentsToDecideOn } from '../payment/payments.ts';
import { RECHECK_MS } from '../timing.ts';

/** Cancels a confirmed order that lost an authorisation a day ago and is not covered again: it must not hold stock without payment. */
export const giveUpUncovered = handleDue(giveUpUncoveredDue)(async ({ key }, scope) => {
  const { work } = scope;
  const order = await work.get(orders, key);
  if (order?.state !== 'confirmed') return;
  const outcome = order.pendingAction ? 'under-way' : await coverOf(order, scope);
  if (outcome === 'lost') giveUp(work, order, { cancelReason: AUTHORISATION_LOST });
  else if (outcome === 'under-way') work.schedule(giveUpUncoveredDue, key, work.now + RECHECK_MS, {});
});

/** Whether payments cover the order. `under-way`: a pending payment may still cover it. */
async function coverOf(order: StoredOrder, scope: Scope): Promise<'covered' | 'lost' | 'under-way'> {
  const payments = await paymentsToDecideOn(order, scope);
  if (isLost(payments, requiredFor(order))) return 'lost';
  return payments.some(({ state }) => state === 'pending') ? 'under-way' : 'covered';
}
