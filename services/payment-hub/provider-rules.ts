import type { z } from 'zod';
import type { PaymentToken } from '../../shared/catalog/payment/reference-data.ts';
import type { Tender } from '../../shared/catalog/payment/tender.ts';
import { durationMs } from '../../shared/domain/duration.ts';
import { digest } from '../../shared/domain/ids.ts';
import { floorShare, type Money, money } from '../../shared/domain/money.ts';
import { declineCodeIn } from '../../shared/domain/redaction.ts';

/** The decision about a tender. After `unanswered` the outcome is unknown. */
export type Verdict =
  /** `amount`: the approved part. Absent: all of it. */
  | { readonly is: 'approved'; readonly amount?: Money }
  /** `available`: the amount that the tender could pay. */
  | { readonly is: 'declined'; readonly declineCode: string; readonly available?: Money }
  /** `url`: the page where the customer decides. */
  | { readonly is: 'requires-action'; readonly url: string }
  | { readonly is: 'unanswered' }
  | { readonly is: 'approved-later'; readonly afterMs: number };

export const reasonOf = ({ declineCode, available }: Extract<Verdict, { is: 'declined' }>) => ({
  declineCode,
  available: available && money(available.amount, available.currency),
});

/** The members of a request that decide about its tender. */
interface AskedPayment {
  readonly tender: z.output<typeof Tender>;
  readonly amount: Money;
  /** Whether the request accepts an approval of a part. */
  readonly acceptPartial?: boolean | undefined;
}

const BNPL_DECISION_DELAY_MS = 60_000;

/**
 * The simulated provider of cards and of buy now, pay later. It is deterministic: the table has the outcomes of some tokens,
 *  `tok_decline_<code>` is declined with that code, and any other token is approved.
 * @param actionUrl where the customer can authenticate the payment. Absent: at a card reader, or the merchant repeats an authenticated payment
 */
export function providerVerdict(
  { tender: { type, token }, amount, acceptPartial }: AskedPayment,
  rule: PaymentToken | undefined,
  actionUrl: string | undefined,
): Verdict {
  if (rule?.outcome === 'require-action' && actionUrl !== undefined) return { is: 'requires-action', url: actionUrl };
  if (rule?.outcome === 'approve-part') {
    return partVerdict({ acceptPartial }, money(floorShare(amount.amount, rule.percent, 100), amount.currency));
  }
  if (rule?.outcome === 'decline') return { is: 'declined', declineCode: rule.declineCode };
  if (rule?.outcome === 'timeout') return { is: 'unanswered' };
  if (rule?.outcome === 'approve-later') return { is: 'approved-later', afterMs: durationMs(rule.after) };
  const declineCode = rule || token === undefined ? undefined : declineCodeIn(token);
  if (declineCode !== undefined) return { is: 'declined', declineCode };
  return type === 'bnpl' ? { is: 'approved-later', afterMs: BNPL_DECISION_DELAY_MS } : { is: 'approved' };
}

/** The last four digits of a card, from the table or derived from the token. */
export const last4Of = (token: string, rule: PaymentToken | undefined): string =>
  (rule?.outcome === 'approve' && rule.last4) || String(Number.parseInt(digest('last4', token).slice(0, 8), 16) % 10_000).padStart(4, '0');

/** A tender that has less than the amount pays this part if the request accepts one, and is declined otherwise. */
function partVerdict({ acceptPartial }: Pick<AskedPayment, 'acceptPartial'>, available: Money): Verdict {
  if (acceptPartial && available.amount > 0) return { is: 'approved', amount: available };
  return { is: 'declined', declineCode: 'insufficient_funds', available };
}

/** Six characters derived from the payment's id, in the form that issuers use. */
export const authorizationCodeOf = (paymentId: string): string => digest('authorisation', paymentId).slice(0, 6).toUpperCase();

/** A gift card pays in its own currency: the whole amount, or its balance if a part is accepted. @param balance undefined: unknown card */
export function giftCardVerdict(balance: Money | undefined, { amount, acceptPartial }: Omit<AskedPayment, 'tender'>): Verdict {
  if (!balance) return { is: 'declined', declineCode: 'unknown_gift_card' };
  if (balance.currency !== amount.currency) return { is: 'declined', declineCode: 'currency_not_supported' };
  if (balance.amount < amount.amount) return partVerdict({ acceptPartial }, balance);
  return { is: 'approved' };
}
