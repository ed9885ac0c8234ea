import type { z } from 'zod';
import type { BasketVoucher } from '../../shared/catalog/commerce/objects.ts';
import type { OutputOf } from '../../shared/catalog/define.ts';
import type { Tier } from '../../shared/catalog/loyalty/objects.ts';
import { isDependencyProblem } from '../../shared/catalog/problems.ts';
import { evaluatePromotions } from '../../shared/catalog/promotion/apis.ts';
import { digest } from '../../shared/domain/ids.ts';
import { money } from '../../shared/domain/money.ts';
import type { Scope } from '../../shared/work/handler.ts';

export type LoyaltyTier = z.output<typeof Tier>;

/** Without voucher codes, the full price is an acceptable fallback, so the timeout is short. */
const TIMEOUT_MS = 2_000;
const TIMEOUT_WITH_CODES_MS = 5_000;

export interface Shopper {
  readonly customerId?: string;
  /** Undefined for a customer without membership, and for a member while the Loyalty Platform does not answer. */
  readonly tier?: LoyaltyTier;
  readonly loyalty: 'none' | 'available' | 'unavailable';
}

interface DiscountRequest {
  /** The basket's own voucher uses do not count against it. */
  readonly basketId?: string;
  readonly lines: readonly { readonly sku: string; readonly qty: number; readonly unitPrice: number }[];
  readonly codes?: readonly string[];
  readonly shopper?: Shopper;
  /** Part of the call's key. It distinguishes equal evaluations in different checkout attempts. */
  readonly attempt?: number;
  /** The rules that ran at this time apply, and no price without discounts is a fallback. Default: now. */
  readonly asOf?: string;
}

export interface Discounts {
  readonly status: 'available' | 'unavailable';
  /** Discount of each line in minor units, by the line's index. */
  readonly perLine: readonly number[];
  readonly vouchers: readonly Voucher[];
}

const noDiscounts = (status: Discounts['status'], lines: readonly unknown[]): Discounts => ({
  status,
  perLine: lines.map(() => 0),
  vouchers: [],
});

/** If the engine does not answer, the basket has no discount. @throws Problem 503, 504 if codes or `asOf` were given */
export async function evaluateDiscounts({ call, log, work }: Scope, request: DiscountRequest): Promise<Discounts> {
  const { lines, codes = [], attempt = 0 } = request;
  if (lines.length === 0) return noDiscounts('available', lines);
  const { currency } = work.figures;
  const body = evaluationOf(request, currency);
  try {
    const answer = await call(
      evaluatePromotions,
      { body },
      {
        // A rerun of the handler may send other lines, which need another key.
        step: digest(String(attempt), JSON.stringify(body)),
        timeoutMs: codes.length > 0 ? TIMEOUT_WITH_CODES_MS : TIMEOUT_MS,
      },
    );
    return {
      status: 'available',
      perLine: lines.map((_, index) => answer.lines[index]?.discount.amount ?? 0),
      vouchers: codes.map((code) => voucherOf(code, answer, currency)),
    };
  } catch (error) {
    if (!isDependencyProblem(error) || codes.length > 0 || request.asOf !== undefined) throw error;
    log.warn({ err: error }, 'Promotion Engine unavailable: priced without promotions');
    return noDiscounts('unavailable', lines);
  }
}

function evaluationOf({ basketId, lines, codes = [], shopper, asOf }: DiscountRequest, currency: string) {
  const { customerId, tier, loyalty } = shopper ?? { loyalty: 'none' as const };
  // Without a tier, the engine reads it. Only a voucher that may depend on the tier justifies that wait.
  const forMember = tier !== undefined || (loyalty === 'unavailable' && codes.length > 0);
  return {
    lines: lines.map(({ sku, qty, unitPrice }) => ({ sku, qty, unitPrice: money(unitPrice, currency) })),
    basketId,
    asOf,
    ...(codes.length > 0 && { voucherCodes: [...codes] }),
    ...(forMember && { customerId, loyaltyTier: tier }),
  };
}

type Evaluation = Pick<OutputOf<typeof evaluatePromotions>, 'applied' | 'rejected'>;

function voucherOf(code: string, { applied, rejected }: Evaluation, currency: string): Voucher {
  const refusal = rejected.find((other) => isSameCode(other.code, code));
  if (refusal) return rejectedVoucher(refusal.code, refusal.reason, currency);
  const discounts = applied.filter(({ voucherCode }) => voucherCode !== undefined && isSameCode(voucherCode, code));
  const amount = discounts.reduce((sum, { discount }) => sum + discount.amount, 0);
  return { code: discounts[0]?.voucherCode ?? code, status: 'applied', discount: money(amount, currency) };
}

export type Voucher = z.output<typeof BasketVoucher>;

/** Codes are compared regardless of case. */
export const isSameCode = (one: string, other: string): boolean => one.toUpperCase() === other.toUpperCase();

/** The codes as the request has them, without duplicates. */
export const distinctCodes = (codes: readonly string[]): string[] =>
  codes.filter((code, index) => codes.findIndex((other) => isSameCode(code, other)) === index);

/** All given codes, applied and rejected ones. */
export const givenCodes = ({ vouchers }: Pick<Discounts, 'vouchers'>): string[] => vouchers.map(({ code }) => code);

export const appliedCodes = ({ vouchers }: Pick<Discounts, 'vouchers'>): string[] =>
  vouchers.filter(({ status }) => status === 'applied').map(({ code }) => code);

export const rejectedVoucher = (code: string, reason: string, currency: string): Voucher => ({
  code,
  status: 'rejected',
  reason,
  discount: money(0, currency),
});
