import { putLedgerEntry } from '../../../shared/catalog/loyalty/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { Id, Money } from '../../../shared/catalog/shapes.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { StoredPayment } from '../collections.ts';
import type { Verdict } from './provider-rules.ts';

export const isRedemptionId = (token: string | undefined): token is string => Id.safeParse(token).success;

/**
 * Spends the redemption that is a payment's tender. The payment id is the reference: a repeat for the same payment gets the same
 * answer, and any other payment is refused.
 * @throws Problem that leaves open whether the redemption was spent, with `paymentId`
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
    const declineCode = declineCodeFor(error);
    if (declineCode === undefined) throw new Problem(error.code, error.message, { ...error.context, paymentId: id });
    const available = Money.safeParse(error.context['availableAmount']);
    return { is: 'declined', declineCode, ...(available.success && { available: available.data }) };
  }
}

/** @returns undefined when the answer leaves open whether the redemption was spent */
function declineCodeFor({ code, status, retryable }: Problem): string | undefined {
  if (code === 'not_found') return 'unknown_redemption';
  return status === 409 && !retryable ? code : undefined;
}
