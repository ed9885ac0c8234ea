import { invalid } from '../../../shared/catalog/problems.ts';

interface Wanted {
  readonly sku: string;
  readonly qty: number;
}

const MOST_PER_LINE = 9_999;

/**
 * One line per SKU, in the order in which they were scanned.
 * @throws Problem 422 pointing at the scan with which a line becomes too long
 */
export function mergedLines(scanned: readonly Wanted[]): Wanted[] {
  const lines = new Map<string, number>();
  for (const [index, { sku, qty }] of scanned.entries()) {
    const total = (lines.get(sku) ?? 0) + qty;
    if (total > MOST_PER_LINE) {
      throw invalid(`/lines/${index}/qty`, 'too_big', `A line has at most ${MOST_PER_LINE} units; "${sku}" would have ${total}.`);
    }
    lines.set(sku, total);
  }
  return [...lines].map(([sku, qty]) => ({ sku, qty }));
}
