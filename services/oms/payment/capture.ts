import { capturePayment } from '../../../shared/catalog/payment/apis.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import { DECIDE_TIMEOUT_MS } from '../timing.ts';
import { type Payment, paymentsOf } from './payments.ts';
import { coverageOf } from './status.ts';

/**
 * Captures authorised payments in the order in which they were made, until `enough`. One that somebody else captured, or that was
 * voided meanwhile, is looked at again. The Payment Hub captures a payment once, whoever asks how often.
 * @returns all payments as they are then
 * @throws Problem `dependency_*`; what was captured before stays captured
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

/** As `captured`; a capture that the provider declines is one that is missing. A Payment Hub that cannot say is another matter. */
export async function captureIfPossible(...[orderId, scope, enough]: Parameters<typeof captureUntil>): Promise<readonly Payment[]> {
  try {
    return await captureUntil(orderId, scope, enough);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'payment_declined') throw error;
    return paymentsOf(orderId, scope, DECIDE_TIMEOUT_MS);
  }
}

export const isCovered = (payments: readonly Payment[], required: number): boolean => coverageOf(payments).netCaptured >= required;

/**
 * Whether what is missing will never come: an authorisation was voided or ran out, and the payments that are left would not cover the
 * order even if all of each were captured. A client that captured less, or paid something back, has its own reasons.
 */
export function isLost(payments: readonly Payment[], required: number): boolean {
  const binding = payments.filter(({ state }) => state !== 'voided' && state !== 'failed');
  return (
    binding.reduce((sum, { state, amount, authorizedAmount }) => sum + (state === 'pending' ? amount : authorizedAmount).amount, 0) <
    required
  );
}
