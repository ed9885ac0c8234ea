import { closeReturn } from '../../../shared/catalog/order/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { returns } from '../returns/collections.ts';
import { settleReturnDue } from '../returns/due-work.ts';
import { isOwed, withRefunds } from '../returns/refunds.ts';

/**
 * The OMS refunds an inspected or written-off return, and answers with the refunded amount. A remainder is refunded by other calls, or waits
 * for the order of an exchange. The event of the refund or of the order then moves the return.
 */
export const settleReturn = handleDue(settleReturnDue)(async ({ key }, { work, call, log }) => {
  const found = await work.get(returns, key);
  if (!found || !isOwed(found)) return;
  if (found.rejecting) {
    // A refused rejection schedules this work again. That commit must not come before this item ends.
    work.expect(returns, found);
    return;
  }
  try {
    const params = { id: found.orderId, returnId: key };
    const { settled, refunds: reported } = await call(closeReturn, { params, body: { outcome: 'refund' } }, { step: 'refund' });
    const refunds = withRefunds(found.refunds, reported);
    if (settled) work.transition(returns, found, 'refund', refunds ? { refunds } : {});
    else if (refunds) work.transition(returns, found, 'note', { refunds });
  } catch (error) {
    if (!(error instanceof Problem) || error.retryable || error.code !== 'invalid_state_transition') throw error;
    log.warn({ returnId: key, code: error.code }, `paying a return back failed: ${error.message}`);
  }
});
