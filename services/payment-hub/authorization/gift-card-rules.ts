import type { Money } from '../../../shared/domain/money.ts';
import type { Verdict } from './provider-rules.ts';

/**
 * Decides a payment with a gift card. The card pays the whole amount in its own currency, or nothing; callers split a total over
 * several tenders themselves.
 * @param balance undefined for an unknown card
 */
export function giftCardVerdict(balance: Money | undefined, amount: Money): Verdict {
  if (!balance) return { is: 'declined', declineCode: 'unknown_gift_card' };
  if (balance.currency !== amount.currency) return { is: 'declined', declineCode: 'currency_not_supported' };
  if (balance.amount < amount.amount) return { is: 'declined', declineCode: 'insufficient_funds', available: balance };
  return { is: 'approved' };
}
