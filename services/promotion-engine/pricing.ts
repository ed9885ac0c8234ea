import { allocate } from '../../shared/domain/money.ts';

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
  { source, amounts, closes = false }: { readonly source: Source; readonly amounts: readonly number[]; readonly closes?: boolean },
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
