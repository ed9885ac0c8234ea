import type { z } from 'zod';
import type { VoucherReason } from '../../shared/catalog/promotion/apis.ts';
import type { Voucher } from '../../shared/catalog/promotion/reference-data.ts';
import { percentOf } from '../../shared/domain/money.ts';
import { costOf, type PricedLine, type Source, spread, take } from './pricing.ts';
import { isRunning, type LoyaltyTier, type Purchase } from './promotion-rules.ts';

export type Reason = z.output<typeof VoucherReason>;
export type VoucherTerms = Omit<Voucher, 'used'>;

/** Codes are kept and answered in upper case; what somebody types may be in any. */
export const canonical = (code: string): string => code.toUpperCase();

const WELL_FORMED = /^[A-Z0-9-]{1,64}$/;

/** Whether a code could have been issued at all. @param code in upper case */
export const isWellFormed = (code: string): boolean => WELL_FORMED.test(code);

/** What a voucher is worth to somebody at a moment, without regard to who and what for. */
export interface Standing {
  readonly now: number;
  /** Uses left; undefined without a limit. A use that the basket holds already does not count against it. */
  readonly usesLeft: number | undefined;
}

/** Why nobody can use a voucher now. A window that has not begun is answered as one that is over: no other reason speaks of time. */
export function standingReason(voucher: VoucherTerms | undefined, { now, usesLeft }: Standing): Reason | undefined {
  if (!voucher) return 'not_found';
  if (!voucher.enabled) return 'voucher_disabled';
  if (!isRunning(voucher, now)) return 'voucher_expired';
  return usesLeft !== undefined && usesLeft <= 0 ? 'quantity_exceeded' : undefined;
}

/** Whether a voucher is not meant for this customer. */
export const excludes = ({ tiers }: VoucherTerms, tier: LoyaltyTier | undefined): boolean =>
  tiers !== undefined && (tier === undefined || !tiers.includes(tier));

/** What is taken off goods that cost `left` now, and `goods` before the first voucher. 0: the order does not meet the terms. */
export function discountOf(
  { discount, minimum }: VoucherTerms,
  { left, goods, currency }: { readonly left: number; readonly goods: number; readonly currency: string },
): number {
  if (minimum && (minimum.currency !== currency || goods < minimum.amount)) return 0;
  if (discount.type === 'percent') return percentOf(left, discount.percent);
  return discount.amount.currency === currency ? Math.min(left, discount.amount.amount) : 0;
}

export interface VoucherOutcome {
  readonly lines: readonly PricedLine[];
  readonly rejected: readonly { readonly code: string; readonly reason: Reason }[];
}

/**
 * Applies vouchers in the order in which they were given, each to what the ones before it left, spread over all lines.
 * The minimum is compared with the goods before any voucher, so that one voucher does not spoil another.
 */
export function applyVouchers(
  lines: readonly PricedLine[],
  vouchers: readonly { readonly code: string; readonly voucher: VoucherTerms | undefined; readonly reason: Reason | undefined }[],
  { currency, tier }: Purchase,
): VoucherOutcome {
  const goods = costOf(lines);
  const rejected: { code: string; reason: Reason }[] = [];
  let left = lines;
  for (const { code, voucher, reason } of vouchers) {
    const granted = voucher && !reason && !excludes(voucher, tier);
    const discount = granted ? discountOf(voucher, { left: costOf(left), goods, currency }) : 0;
    if (!granted) rejected.push({ code, reason: reason ?? 'customer_rules_violated' });
    else if (discount === 0) rejected.push({ code, reason: 'order_rules_violated' });
    else left = takeSpread(left, { voucherCode: code, name: voucher.name }, discount);
  }
  return { lines: left, rejected };
}

const takeSpread = (lines: readonly PricedLine[], source: Source, discount: number): readonly PricedLine[] =>
  take(lines, {
    source,
    amounts: spread(
      discount,
      lines.map(({ left }) => left),
    ),
  });
