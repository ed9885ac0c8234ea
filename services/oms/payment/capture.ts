import { capturePayment } from '../../../shared/catalog/payment/apis.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import { DECIDE_TIMEOUT_MS } from '../timing.ts';
import { type Payment, paymentsOf } from './payments.ts';
import { coverageOf } from './status.ts';

/**
 * Captures authorised payments, oldest first, until `enough` holds. Capturing a payment is idempotent at the Payment Hub.
 * If a payment was captured or voided by another request, all payments are read again.
 * @returns all payments afterwards
 * @throws Problem `dependency_*`, `payment_declined`; captures before the failure stand
 */
export async function captureUntil(
  orderId: string,
  scope: Scope,
  enough: (payments: readonly Payment[]) => boolean,
): Promise<readonly Payment[]> {
  const payments = await paymentsOf(orderId, scope, DECIDE_TIMEOUT_MS);
  const after = new Map(payments.map((payment) => [payment.id, payment]));
  let isStale = false;
  for (const { id, state } of payments) {
    if (state !== 'authorised' || enough([...after.values()])) continue;
    try {
      after.set(id, await scope.call(capturePayment, { params: { id }, body: {} }, { step: id, timeoutMs: DECIDE_TIMEOUT_MS }));
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'invalid_state_transition' || error.retryable) throw error;
      isStale = true;
    }
  }
  return isStale ? paymentsOf(orderId, scope, DECIDE_TIMEOUT_MS) : [...after.values()];
}

/** As `captureUntil`, but stops without an error when the provider declines a capture. @throws Problem `dependency_*` */
export async function captureIfPossible(...[orderId, scope, enough]: Parameters<typeof captureUntil>): Promise<readonly Payment[]> {
  try {
    return await captureUntil(orderId, scope, enough);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'payment_declined') throw error;
    return paymentsOf(orderId, scope, DECIDE_TIMEOUT_MS);
  }
}

export const isCovered = (payments: readonly Payment[], required: number): boolean => coverageOf(payments).netCaptured >= required;

/** Whether the remaining payments, captured in full, do not cover the order. Partial captures and refunds by a client do not count. */
export function isLost(payments: readonly Payment[], required: number): boolean {
  const binding = payments.filter(({ state }) => state !== 'voided' && state !== 'failed');
  return (
    binding.reduce((sum, { state, amount, authorizedAmount }) => sum + (state === 'pending' ? amount : authorizedAmount).amount, 0) <
    required
  );
}
