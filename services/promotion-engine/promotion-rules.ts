import type { z } from 'zod';
import type { Tier } from '../../shared/catalog/loyalty/objects.ts';
import type { Promotion } from '../../shared/catalog/promotion/reference-data.ts';
import { allocate, floorShare, percentOf } from '../../shared/domain/money.ts';

export type LoyaltyTier = z.output<typeof Tier>;

export interface Purchase {
  readonly currency: string;
  readonly tier?: LoyaltyTier;
}

/** The end of the window is exclusive. */
export function isRunning({ activeFrom, activeTo }: { activeFrom: string; activeTo: string }, now: number): boolean {
  return Date.parse(activeFrom) <= now && now < Date.parse(activeTo);
}

/** Applies promotions by priority. One that is not stackable needs a line without discounts, and excludes later promotions. */
export function applyPromotions(lines: readonly PricedLine[], promotions: readonly Promotion[], purchase: Purchase): readonly PricedLine[] {
  return [...promotions]
    .sort((a, b) => a.priority - b.priority)
    .reduce((before, promotion) => applyPromotion(promotion, before, purchase), lines);
}

function applyPromotion(promotion: Promotion, lines: readonly PricedLine[], purchase: Purchase): readonly PricedLine[] {
  const open = lines.map((line) => !line.closed && (promotion.stackable || line.discounts.length === 0));
  const eligible = lines.map((line, index) => (open[index] === true && appliesTo(promotion, line) ? line.left : 0));
  return takeOff(lines, {
    source: { promotionId: promotion.id, name: promotion.name },
    amounts: amountsOf(promotion, { lines, eligible, purchase }),
    closes: !promotion.stackable,
  });
}

const appliesTo = (promotion: Promotion, { sku }: PricedLine): boolean => !('skus' in promotion) || promotion.skus.includes(sku);

interface Candidates {
  readonly lines: readonly PricedLine[];
  /** Per line the price that is left; 0 where the promotion does not apply. */
  readonly eligible: readonly number[];
  readonly purchase: Purchase;
}

/** The discount per line. */
function amountsOf(promotion: Promotion, { lines, eligible, purchase }: Candidates): readonly number[] {
  switch (promotion.kind) {
    case 'percent-off':
      return eligible.map((left) => percentOf(left, promotion.percent));
    case 'tier-percent':
      return purchase.tier !== undefined && promotion.tiers.includes(purchase.tier)
        ? eligible.map((left) => percentOf(left, promotion.percent))
        : [];
    case 'amount-off':
      return promotion.amount.currency === purchase.currency
        ? eligible.map((left, index) => Math.min(left, promotion.amount.amount * (lines[index]?.qty ?? 0)))
        : [];
    case 'buy-x-pay-y':
      return freeUnits(lines, eligible, promotion).map((free, index) => floorShare(eligible[index] ?? 0, free, lines[index]?.qty ?? 1));
    case 'basket-threshold':
      return promotion.threshold.currency === purchase.currency && costOf(lines) >= promotion.threshold.amount
        ? spread(promotion.discount.amount, eligible)
        : [];
  }
}

/** Free units per line: sorted from dear to cheap, the last `buy − pay` of each full group of `buy`. Incomplete groups are paid. */
export function freeUnits(
  lines: readonly PricedLine[],
  eligible: readonly number[],
  { buy, pay }: { buy: number; pay: number },
): readonly number[] {
  const eligibleLines = lines.map((line, index) => ({ ...line, index })).filter(({ index }) => (eligible[index] ?? 0) > 0);
  const units = eligibleLines.reduce((sum, { qty }) => sum + qty, 0);
  const grouped = units - (units % buy);
  const freeBefore = (position: number): number => {
    const within = Math.min(position, grouped);
    return Math.floor(within / buy) * (buy - pay) + Math.max(0, (within % buy) - pay);
  };
  const free = lines.map(() => 0);
  let position = 0;
  for (const { index, qty } of eligibleLines.sort((a, b) => b.unitPrice - a.unitPrice || a.index - b.index)) {
    free[index] = freeBefore(position + qty) - freeBefore(position);
    position += qty;
  }
  return free;
}

/** Amounts are integer minor units of one currency. */
export interface Line {
  readonly sku: string;
  readonly qty: number;
  readonly unitPrice: number;
}

/** The promotion or voucher that gives a discount. */
export interface Source {
  readonly promotionId?: string;
  readonly voucherCode?: string;
  readonly name: string;
}

export interface PricedLine extends Line {
  /** The price of the line after the discounts so far. */
  readonly left: number;
  readonly discounts: readonly { readonly source: Source; readonly amount: number }[];
  /** Whether a promotion that is not stackable has applied to the line. Later promotions skip it. */
  readonly closed: boolean;
}

export const pricedAtFull = (lines: readonly Line[]): readonly PricedLine[] =>
  lines.map((line) => ({ ...line, left: line.qty * line.unitPrice, discounts: [], closed: false }));

export const costOf = (lines: readonly PricedLine[]): number => lines.reduce((sum, { left }) => sum + left, 0);

/** Takes an amount off each line, at most the price that is left. */
export function takeOff(
  lines: readonly PricedLine[],
  { source, amounts, closes = false }: { source: Source; amounts: readonly number[]; closes?: boolean },
): readonly PricedLine[] {
  return lines.map((line, index) => {
    const amount = Math.min(line.left, amounts[index] ?? 0);
    if (amount <= 0) return line;
    return { ...line, left: line.left - amount, discounts: [...line.discounts, { source, amount }], closed: line.closed || closes };
  });
}

/** Spreads an amount in proportion to the weights (largest remainder). The shares add up to it, and never exceed the weights. */
export const spread = (amount: number, weights: readonly number[]): readonly number[] => {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return total === 0 ? weights.map(() => 0) : allocate(Math.min(amount, total), weights);
};
