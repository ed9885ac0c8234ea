import { putLedgerEntry } from '../../../shared/catalog/loyalty/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { Id } from '../../../shared/catalog/shapes.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { StoredPayment } from '../collections.ts';
import type { Verdict } from './provider-rules.ts';

/** A token that cannot be the id of a redemption is not worth a call. */
export const isRedemptionId = (token: string | undefined): token is string => Id.safeParse(token).success;

/**
 * Spends the redemption that is a payment's tender. The payment is the reference, so that a repeat of the same payment is told
 * again what happened, and any other payment is refused.
 * @throws Problem `dependency_*` and whatever else leaves open if it was spent
 */
export async function spendRedemption({ call }: Pick<Scope, 'call'>, payment: StoredPayment): Promise<Verdict> {
  const { id, orderId, amount, tender, purchase } = payment;
  if (!isRedemptionId(tender.token)) return { is: 'declined', declineCode: 'unknown_redemption' };
  const body = { redemptionId: tender.token, orderId, amount, purchase };
  try {
    await call(putLedgerEntry, { params: { type: 'spend', reference: id }, body });
    return { is: 'approved' };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const declineCode = refusal(error);
    if (declineCode === undefined) throw new Problem(error.code, error.message, { ...error.context, paymentId: id });
    return { is: 'declined', declineCode };
  }
}

/** A definite no of the Loyalty Platform; undefined when the answer leaves open what happened. */
function refusal({ code, status, retryable }: Problem): string | undefined {
  if (code === 'not_found') return 'unknown_redemption';
  return status === 409 && !retryable ? code : undefined;
}
