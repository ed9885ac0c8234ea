import { progressionOf } from '../../../shared/catalog/control/progression.ts';
import { absentApplication, Problem } from '../../../shared/catalog/problems.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { fulfillmentRecords, orders, type StoredOrder } from '../collections.ts';
import { capturePaymentsDue, settleOrderDue } from '../due-work.ts';
import { isMoving } from '../fulfillment/apply-progress.ts';
import { requiredFor } from '../order/lines.ts';
import { giveUp } from '../order/pending-action.ts';
import { captureUntil, isLost } from '../payment/capture.ts';
import { AUTHORISATION_LOST } from '../payment/lost-authorizations.ts';
import { CAPTURE_RETRY_DELAYS_MS, RECHECK_MS } from '../timing.ts';

const CAPTURE_FAILED = 'capture-failed';

/** Captures all authorised payments once the warehouse has begun its work, unless captures are manual. */
export const capturePayments = handleDue(capturePaymentsDue)(async ({ key, payload }, scope) => {
  const { work, context, log } = scope;
  const order = await work.get(orders, key);
  if (!order || !isMoving(order)) return;
  if (order.pendingAction) {
    work.schedule(capturePaymentsDue, key, work.now + RECHECK_MS, payload);
    return;
  }
  if (progressionOf(context).capture === 'manual' || order.totals.total.amount === 0) {
    clearCaptureStatus(work, order);
    return;
  }
  const { attempt } = payload;
  try {
    const payments = await captureUntil(key, scope, () => false);
    if (isLost(payments, requiredFor(order))) giveUp(work, order, { cancelReason: AUTHORISATION_LOST, captureStatus: undefined });
    else clearCaptureStatus(work, order);
    const record = await work.get(fulfillmentRecords, key);
    if (record?.owed.some(({ status }) => status === 'owed')) work.schedule(settleOrderDue, key, work.now, {});
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    log.warn({ orderId: key, attempt, code: error.code }, `capturing payments failed: ${error.message}`);
    if (absentApplication(error) === undefined) {
      retryOrGiveUp(work, order, attempt);
      return;
    }
    // The Payment Hub did not answer. The work is retried, as other work is.
    noteRetrying(work, order);
    await work.checkpoint();
    throw error;
  }
});

function clearCaptureStatus(work: UnitOfWork, order: StoredOrder): void {
  if (order.captureStatus !== undefined) work.transition(orders, order, 'note', { captureStatus: undefined });
}

function retryOrGiveUp(work: UnitOfWork, order: StoredOrder, attempt: number): void {
  const wait = CAPTURE_RETRY_DELAYS_MS[attempt - 1];
  if (wait === undefined) {
    giveUp(work, order, { cancelReason: CAPTURE_FAILED, captureStatus: undefined });
    return;
  }
  work.schedule(capturePaymentsDue, order.id, work.now + wait, { attempt: attempt + 1 });
  noteRetrying(work, order);
}

function noteRetrying(work: UnitOfWork, order: StoredOrder): void {
  if (order.captureStatus === undefined) work.transition(orders, order, 'note', { captureStatus: 'retrying' });
}
