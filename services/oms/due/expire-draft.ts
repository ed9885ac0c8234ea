import { handleDue, type Scope } from '../../../shared/work/handler.ts';
import { markCancelled } from '../cancellation/cancellation.ts';
import { orders, type StoredOrder } from '../collections.ts';
import { expireDraftDue } from '../due-work.ts';
import { isSale } from '../order/sale.ts';
import { paymentIncomplete, paymentsToDecideOn } from '../payment/payments.ts';
import { DRAFT_LIFETIME_MS, RECHECK_MS } from '../timing.ts';

/** Cancels a draft that was not confirmed within a day. A pending action goes first. */
export const expireDraft = handleDue(expireDraftDue)(async ({ key }, scope) => {
  const { work } = scope;
  const order = await work.get(orders, key);
  if (order?.state !== 'draft') return;
  const later = order.pendingAction ? RECHECK_MS : isSale(order) ? await untilTillConfirms(order, scope) : 0;
  if (later > 0) work.schedule(expireDraftDue, key, work.now + later, {});
  else await markCancelled(work, order, { verb: 'expire', cancelReason: 'expired', at: work.now });
});

/** @returns milliseconds to wait for the till to confirm a paid sale, whose goods are gone; 0 for an unpaid sale */
async function untilTillConfirms(order: StoredOrder, scope: Scope): Promise<number> {
  return paymentIncomplete(order, await paymentsToDecideOn(order, scope)) ? 0 : DRAFT_LIFETIME_MS;
}
