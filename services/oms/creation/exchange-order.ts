import { isDependencyProblem, Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { StoredOrder } from '../collections.ts';
import * as dueWork from '../due-work.ts';
import { type OrderView, viewOf } from '../order-view.ts';
import { releaseReturn } from '../returns/exchange-claim.ts';
import { takeExchangeCredit } from '../returns/exchange-credit.ts';
import { TAKE_OVER_MS } from '../timing.ts';

/** Converts the basket of an exchange; when it is refused, its return may pay for another order. The refusal is an answer, not thrown. */
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

/** A new draft, paid with what came back as far as that goes. Without the Payment Hub due work sees to that, or Confirm Order. */
export async function payWithCredit(order: StoredOrder, scope: Scope): Promise<OrderView> {
  const { work, log } = scope;
  work.schedule(dueWork.takeExchangeCredit, order.id, work.now + TAKE_OVER_MS, {});
  await work.checkpoint();
  try {
    const payments = await takeExchangeCredit(order, scope);
    work.cancel(dueWork.takeExchangeCredit, order.id);
    return viewOf(order, { payments, fulfillmentOrders: [], returns: [] });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    log.warn({ orderId: order.id, code: error.code }, 'the exchange is not paid with its return yet');
    return viewOf(order, { fulfillmentOrders: [], returns: [] });
  }
}
