import { allocate } from '../../shared/domain/money.ts';

/** Goods of one currency on which discounts are taken one after the other. All amounts are integer minor units. */
export interface Line {
  readonly sku: string;
  readonly qty: number;
  readonly unitPrice: number;
}

/** Where a discount comes from. */
export interface Source {
  readonly promotionId?: string;
  readonly voucherCode?: string;
  readonly name: string;
}

export interface PricedLine extends Line {
  /** What the line still costs. */
  readonly left: number;
  readonly discounts: readonly { readonly source: Source; readonly amount: number }[];
  /** A promotion took it that lets no later promotion touch it. */
  readonly closed: boolean;
}

export const priced = (lines: readonly Line[]): readonly PricedLine[] =>
  lines.map((line) => ({ ...line, left: line.qty * line.unitPrice, discounts: [], closed: false }));

export const costOf = (lines: readonly PricedLine[]): number => lines.reduce((sum, { left }) => sum + left, 0);

/** Takes an amount off each line, never more than it still costs. */
export function take(
  lines: readonly PricedLine[],
  { source, amounts, closes = false }: { readonly source: Source; readonly amounts: readonly number[]; readonly closes?: boolean },
): readonly PricedLine[] {
  return lines.map((line, index) => {
    const amount = Math.min(line.left, amounts[index] ?? 0);
    if (amount <= 0) return line;
    return { ...line, left: line.left - amount, discounts: [...line.discounts, { source, amount }], closed: line.closed || closes };
  });
}

/** One amount over several lines, by what each still costs, to the last minor unit (largest remainder). */
export const spread = (amount: number, weights: readonly number[]): readonly number[] => {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return total === 0 ? weights.map(() => 0) : allocate(Math.min(amount, total), weights);
};
