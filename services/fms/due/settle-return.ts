import { closeReturn } from '../../../shared/catalog/order/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { returns } from '../returns/collections.ts';
import { settleReturnDue } from '../returns/due-work.ts';
import { isOwed, withRefunds } from '../returns/refunds.ts';

/**
 * A return that was inspected or written off is to be paid back: the OMS does it, and says how far it got. What it leaves is paid by somebody else, or waits
 * for an order that is exchanged for it; the event of either moves the return on.
 */
export const settleReturn = handleDue(settleReturnDue)(async ({ key }, { work, call, log }) => {
  const found = await work.get(returns, key);
  if (!found || !isOwed(found)) return;
  if (found.rejecting) {
    // Whoever is told that it cannot be rejected has this done: not before this item is gone.
    work.expect(returns, found);
    return;
  }
  try {
    const params = { id: found.orderId, returnId: key };
    const { settled, refunds: told } = await call(closeReturn, { params, body: { outcome: 'refund' } }, { step: 'refund' });
    const refunds = withRefunds(found.refunds, told);
    if (settled) work.transition(returns, found, 'refund', refunds ? { refunds } : {});
    else if (refunds) work.transition(returns, found, 'note', { refunds });
  } catch (error) {
    if (!(error instanceof Problem) || error.retryable || error.code !== 'invalid_state_transition') throw error;
    log.warn({ returnId: key, code: error.code }, `not paid back: ${error.message}`);
  }
});
