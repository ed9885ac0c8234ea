import type { Money } from '../../../shared/domain/money.ts';
import type { Verdict } from './provider-rules.ts';

/**
 * A gift card pays what it holds, in its own currency, and never in part: the caller asks for an amount, and splits the total over
 * several tenders itself.
 * @param held undefined: there is no such card
 */
export function giftCardVerdict(held: Money | undefined, asked: Money): Verdict {
  if (!held) return { is: 'declined', declineCode: 'unknown_gift_card' };
  if (held.currency !== asked.currency) return { is: 'declined', declineCode: 'currency_not_supported' };
  if (held.amount < asked.amount) return { is: 'declined', declineCode: 'insufficient_funds' };
  return { is: 'approved' };
}
