import { isDependencyProblem, Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { StoredOrder } from '../collections.ts';
import { takeExchangeCreditDue } from '../due-work.ts';
import { type OrderView, viewOf } from '../order-view.ts';
import { releaseReturn } from '../returns/exchange-claim.ts';
import { takeExchangeCredit } from '../returns/exchange-credit.ts';
import { TAKE_OVER_MS } from '../timing.ts';

/**
 * Awaits the conversion of the basket of an exchange. If the basket is refused, its claim on the return is released.
 * @returns the result of the conversion, or its refusal, so that the release is committed
 */
export async function releaseReturnIfRefused<T>(
  conversion: Promise<T>,
  claim: { returnId: string; basketId: string },
  { work }: Scope,
): Promise<T | Problem> {
  try {
    return await conversion;
  } catch (error) {
    if (!(error instanceof Problem) || error.retryable || isDependencyProblem(error)) throw error;
    await releaseReturn(work, claim.returnId, claim.basketId);
    return error;
  }
}

/** Pays a new draft with the value of its return. If the Payment Hub is down, due work or Confirm Order does so later. */
export async function payWithCredit(order: StoredOrder, scope: Scope): Promise<OrderView> {
  const { work, log } = scope;
  work.schedule(takeExchangeCreditDue, order.id, work.now + TAKE_OVER_MS, {});
  await work.checkpoint();
  try {
    const payments = await takeExchangeCredit(order, scope);
    work.cancel(takeExchangeCreditDue, order.id);
    return viewOf(order, { payments, fulfillmentOrders: [], returns: [] });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    log.warn({ orderId: order.id, code: error.code }, 'paying an exchange with its return failed');
    return viewOf(order, { fulfillmentOrders: [], returns: [] });
  }
}
