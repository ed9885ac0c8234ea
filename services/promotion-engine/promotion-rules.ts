import type { z } from 'zod';
import type { Tier } from '../../shared/catalog/loyalty/objects.ts';
import { invalid } from '../../shared/catalog/problems.ts';
import type { Promotion } from '../../shared/catalog/promotion/reference-data.ts';
import type { Steps } from '../../shared/domain/breathe.ts';
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

/** Discounts of promotions in one answer. 200 lines with five discounts each have a fifth of them. */
export const MOST_DISCOUNTS = 5_000;

/**
 * Applies promotions by priority. One that is not stackable needs a line without discounts, and excludes later promotions.
 * @throws Problem `validation_failed` for more than `MOST_DISCOUNTS`
 */
export function* applyPromotions(
  lines: readonly PricedLine[],
  promotions: readonly Promotion[],
  purchase: Purchase,
): Steps<readonly PricedLine[]> {
  const bought = new Set(lines.map(({ sku }) => sku));
  let priced = lines;
  let discounts = 0;
  for (const promotion of [...promotions].sort((a, b) => a.priority - b.priority)) {
    const before = priced;
    priced = applyPromotion(promotion, { lines: before, bought, purchase });
    discounts += priced.filter((line, index) => line !== before[index]).length;
    if (discounts > MOST_DISCOUNTS) throw tooManyDiscounts();
    yield;
  }
  return priced;
}

const tooManyDiscounts = () =>
  invalid(
    '/lines',
    'too_big',
    `Promotions give these lines more than ${MOST_DISCOUNTS.toLocaleString('en')} discounts together. Send fewer lines, or make fewer promotions stackable.`,
  );

interface Basket {
  readonly lines: readonly PricedLine[];
  /** The SKUs of the lines. */
  readonly bought: ReadonlySet<string>;
  readonly purchase: Purchase;
}

function applyPromotion(promotion: Promotion, { lines, bought, purchase }: Basket): readonly PricedLine[] {
  // A promotion may name the SKUs of a whole catalogue.
  const named = 'skus' in promotion ? new Set(promotion.skus.filter((sku) => bought.has(sku))) : bought;
  const isOpen = ({ closed, discounts }: PricedLine): boolean => !closed && (promotion.stackable || discounts.length === 0);
  const eligible = lines.map((line) => (named.has(line.sku) && isOpen(line) ? line.left : 0));
  return takeOff(lines, {
    source: { promotionId: promotion.id, name: promotion.name },
    amounts: amountsOf(promotion, { lines, eligible, purchase }),
    closes: !promotion.stackable,
  });
}

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
