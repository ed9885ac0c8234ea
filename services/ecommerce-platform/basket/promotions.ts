import type { z } from 'zod';
import type { BasketVoucher } from '../../../shared/catalog/commerce/objects.ts';
import type { Tier } from '../../../shared/catalog/loyalty/objects.ts';
import { isDependencyProblem } from '../../../shared/catalog/problems.ts';
import { evaluatePromotions } from '../../../shared/catalog/promotion/apis.ts';
import { digest } from '../../../shared/domain/ids.ts';
import { CURRENCY, money } from '../../../shared/domain/money.ts';
import type { Scope } from '../../../shared/work/handler.ts';

export type Voucher = z.output<typeof BasketVoucher>;
export type LoyaltyTier = z.output<typeof Tier>;

/** Without voucher codes a discount can wait: the basket then costs its full price for now. */
const PATIENCE_MS = 2_000;
const PATIENCE_WITH_CODES_MS = 5_000;

export interface Shopper {
  readonly customerId?: string | undefined;
  /** Undefined for whoever is no member, and for a member while the Loyalty Platform does not answer. */
  readonly tier?: LoyaltyTier | undefined;
  readonly loyalty: 'none' | 'available' | 'unavailable';
}

export interface PromotionsAsked {
  /** Whose voucher uses are its own: the last use of a code may be locked for this basket already. */
  readonly basketId?: string;
  readonly lines: readonly { readonly sku: string; readonly qty: number; readonly unitPrice: number }[];
  readonly codes?: readonly string[];
  readonly shopper?: Shopper;
  /** Tells evaluations of one request apart that ask the same at different times. */
  readonly attempt?: number;
}

export interface Discounts {
  readonly status: 'available' | 'unavailable';
  /** Minor units per line, in the order of the lines. */
  readonly perLine: readonly number[];
  readonly vouchers: readonly Voucher[];
}

const none = (status: Discounts['status'], lines: readonly unknown[]): Discounts => ({ status, perLine: lines.map(() => 0), vouchers: [] });

/**
 * What promotions and vouchers take off. While the Promotion Engine does not answer there is no discount.
 * @throws Problem 503, 504 when voucher codes were given: somebody counts on them
 */
export async function evaluateDiscounts({ call, log }: Scope, asked: PromotionsAsked): Promise<Discounts> {
  const { lines, codes = [], attempt = 0 } = asked;
  if (lines.length === 0) return none('available', lines);
  const body = questionOf(asked);
  try {
    const answer = await call(
      evaluatePromotions,
      { body },
      {
        // The same question has the same key; after a lost race the lines may be others.
        step: digest(String(attempt), JSON.stringify(body)),
        timeoutMs: codes.length > 0 ? PATIENCE_WITH_CODES_MS : PATIENCE_MS,
      },
    );
    return {
      status: 'available',
      perLine: lines.map((_, index) => answer.lines[index]?.discount.amount ?? 0),
      vouchers: codes.map((code) => voucherOf(code, answer)),
    };
  } catch (error) {
    if (!isDependencyProblem(error) || codes.length > 0) throw error;
    log.warn({ err: error }, 'priced without promotions');
    return none('unavailable', lines);
  }
}

function questionOf({ basketId, lines, codes = [], shopper }: PromotionsAsked) {
  const { customerId, tier, loyalty } = shopper ?? { loyalty: 'none' as const };
  // Without a tier the engine finds the member out by itself: only where a voucher may depend on it is that worth the wait.
  const forMember = tier !== undefined || (loyalty === 'unavailable' && codes.length > 0);
  return {
    lines: lines.map(({ sku, qty, unitPrice }) => ({ sku, qty, unitPrice: money(unitPrice, CURRENCY) })),
    ...(basketId !== undefined && { basketId }),
    ...(codes.length > 0 && { voucherCodes: [...codes] }),
    ...(forMember && { customerId, loyaltyTier: tier }),
  };
}

export const sameCode = (one: string, other: string): boolean => one.toUpperCase() === other.toUpperCase();

/** Codes as they were typed, each once: case does not matter. */
export const distinctCodes = (codes: readonly string[]): string[] =>
  codes.filter((code, index) => codes.findIndex((other) => sameCode(code, other)) === index);

function voucherOf(
  asked: string,
  {
    applied,
    rejected,
  }: {
    applied: readonly { voucherCode?: string | undefined; discount: { amount: number } }[];
    rejected: readonly { code: string; reason: string }[];
  },
): Voucher {
  const refusal = rejected.find(({ code }) => sameCode(code, asked));
  if (refusal) return rejectedVoucher(refusal.code, refusal.reason);
  const discounts = applied.filter(({ voucherCode }) => voucherCode !== undefined && sameCode(voucherCode, asked));
  const amount = discounts.reduce((sum, { discount }) => sum + discount.amount, 0);
  return { code: discounts[0]?.voucherCode ?? asked, status: 'applied', discount: money(amount, CURRENCY) };
}

export const rejectedVoucher = (code: string, reason: string): Voucher => ({
  code,
  status: 'rejected',
  reason,
  discount: money(0, CURRENCY),
});
