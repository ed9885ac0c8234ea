import type { z } from 'zod';
import type { VoucherReason } from '../../shared/catalog/promotion/apis.ts';
import type { Voucher } from '../../shared/catalog/promotion/reference-data.ts';
import { percentOf } from '../../shared/domain/money.ts';
import { costOf, isRunning, type LoyaltyTier, type PricedLine, type Purchase, type Source, spread, takeOff } from './promotion-rules.ts';

export type Reason = z.output<typeof VoucherReason>;
export type VoucherTerms = Omit<Voucher, 'used'>;

/** Codes are stored and answered in upper case, and accepted in any case. */
export const canonicalCode = (code: string): string => code.toUpperCase();

const WELL_FORMED = /^[A-Z0-9-]{1,64}$/;

/** @param code in upper case */
export const isWellFormed = (code: string): boolean => WELL_FORMED.test(code);

/** The part of a voucher's validity that depends on neither customer nor goods. */
interface Standing {
  readonly now: number;
  /** Uses that are left; undefined without a limit, and for a basket that already has a use. */
  readonly usesLeft: number | undefined;
}

/** Why no customer can use the voucher now. Before the time window begins, the reason is `voucher_expired`, too. */
export function standingReason(voucher: VoucherTerms | undefined, { now, usesLeft }: Standing): Reason | undefined {
  if (!voucher) return 'not_found';
  if (!voucher.enabled) return 'voucher_disabled';
  if (!isRunning(voucher, now)) return 'voucher_expired';
  return usesLeft !== undefined && usesLeft <= 0 ? 'quantity_exceeded' : undefined;
}

export const excludesTier = ({ tiers }: VoucherTerms, tier: LoyaltyTier | undefined): boolean =>
  tiers !== undefined && (tier === undefined || !tiers.includes(tier));

/** @param left price of the goods now @param goods the price before the first voucher @returns 0 when the order does not meet the terms */
export function discountOf(
  { discount, minimum }: VoucherTerms,
  { left, goods, currency }: { left: number; goods: number; currency: string },
): number {
  if (minimum && (minimum.currency !== currency || goods < minimum.amount)) return 0;
  if (discount.type === 'percent') return percentOf(left, discount.percent);
  return discount.amount.currency === currency ? Math.min(left, discount.amount.amount) : 0;
}

export interface VoucherOutcome {
  readonly lines: readonly PricedLine[];
  readonly rejected: readonly { readonly code: string; readonly reason: Reason }[];
}

/** Applies vouchers in order. Minimums count before the first voucher, so that no voucher invalidates another. */
export function applyVouchers(
  lines: readonly PricedLine[],
  vouchers: readonly { readonly code: string; readonly voucher: VoucherTerms | undefined; readonly reason: Reason | undefined }[],
  { currency, tier }: Purchase,
): VoucherOutcome {
  const goods = costOf(lines);
  const rejected: { code: string; reason: Reason }[] = [];
  let left = lines;
  for (const { code, voucher, reason } of vouchers) {
    const granted = voucher && !reason && !excludesTier(voucher, tier);
    const discount = granted ? discountOf(voucher, { left: costOf(left), goods, currency }) : 0;
    if (!granted) rejected.push({ code, reason: reason ?? 'customer_rules_violated' });
    else if (discount === 0) rejected.push({ code, reason: 'order_rules_violated' });
    else left = takeOffSpread(left, { voucherCode: code, name: voucher.name }, discount);
  }
  return { lines: left, rejected };
}

function takeOffSpread(lines: readonly PricedLine[], source: Source, discount: number): readonly PricedLine[] {
  const costs = lines.map(({ left }) => left);
  return takeOff(lines, { source, amounts: spread(discount, costs) });
}
